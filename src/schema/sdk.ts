/**
 * The host operations a plugin may ask for: names, inputs, outputs. One table shared by the guest SDK (types), the
 * gateway (grants) and the effect facilities (implementation). Every one of them goes through the effect ledger.
 */
export interface SdkOperations {
  /** Text window of a file. `offset` is the first line, 1-based. Identifies binary content instead of returning it. */
  readonly "fs.read": { readonly input: FsReadInput; readonly output: FsReadOutput };
  /** Creates or replaces a file atomically; parents are made. Keeps mode; links stay links. */
  readonly "fs.write": { readonly input: FsWriteInput; readonly output: FsChangeOutput };
  /** All replacements or none, against the file as it is on disk; exact matches, each unique unless `all`. */
  readonly "fs.edit": { readonly input: FsEditInput; readonly output: FsChangeOutput };
  readonly "fs.list": { readonly input: FsListInput; readonly output: FsListOutput };
  readonly "search.find": { readonly input: FindInput; readonly output: FindOutput };
  readonly "search.grep": { readonly input: GrepInput; readonly output: GrepOutput };
  readonly "process.run": { readonly input: ProcessInput; readonly output: ProcessOutput };
}

export type SdkOperation = keyof SdkOperations;

export interface FsReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export type FsReadOutput =
  | {
      readonly type: "text";
      readonly path: string;
      /** The lines shown, without terminators. A line over the line bound is cut and told in `cutLines`. */
      readonly lines: readonly string[];
      readonly firstLine: number;
      readonly totalLines: number;
      readonly totalBytes: number;
      /** 1-based line numbers that are shown cut, with their whole length in characters. */
      readonly cutLines: readonly { readonly line: number; readonly length: number }[];
      /** Lines after the last one shown that were left out for the byte bound or the limit. */
      readonly truncated: boolean;
      readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
    }
  | {
      readonly type: "image";
      readonly path: string;
      readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
      readonly base64: string;
      readonly totalBytes: number;
    }
  | { readonly type: "binary"; readonly path: string; readonly totalBytes: number };

export interface FsWriteInput {
  readonly path: string;
  readonly content: string;
}

export interface FsEditInput {
  readonly path: string;
  readonly edits: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
}

export interface FsChangeOutput {
  readonly path: string;
  readonly created: boolean;
  /** Unified diff of the bytes really changed, decoded as text, bounded. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly replacements: number;
}

export interface FsListInput {
  readonly path?: string;
  readonly depth?: number;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

export interface FsListOutput {
  readonly path: string;
  readonly items: readonly { readonly name: string; readonly kind: "file" | "directory" | "link" | "other"; readonly bytes?: number }[];
  readonly truncated: boolean;
  readonly ignoredCount: number;
}

export interface FindInput {
  /** Glob, matched against workspace-relative paths; a bare name matches at any depth. */
  readonly pattern: string;
  readonly path?: string;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

export interface FindOutput {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

export interface GrepInput {
  readonly pattern: string;
  /** Plain text instead of a regular expression. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly glob?: string;
  readonly context?: number;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

export interface GrepOutput {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { readonly line: number; readonly text: string; readonly match: boolean }[];
  }[];
  readonly matchCount: number;
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

export interface ProcessInput {
  /** One shell command line, run by the user's `sh` (or `bash` when there). */
  readonly command: string;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

export interface ProcessOutput {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** stdout and stderr interleaved as they came; head and tail kept when `omittedBytes` > 0. */
  readonly output: string;
  readonly omittedBytes: number;
  readonly durationMs: number;
  /** A descendant still held an output pipe when the command itself had ended. */
  readonly leftRunning: boolean;
}
