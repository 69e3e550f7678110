import type { CallId, EffectId, EntryId, IdSource, JsonValue, RequestId, SubmissionId, WorkId } from "../../../src/base/index.js";
import type { Entry, MutationState, StateEntry, SubmissionEntry, WorkEntry } from "../../../src/schema/index.js";

const time = 1_700_000_000_000;

/** Short makers of bookkeeping entries, each with a fresh id. */
export function workEntries(ids: IdSource) {
  const base = () => ({ id: ids.next<EntryId>(), time });
  return {
    work: (work: WorkId, state: WorkEntry["state"], more: Partial<Pick<WorkEntry, "parentWork" | "checkpoint">> = {}): Entry => ({
      type: "work",
      ...base(),
      work,
      state,
      ...more,
    }),
    submission: (submission: SubmissionId, work: WorkId, key?: string): SubmissionEntry => ({
      type: "submission",
      ...base(),
      submission,
      work,
      delivery: "turn",
      text: "do it",
      ...(key === undefined ? {} : { key }),
    }),
    queue: (submission: SubmissionId, operation: "enqueue" | "deliver" | "withdraw"): Entry => ({
      type: "queue",
      ...base(),
      submission,
      operation,
    }),
    receipt: (submission: SubmissionId, work: WorkId): Entry => ({
      type: "receipt",
      ...base(),
      submission,
      work,
      status: "ok",
      reason: "done",
    }),
    intent: (effect: EffectId, cause: CallId | RequestId, work?: WorkId): Entry => ({
      type: "effect-intent",
      ...base(),
      effect,
      ...(work === undefined ? {} : { work }),
      cause,
      operation: "fs.write",
      plugin: "p",
      generation: 1,
      input: {},
    }),
    done: (effect: EffectId, outcome: MutationState): Entry => ({ type: "effect-done", ...base(), effect, outcome, output: null }),
    reconciled: (effect: EffectId): Entry => ({ type: "reconciled", ...base(), effect, outcome: "applied" }),
    result: (call: CallId, work: WorkId): Entry => ({
      type: "tool-result",
      ...base(),
      work,
      call,
      name: "t",
      text: "done",
      isError: false,
      mutation: "applied",
      omittedBytes: 0,
    }),
    put: (key: string, value: JsonValue, more: Partial<Pick<StateEntry, "work" | "fork" | "inherited">> = {}): StateEntry => ({
      type: "state",
      ...base(),
      owner: "core",
      key,
      version: 1,
      fork: "fresh",
      operation: "put",
      value,
      ...more,
    }),
    drop: (key: string): StateEntry => ({
      type: "state",
      ...base(),
      owner: "core",
      key,
      version: 1,
      fork: "fresh",
      operation: "delete",
    }),
  };
}
