import type { SubmissionId } from "../../base/index.js";
import type { TurnEnd } from "../../agent/index.js";
import type { RunEnd } from "../types.js";

/** The promises behind receipts: one per submission, resolved at its terminal receipt. */
export interface Receipts {
  expect(submission: SubmissionId): Promise<RunEnd>;
  settle(submission: SubmissionId, end: RunEnd): void;
  /** Every one that is still waited for: nothing will end it in this process any more. */
  settleAll(end: RunEnd): void;
}

export function createReceipts(): Receipts {
  const waiting = new Map<SubmissionId, (end: RunEnd) => void>();
  return {
    expect: async (submission) =>
      await new Promise<RunEnd>((resolve) => {
        waiting.set(submission, resolve);
      }),
    settle(submission, end) {
      waiting.get(submission)?.(end);
      waiting.delete(submission);
    },
    settleAll(end) {
      for (const resolve of waiting.values()) resolve(end);
      waiting.clear();
    },
  };
}

export const runEnd = (end: TurnEnd): RunEnd => ({
  status: end.status,
  reason: end.reason,
  reply: end.reply,
  ...(end.usage === undefined ? {} : { usage: end.usage }),
  ...(end.error === undefined ? {} : { error: end.error }),
});

export const withdrawnEnd: RunEnd = { status: "aborted", reason: "abort", reply: "" };
