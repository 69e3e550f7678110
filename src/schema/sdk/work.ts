import type { JsonValue } from "../../base/index.js";
import type { StateScope } from "../action.js";

/** One HTTP request. */
export interface FetchInput {
  readonly url: string;
  readonly method?: string;
  /** `{secret:NAME}` in a value stands for a granted secret: filled in after the record is made. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
  /** Bytes of the body that are kept; the rest is counted. At most 8 MiB, 1 MiB when left out. */
  readonly maxBytes?: number;
  /** How the body comes back: text (UTF-8, invalid bytes replaced) or base64. Text when left out. */
  readonly as?: "text" | "base64";
}

/** Its answer, of whatever status. */
export interface FetchOutput {
  readonly status: number;
  /** Where it ended after redirects. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly omittedBytes: number;
}

/** A function of `input`, by its body. */
export interface EvaluateInput {
  readonly source: string;
  readonly input?: JsonValue;
  /** At most 10,000; 2,000 when left out. */
  readonly timeoutMs?: number;
}

/** The state of the repository. */
export interface VcsStatusOutput {
  readonly root: string;
  /** Absent on a detached head. */
  readonly branch?: string;
  /** Absent before the first commit. */
  readonly head?: string;
  readonly changes: readonly {
    readonly path: string;
    readonly kind: "modified" | "added" | "deleted" | "renamed" | "untracked" | "conflicted";
  }[];
  readonly truncated: boolean;
}

/** A declared value. */
export interface StateInput {
  readonly key: string;
  readonly scope: StateScope;
}

/** A value in the format of another version than the manifest declares today, as it was stored. */
export interface FormerValue {
  readonly version: number;
  readonly value: JsonValue;
}

/** A collected file, or one beside it. */
export interface ResourceInput {
  /** Kind and name as the manifest and the collection give them. */
  readonly kind: string;
  readonly name: string;
  /** A file beside it, relative to its folder. Absent: the resource itself. */
  readonly path?: string;
}

/** Two texts; `path` names them in the diff. */
export interface TextDiffInput {
  readonly before: string;
  readonly after: string;
  readonly path?: string;
}

/** A unified diff and its size. */
export interface TextDiffOutput {
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
}
