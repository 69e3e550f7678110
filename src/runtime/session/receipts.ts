import type { SubmissionId } from "../../base/index.js";
import type { TurnEnd } from "../../agent/index.js";
import type { ReceiptEntry } from "../../schema/index.js";
import type { RunEnd } from "../types.js";

/** Ends remembered with what the file does not say of them: usage, and a reply from before the last response. */
const REMEMBERED_ENDS = 256;

/** The promises behind receipts: one per submission this process works on, resolved at its terminal receipt. */
export interface Receipts {
  /** The same promise however often it is asked for. Resolved when the end is remembered. */
  expect(submission: SubmissionId): Promise<RunEnd>;
  /** Its end is to come in this process, whoever asks for it later. */
  watch(submission: SubmissionId): void;
  /** Whether its end is still to come in this process. */
  isExpected(submission: SubmissionId): boolean;
  /** A newer end that was recorded by this process. */
  ended(submission: SubmissionId): RunEnd | undefined;
  /** It was not admitted after all. */
  forget(submission: SubmissionId): void;
  /** Its end is recorded. */
  settle(submission: SubmissionId, end: RunEnd): void;
  /** Nothing will end in this process any more what is still waited for. Nothing is recorded of it. */
  abandon(end: RunEnd): void;
}

interface Expected {
  readonly end: Promise<RunEnd>;
  readonly resolve: (end: RunEnd) => void;
}

export function createReceipts(): Receipts {
  const waiting = new Map<SubmissionId, Expected>();
  const ends = new Map<SubmissionId, RunEnd>();
  const remember = (submission: SubmissionId, end: RunEnd): void => {
    ends.set(submission, end);
    const [oldest] = ends.keys();
    if (ends.size > REMEMBERED_ENDS && oldest !== undefined) ends.delete(oldest);
  };
  const watch = (submission: SubmissionId): Expected => {
    const known = waiting.get(submission) ?? expectation();
    waiting.set(submission, known);
    return known;
  };
  return {
    async expect(submission) {
      return ends.get(submission) ?? (await watch(submission).end);
    },
    watch(submission) {
      if (!ends.has(submission)) watch(submission);
    },
    isExpected: (submission) => waiting.has(submission),
    ended: (submission) => ends.get(submission),
    forget(submission) {
      waiting.delete(submission);
    },
    settle(submission, end) {
      // Without storage nothing was recorded: what the file says is still to be found out.
      if (end.reason !== "storage") remember(submission, end);
      waiting.get(submission)?.resolve(end);
      waiting.delete(submission);
    },
    abandon(end) {
      for (const { resolve } of waiting.values()) resolve(end);
      waiting.clear();
    },
  };
}

function expectation(): Expected {
  let resolve: Expected["resolve"] = () => undefined;
  const end = new Promise<RunEnd>((settle) => {
    resolve = settle;
  });
  return { end, resolve };
}

export const runEnd = (end: TurnEnd): RunEnd => ({
  status: end.status,
  reason: end.reason,
  reply: end.reply,
  ...end.spend,
  ...(end.error === undefined ? {} : { error: end.error }),
});

/** An end that was recorded without a turn of this process: what is known is in the receipt. */
export const receiptEnd = ({ status, reason, error }: ReceiptEntry): RunEnd => ({
  status,
  reason,
  reply: "",
  ...(error === undefined ? {} : { error }),
});

export const withdrawnEnd: RunEnd = { status: "aborted", reason: "abort", reply: "" };
