import type { Result } from "../../base/index.js";
import type { Diagnostic, FindInput, FindOutput, FsListInput, FsListOutput, GrepInput, GrepOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";

/** Where a search may look; made by the authorizing side from real paths. */
export interface SearchScope {
  /** Real path the search starts at. */
  readonly root: BytePath;
  /** Real path of the workspace; results inside are shown relative to it. */
  readonly cwd: BytePath;
  /** Real paths that are not entered. */
  readonly denied: readonly BytePath[];
}

export interface SearchOperations {
  readonly find: { readonly input: FindInput; readonly output: FindOutput };
  readonly grep: { readonly input: GrepInput; readonly output: GrepOutput };
  readonly list: { readonly input: FsListInput; readonly output: FsListOutput };
}

export type SearchOperation = keyof SearchOperations;

export type SearchTask = {
  readonly [Op in SearchOperation]: { readonly op: Op; readonly scope: SearchScope; readonly input: SearchOperations[Op]["input"] };
}[SearchOperation];

/** Why a running search should end: shared memory, so that it is seen inside synchronous work. */
export type StopReason = "none" | "aborted" | "late";
export type StopFlag = () => StopReason;

const REASONS: readonly StopReason[] = ["none", "aborted", "late"];

export const readStop = (cell: Int32Array): StopReason => REASONS[Atomics.load(cell, 0)] ?? "none";
export const writeStop = (cell: Int32Array, reason: StopReason): void => {
  Atomics.store(cell, 0, REASONS.indexOf(reason));
};

export interface SearchRequest {
  readonly id: number;
  readonly task: SearchTask;
  readonly stop: SharedArrayBuffer;
}

export interface SearchResponse {
  readonly id: number;
  readonly result: Result<SearchOperations[SearchOperation]["output"], Diagnostic>;
}

/** Sent by the thread when it takes a request up: from here its time counts. */
export interface SearchBegun {
  readonly id: number;
  readonly result: "begun";
}

export const SEARCH_BOUNDS = {
  matches: 200,
  /** Ceiling of `limit`. */
  mostMatches: 10_000,
  items: 1000,
  /** UTF-8 bytes of names and lines in one answer. */
  bytes: 64 * 1024,
  lineCharacters: 500,
  context: 20,
  fileBytes: 32 * 1024 * 1024,
  depth: 32,
} as const;

export const limitOf = (asked: number | undefined, usual: number, most: number): number =>
  Math.min(Math.max(1, Math.trunc(asked ?? usual)), most);
