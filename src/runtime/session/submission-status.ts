import { type Result, err, ok, type SessionId, type SubmissionId } from "../../base/index.js";
import type { Diagnostic, Entry, ReceiptEntry } from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { receiptInherited, receiptUnknown } from "../diagnostics.js";
import type { RunEnd, SubmissionStatus } from "../types.js";

/**
 * What the file says of a submission. `isRun` tells whether a process is at work on what is open in it. Reads the live
 * state and one receipt; only an id that is neither costs a look at all submissions. Changes nothing.
 */
export async function submissionStatus(
  reader: SessionReader,
  submission: SubmissionId,
  isRun: boolean,
): Promise<Result<SubmissionStatus, Diagnostic>> {
  const open = (await reader.live()).submissions.get(submission);
  if (open !== undefined) return ok({ state: open.isQueued ? "queued" : isRun ? "running" : "interrupted" });
  const receipt = await reader.receipt(submission);
  if (receipt !== undefined) return ok({ state: "settled", end: await recordedEnd(reader, receipt) });
  const source = await sourceOf(reader, submission);
  return err(source === undefined ? receiptUnknown(reader.id, submission) : receiptInherited(submission, source.session));
}

const ENDING = new Set<Entry["type"]>(["submission", "assistant", "tool-result", "receipt"]);

/** The end as recorded, with the reply that was recorded with it. What the turn used is in its responses, not in its receipt. */
export async function recordedEnd(reader: SessionReader, receipt: ReceiptEntry): Promise<RunEnd> {
  const { status, reason, error } = receipt;
  return { status, reason, reply: await replyBefore(reader, receipt), ...(error === undefined ? {} : { error }) };
}

/** The change that ends a turn holds its last response before its receipts. */
async function replyBefore(reader: SessionReader, receipt: ReceiptEntry): Promise<string> {
  let reply = "";
  for await (const entry of reader.scan(ENDING, { since: receipt.time })) {
    if (entry.id === receipt.id) return reply;
    if (entry.type === "submission" && entry.delivery === "turn") reply = "";
    else if (entry.type === "assistant" && entry.text !== "") reply = entry.text;
    else if (entry.type === "tool-result") reply = entry.details?.done?.finalMessage ?? reply;
  }
  return "";
}

const ADMITTED = new Set<Entry["type"]>(["submission", "user-message", "receipt", "origin"]);

/** The session an inherited submission belongs to: the origin that is recorded next after it. */
async function sourceOf(reader: SessionReader, submission: SubmissionId): Promise<{ readonly session?: SessionId } | undefined> {
  let isFound = false;
  for await (const entry of reader.scan(ADMITTED)) {
    if (entry.type === "origin") {
      if (isFound) return { session: entry.session };
    } else if ("submission" in entry && entry.submission === submission) isFound ||= entry.inherited === true;
  }
  return isFound ? {} : undefined;
}
