import type { JsonValue } from "../base/index.js";
import type { StateScope } from "./action.js";
import type { JobInfo, JobInput, JobOutput, JobOutputInput } from "./job.js";
import type { McpCallInput, McpCallOutput, McpContent, McpPromptOutput, McpResourceInfo, McpServerView } from "./mcp.js";
import type { SubAgentInput, SubAgentOutput } from "./sub-agent.js";
import type { ImageRef } from "./tool.js";
import type { Question } from "./ui.js";

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
  /** A patch of one or several files: all of it fits, or nothing is changed. */
  readonly "fs.patch": { readonly input: FsPatchInput; readonly output: FsPatchOutput };
  /** What a folder holds, as deep as asked, without what the repository ignores unless asked for. */
  readonly "fs.list": { readonly input: FsListInput; readonly output: FsListOutput };
  /** Paths that match a glob. */
  readonly "search.find": { readonly input: FindInput; readonly output: FindOutput };
  /** Lines that match, with the lines around them. */
  readonly "search.grep": { readonly input: GrepInput; readonly output: GrepOutput };
  /** What a path is. One that is not there is an answer, too. */
  readonly "fs.stat": { readonly input: { readonly path: string }; readonly output: FsStatOutput };
  /** A shell command line, or one program with its arguments and no shell. */
  readonly "process.run": { readonly input: ProcessInput; readonly output: ProcessOutput };
  /** Begins a command line that runs beside the conversation, until it ends, is ended, or the session is closed. */
  readonly "process.start": { readonly input: JobInput; readonly output: JobInfo };
  /** The jobs of this session, ended ones too, in the order they were started. */
  readonly "process.jobs": { readonly input: Readonly<Record<never, never>>; readonly output: { readonly jobs: readonly JobInfo[] } };
  /** What a job has printed. */
  readonly "process.output": { readonly input: JobOutputInput; readonly output: JobOutput };
  /** Ends a job with everything it started. One that has ended stays as it is. */
  readonly "process.kill": { readonly input: { readonly job: string }; readonly output: JobOutput };
  /** One HTTP exchange. Redirects are followed and checked against the grant again; a response of any status is an answer. */
  readonly "net.fetch": { readonly input: FetchInput; readonly output: FetchOutput };
  /** JavaScript in a fresh sandbox of its own: JSON in, JSON out, no effects. `source` is the body of a function of `input`. */
  readonly "evaluate.run": { readonly input: EvaluateInput; readonly output: { readonly value: JsonValue } };
  /** Branch, last commit and changes of the repository. */
  readonly "vcs.status": { readonly input: { readonly path?: string }; readonly output: VcsStatusOutput };
  /** Unified diff of the working tree against the last commit. */
  readonly "vcs.diff": {
    readonly input: { readonly path?: string };
    readonly output: { readonly diff: string; readonly truncated: boolean };
  };
  /** `former` is there, and `value` null, where another version of the value's format was stored. */
  /** The value of a key the manifest declares. */
  readonly "state.get": {
    readonly input: StateInput;
    readonly output: { readonly value: JsonValue | null; readonly former?: FormerValue };
  };
  /** Stores a value; durable when it resolves. */
  readonly "state.put": { readonly input: StateInput & { readonly value: JsonValue }; readonly output: { readonly stored: true } };
  /** Forgets a value. */
  readonly "state.delete": { readonly input: StateInput; readonly output: { readonly existed: boolean } };
  /** Hands a secret over: it is recorded without its value, and `reference` stands for it in this session, for this plugin. */
  readonly "secrets.keep": {
    readonly input: { readonly name: string; readonly value: string };
    readonly output: { readonly reference: string };
  };
  /** Asks a person for text. Null: they would not say. */
  readonly "ui.ask": {
    readonly input: Omit<Extract<Question, { type: "ask" }>, "type">;
    readonly output: { readonly text: string | null };
  };
  /** Has a person choose. Null: they would not say. */
  readonly "ui.choose": {
    readonly input: Omit<Extract<Question, { type: "choose" }>, "type">;
    readonly output: { readonly values: readonly string[] | null };
  };
  /** Asks a person yes or no. Null: they would not say. */
  readonly "ui.confirm": {
    readonly input: Omit<Extract<Question, { type: "confirm" }>, "type">;
    readonly output: { readonly yes: boolean | null };
  };
  /** Text of a resource the plugin declared, or of a file beside it. */
  readonly "resource.read": { readonly input: ResourceInput; readonly output: { readonly path: string; readonly text: string } };
  /** At most the invocation's own time. */
  readonly "clock.sleep": { readonly input: { readonly ms: number }; readonly output: { readonly now: number } };
  /** The time now, on record. */
  readonly "clock.now": { readonly input: Readonly<Record<never, never>>; readonly output: { readonly now: number } };
  /** Up to 1,024 random bytes. */
  readonly "entropy.bytes": { readonly input: { readonly count: number }; readonly output: { readonly base64: string } };
  /** Unified diff of two texts, at the host's speed. */
  readonly "text.diff": { readonly input: TextDiffInput; readonly output: TextDiffOutput };
  /** HTML as Markdown: what a reader sees, without scripts, styles and navigation. */
  readonly "text.markdown": {
    readonly input: { readonly html: string; readonly url?: string };
    readonly output: { readonly markdown: string; readonly title?: string };
  };
  /** Servers of the Model Context Protocol and what is known of them. */
  readonly "mcp.servers": {
    readonly input: Readonly<Record<never, never>>;
    readonly output: { readonly servers: readonly McpServerView[] };
  };
  /** Calls a tool of a server. Never sent a second time. */
  readonly "mcp.call": { readonly input: McpCallInput; readonly output: McpCallOutput };
  /** Reads a resource. */
  readonly "mcp.read": {
    readonly input: { readonly server: string; readonly uri: string };
    readonly output: { readonly content: readonly McpContent[]; readonly omitted: number };
  };
  /** What a server has to read: at most 1,000, templates with their braces. */
  readonly "mcp.resources": {
    readonly input: { readonly server: string };
    readonly output: { readonly resources: readonly McpResourceInfo[]; readonly truncated: boolean };
  };
  /** Renders a prompt of a server. */
  readonly "mcp.prompt": {
    readonly input: { readonly server: string; readonly prompt: string; readonly args?: Readonly<Record<string, string>> };
    readonly output: McpPromptOutput;
  };
  /** Connects a server again, now: after it failed, or where a person has to sign in. */
  readonly "mcp.reconnect": { readonly input: { readonly server: string }; readonly output: McpServerView };
  /** Tools of the session that are not offered until a search names them. */
  readonly "tools.searchable": {
    readonly input: Readonly<Record<never, never>>;
    readonly output: { readonly tools: readonly SearchableTool[] };
  };
  /** Has another agent do a piece of work, and waits for its answer. */
  readonly "agent.run": { readonly input: SubAgentInput; readonly output: SubAgentOutput };
}

/** A tool as a search finds it. */
export interface SearchableTool {
  readonly name: string;
  readonly description: string;
  /** Names of its arguments. */
  readonly args: readonly string[];
  /** Whether it is offered already. */
  readonly offered: boolean;
}

/** Name of an operation. */
export type SdkOperation = keyof SdkOperations;

/** Which lines of which file. */
export interface FsReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Lines of a text, an image, or that it is neither. */
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
      /** `pdf`: the text layer of a PDF, page by page. */
      readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "pdf";
      /** Bytes that are no characters of the encoding, each run of them shown as U+FFFD. */
      readonly invalid?: { readonly count: number; readonly firstLine: number };
      /** NUL characters, shown as U+2400. */
      readonly nul?: { readonly count: number; readonly firstLine: number };
    }
  | {
      readonly type: "image";
      readonly path: string;
      readonly image: ImageRef;
      readonly totalBytes: number;
    }
  /** `what`: what its bytes look like (`zip archive`), where that is known. */
  | { readonly type: "binary"; readonly path: string; readonly totalBytes: number; readonly what?: string }
  /** `names`: the first of them in order, folders with a slash behind. `isCounted` is false where there are more than `entries`. */
  | {
      readonly type: "directory";
      readonly path: string;
      readonly entries: number;
      readonly names?: readonly string[];
      readonly isCounted?: false;
    };

/** A file and all of its new content. */
export interface FsWriteInput {
  readonly path: string;
  readonly content: string;
}

/** Replacements in one file. */
export interface FsEditInput {
  readonly path: string;
  readonly edits: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
}

/** A patch as text. `auto`: told by how it begins. */
export interface FsPatchInput {
  readonly patch: string;
  /** `unified`: as `diff -u` and git write it. `begin-patch`: the envelope of `*** Begin Patch`. Default `auto`. */
  readonly form?: "auto" | "unified" | "begin-patch";
  /** Filled in by the host, for its record: which real file each name in the patch was found to be. Nothing a plugin gives here is kept. */
  readonly files?: readonly { readonly named: string; readonly path: string }[];
}

/** What a patch did, file by file. */
export interface FsPatchOutput {
  readonly files: readonly (FsChangeOutput & {
    readonly action: "created" | "changed" | "deleted" | "moved";
    /** Where it was before it was moved. */
    readonly from?: string;
  })[];
}

/** What a change did to a file. */
export interface FsChangeOutput {
  readonly path: string;
  readonly created: boolean;
  /** Unified diff of the bytes really changed, decoded as text, bounded. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly replacements: number;
  /** It replaced content that this session had neither read nor written before. */
  readonly replacedUnseen?: boolean;
}

/** Which folder, and how deep. */
export interface FsListInput {
  readonly path?: string;
  readonly depth?: number;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

/** What is in it, by name. */
export interface FsListOutput {
  readonly path: string;
  readonly items: readonly {
    readonly name: string;
    readonly kind: "file" | "directory" | "link" | "other";
    /** Of a file. */
    readonly bytes?: number;
    /** Names in a folder that is listed and not entered. */
    readonly entries?: number;
  }[];
  readonly truncated: boolean;
  readonly ignoredCount: number;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly items: number; readonly isExact: boolean };
}

/** Which paths. */
export interface FindInput {
  /** Glob, matched against workspace-relative paths; a bare name matches at any depth. */
  readonly pattern: string;
  readonly path?: string;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
  /** Names that begin with a dot, too. Default true. */
  readonly includeHidden?: boolean;
  /** Only these; default files. */
  readonly kind?: "file" | "directory" | "any";
}

/** The paths found; `notes` say what was not looked at. */
export interface FindOutput {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly paths: number; readonly isExact: boolean };
  readonly notes: readonly string[];
}

/** Which lines of which files. */
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
  /** Names that begin with a dot, too. Default true. */
  readonly includeHidden?: boolean;
  /** Kinds of files by name: `ts`, `py`, `md` … */
  readonly fileType?: string;
  /** The pattern may match across lines; `.` matches line ends too. */
  readonly multiline?: boolean;
  /** Whole words only. */
  readonly word?: boolean;
  /** What is wanted of each file: the lines, its name alone, or how many lines match. Default lines. */
  readonly mode?: "lines" | "files" | "count";
}

/** The lines found, by file; `notes` say what was not looked at. */
export interface GrepOutput {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly {
      readonly line: number;
      readonly text: string;
      readonly match: boolean;
      /** `text` is a window into a longer line: the line's whole length and where the window starts, in UTF-16 units. */
      readonly cut?: { readonly length: number; readonly from: number };
    }[];
    /** Lines of it that match, where they are counted. */
    readonly count?: number;
  }[];
  /** Of what is shown: matching lines, or files where only names are asked for. */
  readonly matchCount: number;
  readonly truncated: boolean;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly matches: number; readonly files: number; readonly isExact: boolean };
  readonly notes: readonly string[];
}

/** What is run, and how. */
export type ProcessInput = ProcessOptions &
  (
    | {
        /** One shell command line, run by the user's `sh` (or `bash` when there). */
        readonly command: string;
      }
    | {
        /** A program by name or path, run without a shell. */
        readonly program: string;
        readonly args?: readonly string[];
      }
  );

/** How a program is run. */
export interface ProcessOptions {
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Added to the environment; only names the grant lists. `{secret:NAME}` stands for a granted secret. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text for its standard input, which is closed after it. Absent: closed at once. */
  readonly stdin?: string;
  /** Gives it a terminal of 120x40 to write to, for programs that need one. Its output is text without control sequences all the same. */
  readonly pty?: boolean;
}

/** What a path is. */
export interface FsStatOutput {
  readonly path: string;
  readonly kind: "file" | "directory" | "other" | "missing";
  readonly bytes?: number;
  /** ms since the epoch. */
  readonly modified?: number;
}

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

/** How a program ended and what it printed. */
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
  /** File with the whole output, absolute, where something was left out of `output`: a reader may read it. */
  readonly outputFile?: string;
}
