import type { CallId, EntryId, SubmissionId, WorkId } from "../../base/index.js";
import type { ContextItem, LifecycleEvent, LifecycleEventType, ModelRef, QueuedItemView } from "../../schema/index.js";

/** Ids in the form of real ones. The last group begins with the kind of the thing, so that no two are alike. */
const id = (kind: number): string => `00000000-0000-7000-8000-0${kind}0000000001`;

const WORK = id(1) as WorkId;
const CALL = id(2) as CallId;
const SUBMISSION = id(3) as SubmissionId;
const ENTRY = id(4) as EntryId;
const MODEL: ModelRef = { provider: "test", model: "test-model" };
const CWD = "/workspace";

/** An event of each type as a test gets it where it says nothing else: a turn of a person at work, nothing gone wrong. */
export const EVENT_DEFAULTS: { readonly [Type in LifecycleEventType]: Extract<LifecycleEvent, { readonly type: Type }> } = {
  "session-opened": { type: "session-opened", cwd: CWD, trusted: true, resumed: false, mode: "auto" },
  "input-admitted": { type: "input-admitted", submission: SUBMISSION, text: "", delivery: "turn" },
  "turn-started": { type: "turn-started", work: WORK, submission: SUBMISSION, text: "" },
  "request-prepared": { type: "request-prepared", work: WORK, round: 1, model: MODEL, tools: [], context: [], tokens: 0 },
  "round-settled": { type: "round-settled", work: WORK, round: 1, stop: "stop", text: "", calls: [] },
  "tool-proposed": {
    type: "tool-proposed",
    work: WORK,
    call: CALL,
    tool: "tool",
    plugin: "test.tool",
    readOnly: false,
    args: {},
    cwd: CWD,
    mode: "auto",
    interactive: true,
  },
  "permission-answered": { type: "permission-answered", call: CALL, tool: "tool", verdict: "once", rule: "" },
  "tool-settled": {
    type: "tool-settled",
    work: WORK,
    call: CALL,
    tool: "tool",
    args: {},
    isError: false,
    mutation: "not-applied",
    text: "",
    touched: [],
  },
  "queue-due": { type: "queue-due", work: WORK, point: "stop", queue: [] },
  "turn-ended": { type: "turn-ended", work: WORK, status: "ok", reason: "done", reply: "", rounds: 1 },
  "compaction-proposed": { type: "compaction-proposed", by: "", firstKept: ENTRY, summary: "" },
  "compaction-settled": { type: "compaction-settled", by: "", firstKept: ENTRY, tokensBefore: 0 },
  "model-changed": { type: "model-changed", from: MODEL, to: { provider: "test", model: "other-model" }, by: "" },
  idle: { type: "idle" },
  closing: { type: "closing" },
};

type CallView = Extract<LifecycleEvent, { type: "round-settled" }>["calls"][number];

/** One item of each list of an event whose items have ids, without its id. */
interface ItemDefaults {
  readonly context: { readonly id: "entry"; readonly item: Omit<ContextItem, "entry"> };
  readonly queue: { readonly id: "submission"; readonly item: Omit<QueuedItemView, "submission"> };
  readonly calls: { readonly id: "call"; readonly item: Omit<CallView, "call"> };
}

export const ITEM_DEFAULTS: ItemDefaults = {
  context: { id: "entry", item: { role: "user", units: 0, head: "" } },
  queue: { id: "submission", item: { delivery: "follow-up", text: "" } },
  calls: { id: "call", item: { name: "tool" } },
};
