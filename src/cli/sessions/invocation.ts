import type { EntryType, SessionSummary } from "../../schema/index.js";

/** A time as given: fixed, or so many ms before now. */
export type Moment = { readonly type: "at"; readonly ms: number } | { readonly type: "ago"; readonly ms: number };

/** Which entries are wanted. */
export interface KindFilter {
  readonly types: ReadonlySet<EntryType>;
  /** Of answers: their text, the thoughts before it, or both. */
  readonly answers: "text" | "thinking" | "both";
}

/** A session and perhaps an entry of it, each an id or a unique suffix of one. */
export interface PlaceName {
  readonly id: string;
  readonly entry: string | undefined;
}

export interface ListInvocation {
  readonly type: "sessions list";
  readonly json: boolean;
  readonly here: boolean;
  readonly cwd: string | undefined;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
  readonly model: string | undefined;
  readonly name: string | undefined;
  readonly state: SessionSummary["state"] | undefined;
  readonly limit: number | undefined;
  /** What each used is shown too. */
  readonly cost: boolean;
}

export interface GrepInvocation {
  readonly type: "sessions grep";
  readonly pattern: RegExp;
  readonly sessions: readonly string[];
  readonly selectedBranch: boolean;
  readonly kinds: KindFilter | undefined;
  /** `matches`: each line; otherwise one line a session. */
  readonly show: "matches" | "counts" | "sessions";
  readonly json: boolean;
  readonly before: number;
  readonly after: number;
  readonly oldestFirst: boolean;
  readonly maxCount: number | undefined;
}

/** First and last entry, counted from 1; the last may be Infinity. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** A branch by the entry it ends at, or the selected one. */
export type BranchName = "selected" | { readonly entry: string };

export type GetView =
  | { readonly type: "cost" }
  | {
      readonly type: "entries";
      readonly branch: BranchName | undefined;
      readonly range: EntryRange;
      readonly kinds: KindFilter | undefined;
      readonly follow: boolean;
    }
  | { readonly type: "projected"; readonly branch: BranchName }
  | { readonly type: "request"; readonly which: number | string };

export interface GetInvocation {
  readonly type: "sessions get";
  readonly json: boolean;
  readonly id: string;
  readonly view: GetView;
}

export interface ExportInvocation {
  readonly type: "sessions export";
  readonly id: string;
  readonly format: "jsonl" | "md" | "html";
  readonly branch: BranchName;
  /** Absent: standard output. */
  readonly output: string | undefined;
  readonly force: boolean;
}

export interface ImportInvocation {
  readonly type: "sessions import";
  readonly json: boolean;
  /** `-` is standard input. */
  readonly file: string;
  readonly asNew: boolean;
}

export interface VerifyInvocation {
  readonly type: "sessions verify";
  readonly json: boolean;
  readonly ids: readonly string[] | "all";
}

export interface RepairInvocation {
  readonly type: "sessions repair";
  readonly json: boolean;
  readonly id: string;
}

export interface ForkInvocation {
  readonly type: "sessions fork";
  readonly json: boolean;
  readonly source: PlaceName;
  readonly name: string | undefined;
}

export interface RenameInvocation {
  readonly type: "sessions rename";
  readonly id: string;
  readonly name: string;
}

export interface DeleteInvocation {
  readonly type: "sessions delete";
  readonly ids: readonly string[];
  readonly yes: boolean;
}

export interface ReconcileInvocation {
  readonly type: "sessions reconcile";
  readonly json: boolean;
  readonly id: string;
  /** Absent: the effects of unknown outcome are listed. */
  readonly word: { readonly effect: string; readonly outcome: "applied" | "not-applied"; readonly note: string | undefined } | undefined;
}

export type SessionsInvocation =
  | ListInvocation
  | GrepInvocation
  | GetInvocation
  | ExportInvocation
  | ImportInvocation
  | VerifyInvocation
  | RepairInvocation
  | ForkInvocation
  | RenameInvocation
  | DeleteInvocation
  | ReconcileInvocation;
