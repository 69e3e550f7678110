import type { Result } from "../../base/index.js";
import type { Diagnostic, FindInput, FindOutput, FsListInput, FsListOutput, GrepInput, GrepOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import type { GitPlaces } from "./ignore/index.js";

/** Where a search may look; made by the authorizing side from real paths. */
export interface SearchScope {
  /** Real path the search starts at. */
  readonly root: BytePath;
  /** Real path of the workspace; results inside are shown relative to it. */
  readonly cwd: BytePath;
  /** Real paths that are not entered. */
  readonly denied: readonly BytePath[];
  /** The person's own rules of git; left out: none. */
  readonly git?: GitPlaces;
  /** Files that are not read: an expression does not come to an end in them. */
  readonly passedOver?: readonly BytePath[];
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

export type TaskOf<Op extends SearchOperation> = Extract<SearchTask, { op: Op }>;

export type SearchResult = Result<SearchOperations[SearchOperation]["output"], Diagnostic>;

/** Why a running search should end: shared memory, so that it is seen inside synchronous work. `enough`: what is found is all that counts. */
export type StopReason = "none" | "aborted" | "late" | "enough";
export type StopFlag = () => StopReason;

const REASONS: readonly StopReason[] = ["none", "aborted", "late", "enough"];

export const readStop = (cell: Int32Array): StopReason => REASONS[Atomics.load(cell, 0)] ?? "none";
/** The first reason stays. */
export const writeStop = (cell: Int32Array, reason: StopReason): void => {
  Atomics.compareExchange(cell, 0, 0, REASONS.indexOf(reason));
};

export const SEARCH_BOUNDS = {
  matches: 200,
  /** Ceiling of `limit`. */
  mostMatches: 10_000,
  items: 1000,
  /** UTF-8 bytes of names and lines in one answer. */
  bytes: 64 * 1024,
  /** UTF-16 units of a line that are shown. */
  lineCharacters: 500,
  context: 20,
  /** Of files that must be read whole: UTF-16, and any with a pattern over lines. */
  fileBytes: 32 * 1024 * 1024,
  /** Lines over this are searched in pieces. */
  lineBytes: 16 * 1024 * 1024,
  depth: 32,
  /** Files that one thread takes at a time. */
  batchFiles: 256,
  /** When an answer is full, matches are counted in this many files at least, and paths among so many. */
  countedFiles: 10_240,
  countedPaths: 200_000,
} as const;

export const limitOf = (asked: number | undefined, usual: number, most: number): number =>
  Math.min(Math.max(1, Math.trunc(asked ?? usual)), most);
