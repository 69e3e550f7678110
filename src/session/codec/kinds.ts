import type { Entry, EntryType } from "../../schema/index.js";
import { FLAG } from "./record.js";

export type KnownType = Exclude<EntryType, "unknown">;

const HISTORY = FLAG.history;
const SPOKEN = FLAG.history | FLAG.context;
const CRITICAL = FLAG.projectionCritical;

/** Kind number and flags of every entry type (format document, "Record kinds"). Never renumbered. */
export const KINDS: { readonly [Type in KnownType]: { readonly kind: number; readonly flags: number } } = {
  "user-message": { kind: 1, flags: SPOKEN },
  assistant: { kind: 2, flags: SPOKEN },
  "tool-call": { kind: 3, flags: SPOKEN },
  "tool-result": { kind: 4, flags: SPOKEN },
  compaction: { kind: 5, flags: SPOKEN | CRITICAL },
  "context-edit": { kind: 6, flags: HISTORY | CRITICAL },
  "session-info": { kind: 10, flags: HISTORY },
  prompt: { kind: 12, flags: HISTORY | CRITICAL },
  leaf: { kind: 13, flags: FLAG.live },
  origin: { kind: 14, flags: 0 },
  lost: { kind: 15, flags: HISTORY },
  submission: { kind: 16, flags: FLAG.live },
  queue: { kind: 17, flags: FLAG.live },
  work: { kind: 18, flags: FLAG.live },
  receipt: { kind: 19, flags: FLAG.live },
  state: { kind: 20, flags: FLAG.live },
  "branch-state": { kind: 21, flags: HISTORY },
  invocation: { kind: 22, flags: 0 },
  actions: { kind: 23, flags: 0 },
  "effect-intent": { kind: 24, flags: FLAG.live },
  "effect-done": { kind: 25, flags: FLAG.live },
  reconciled: { kind: 26, flags: FLAG.live },
  request: { kind: 28, flags: CRITICAL },
};

const BY_KIND: ReadonlyMap<number, KnownType> = new Map(
  (Object.keys(KINDS) as KnownType[]).map((type) => [KINDS[type].kind, type] as const),
);

/** The entry type a kind number decodes to; `unknown` for kinds of later versions. */
export const typeOfKind = (kind: number): EntryType => BY_KIND.get(kind) ?? "unknown";

type Field<Type extends EntryType, Key extends string> =
  Extract<Entry, { readonly type: Type }> extends { readonly [K in Key]: infer Value extends string } ? Value : never;

/** A closed set of words as small numbers; 0 is never used, so a forgotten field cannot read as a word. */
export interface WordCode<Word extends string> {
  readonly encode: (word: Word) => number;
  /** `undefined` for a number no word has. */
  readonly decode: (code: number) => Word | undefined;
}

function wordCode<Word extends string>(codes: { readonly [W in Word]: number }): WordCode<Word> {
  const words = new Map<number, Word>();
  for (const word of Object.keys(codes) as Word[]) words.set(codes[word], word);
  return { encode: (word) => codes[word], decode: (code) => words.get(code) };
}

export const SOURCE = wordCode<Field<"user-message", "source">>({ prompt: 1, steer: 2, "follow-up": 3, notice: 4 });
export const STOP = wordCode<Field<"assistant", "stop">>({
  stop: 1,
  "tool-use": 2,
  limit: 3,
  refusal: 4,
  "content-filter": 5,
  aborted: 6,
  failed: 7,
});
export const OUTCOME = wordCode<Field<"effect-done", "outcome">>({ applied: 1, "not-applied": 2, unknown: 3 });
export const EDIT = wordCode<Field<"context-edit", "operation">>({ omit: 1, replace: 2, restore: 3 });
export const STATE = wordCode<Field<"state", "operation">>({ put: 1, delete: 2 });
export const ORIGIN = wordCode<Field<"origin", "how">>({ fork: 1, import: 2 });
export const DELIVERY = wordCode<Field<"submission", "delivery">>({ turn: 1, steer: 2, "follow-up": 3 });
export const QUEUE = wordCode<Field<"queue", "operation">>({ enqueue: 1, deliver: 2, withdraw: 3 });
export const WORK = wordCode<Field<"work", "state">>({
  created: 1,
  running: 2,
  waiting: 3,
  blocked: 4,
  "cancel-requested": 5,
  settled: 6,
});
export const STATUS = wordCode<Field<"receipt", "status">>({ ok: 1, aborted: 2, error: 3, stalled: 4, maxTurns: 5, limit: 6 });
export const REASON = wordCode<Field<"receipt", "reason">>({
  done: 1,
  rounds: 2,
  tree: 3,
  tokens: 4,
  cost: 5,
  deadline: 6,
  stall: 7,
  abort: 8,
  provider: 9,
  storage: 10,
  bug: 11,
  policy: 12,
});
export const TRIGGER = wordCode<Extract<Entry, { readonly type: "invocation" }>["trigger"]["type"]>({ event: 1, command: 2, tool: 3 });
