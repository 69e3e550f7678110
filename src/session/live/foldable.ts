import type { CallId } from "../../base/index.js";
import type { EntryType } from "../../schema/index.js";
import type { RecordView } from "../codec/index.js";
import { FLAG, INPUT_SOURCE, KINDS, SUB_USAGE, typeOfKind } from "../codec/index.js";
import type { Foldable } from "./fold.js";

/** Entries that are decoded to be folded. All others mean nothing here, or are told by their record alone. */
const FOLDED: ReadonlySet<EntryType> = new Set<EntryType>([
  "assistant",
  "compaction",
  "session-info",
  "origin",
  "submission",
  "queue",
  "work",
  "receipt",
  "state",
  "effect-intent",
  "effect-done",
  "reconciled",
]);

/** What folding must know of a record: its entry, something of its fields, or nothing. Asks for `sub` only where it depends on that. */
export function foldingOf(type: EntryType, sub: () => number): "entry" | "record" | "nothing" {
  if (type === "user-message") return "record";
  if (type === "tool-result") return (sub() & SUB_USAGE) === 0 ? "record" : "entry";
  return FOLDED.has(type) ? "entry" : "nothing";
}

/** Of inputs and tool results the record alone says enough, whatever became of their payloads; all but what a tool reports of usage. */
export function foldableOf({ kind, flags, sub, pairing }: Pick<RecordView, "kind" | "flags" | "sub" | "pairing">): Foldable | undefined {
  const inherited = (flags & FLAG.source) === 0 ? {} : { inherited: true as const };
  if (typeOfKind(kind) === "user-message") {
    const source = INPUT_SOURCE.decode(sub);
    return source === undefined ? undefined : { type: "user-message", source, ...inherited };
  }
  // The pairing field of a tool result is its call (format document, "Record kinds").
  return pairing === undefined ? undefined : { type: "tool-result", call: pairing as CallId, ...inherited };
}

/** Facts of their own, kept whatever became of their neighbours: evidence of effects is never taken back. */
const EVIDENCE: ReadonlySet<number> = new Set([KINDS["effect-intent"].kind, KINDS["effect-done"].kind, KINDS.reconciled.kind]);

/** Whether a record is queue, work, receipt or state: those of one change count together or not at all, because half a transition is none. */
export const isTransition = ({ kind, flags }: Pick<RecordView, "kind" | "flags">): boolean =>
  (flags & FLAG.live) !== 0 && !EVIDENCE.has(kind);
