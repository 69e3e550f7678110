import type { EntryId, SessionId } from "../../../base/index.js";
import type { Entry, Spend, ToolCallEntry, ToolResultEntry } from "../../../schema/index.js";

/** Something of the branch could not be read; told at its place in the document. */
export interface ExportGap {
  readonly type: "gap";
  readonly what: string;
}

export type ExportItem = Entry | ExportGap;

/** What a document says about the session as a whole; made by `collectFacts` from one pass over the same branch. */
export interface ExportFacts {
  readonly id: SessionId;
  /** Newest name, or the beginning of the first prompt. */
  readonly title: string;
  readonly cwd?: string;
  /** ms since the epoch, as all times. */
  readonly createdAt: number;
  readonly lastAt?: number;
  /** `provider/model` of every one that answered, in order of first use. */
  readonly models: readonly string[];
  readonly totals: ExportTotals;
  /** Of the smith that renders. */
  readonly version: string;
}

export interface ExportTotals {
  readonly prompts: number;
  readonly answers: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  /** Calls whose effect nobody knows, those without a result included. */
  readonly unknownOutcomes: number;
  /** Entries that came with a fork or an import. */
  readonly inherited: number;
  /** Of all that is shown, inherited or not. */
  readonly spend: Spend;
}

/** One branch to be rendered. `entries`: oldest first, read once. */
export interface ExportDocument {
  readonly entries: AsyncIterable<ExportItem>;
  readonly facts: ExportFacts;
}

/** A call with its result, which follow each other in the history with other calls between them. */
export interface ToolBlock {
  readonly type: "tool";
  readonly call: ToolCallEntry | undefined;
  /** Absent when none is recorded on this branch. */
  readonly result: ToolResultEntry | undefined;
  /** The arguments in a few words. */
  readonly summary: string;
}

export type ShownEntry = Exclude<Entry, { readonly type: "tool-call" | "tool-result" }>;

/** What a renderer shows one after the other. */
export type ExportBlock = ToolBlock | ExportGap | { readonly type: "entry"; readonly entry: ShownEntry };

/** The entry a block is linked by. */
export const anchorOf = (block: ExportBlock): EntryId | undefined => {
  switch (block.type) {
    case "gap":
      return undefined;
    case "tool":
      return block.call?.id ?? block.result?.id;
    case "entry":
      return block.entry.id;
  }
};
