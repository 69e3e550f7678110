import type { JsonValue } from "../../base/index.js";
import type { Question } from "../ui.js";
import type {
  FsChangeOutput,
  FsEditInput,
  FsListInput,
  FsListOutput,
  FsPatchInput,
  FsPatchOutput,
  FsReadInput,
  FsReadOutput,
  FsStatOutput,
  FsWriteInput,
} from "./files.js";
import type { JobInfo, JobInput, JobOutput, JobOutputInput } from "./job.js";
import type { McpCallInput, McpCallOutput, McpContent, McpPromptOutput, McpResourceInfo, McpServerView } from "./mcp.js";
import type { ProcessInput, ProcessOutput } from "./process.js";
import type { FindInput, FindOutput, GrepInput, GrepOutput } from "./search.js";
import type { SubAgentInput, SubAgentOutput } from "./sub-agent.js";
import type {
  EvaluateInput,
  FetchInput,
  FetchOutput,
  FormerValue,
  ResourceInput,
  StateInput,
  TextDiffInput,
  TextDiffOutput,
  VcsStatusOutput,
} from "./work.js";

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
    /** `isPlain`: the page could not be taken apart; these are its words without structure. */
    readonly output: { readonly markdown: string; readonly title?: string; readonly isPlain?: boolean };
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
  /** Why it cannot be offered, in a sentence for the model: it needs something that is not here. */
  readonly lacks?: string;
}

/** Name of an operation. */
export type SdkOperation = keyof SdkOperations;
