import { clipUtf8 } from "../../base/index.js";
import type { Entry } from "../../schema/index.js";
import { CborEncoder } from "../bytes/index.js";

/** What listing shows of a session's content. Also a difference: what a run of entries adds to an earlier one. */
export interface SummaryFields {
  readonly name?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly turns?: number;
  readonly firstPrompt?: string;
  readonly lastText?: string;
}

/** Bytes each text of a summary is cut to; together they stay below the 4 KiB a SUMMARY body may have. */
const TEXT_BYTES = 512;
const CWD_BYTES = 1024;
export const MAX_SUMMARY_BYTES = 4096;

/** A character takes at most three bytes for each of its units. */
const clip = (text: string, maxBytes: number): string =>
  text.length * 3 <= maxBytes ? text : clipUtf8(text.slice(0, maxBytes * 2), maxBytes).text;

/** The summary after one more entry. */
export function foldSummary(summary: SummaryFields, entry: Entry): SummaryFields {
  if (entry.type === "session-info") {
    return {
      ...summary,
      ...(entry.name === undefined ? {} : { name: clip(entry.name, TEXT_BYTES) }),
      ...(entry.cwd === undefined ? {} : { cwd: clip(entry.cwd, CWD_BYTES) }),
    };
  }
  if (entry.type === "user-message" && entry.source === "prompt") {
    return { ...summary, turns: (summary.turns ?? 0) + 1, firstPrompt: summary.firstPrompt ?? clip(entry.text, TEXT_BYTES) };
  }
  if (entry.type !== "assistant") return summary;
  return {
    ...summary,
    model: clip(`${entry.dispatch.provider}/${entry.dispatch.model}`, TEXT_BYTES),
    ...(entry.text === "" ? {} : { lastText: clip(entry.text, TEXT_BYTES) }),
  };
}

/** Joins what was known before with what came after. */
export function joinSummary(before: SummaryFields, after: SummaryFields): SummaryFields {
  const firstPrompt = before.firstPrompt ?? after.firstPrompt;
  const turns = (before.turns ?? 0) + (after.turns ?? 0);
  return { ...before, ...after, ...(firstPrompt === undefined ? {} : { firstPrompt }), ...(turns === 0 ? {} : { turns }) };
}

/** Body of a SUMMARY frame: one canonical CBOR map of at most 4 KiB. */
export function encodeSummary(summary: SummaryFields): Buffer {
  const cbor = new CborEncoder();
  cbor.encodeFields({
    cwd: summary.cwd,
    name: summary.name,
    model: summary.model,
    turns: summary.turns,
    lastText: summary.lastText,
    firstPrompt: summary.firstPrompt,
  });
  return Buffer.from(cbor.run.bytes.subarray(0, cbor.run.length));
}
