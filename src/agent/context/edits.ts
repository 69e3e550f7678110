import { type EntryId, err, ok, type Result, shortId } from "../../base/index.js";
import type { ContextEditEntry, Diagnostic, HistoryEntry } from "../../schema/index.js";
import { editInvalid, editTarget } from "../diagnostics.js";
import type { ContextEditRequest } from "../facts.js";
import { type Breach, type Edit, type Editable, EditLedger } from "./edit-ledger.js";
import { retained } from "./retained.js";

/** A context edit that is not recorded yet. */
export type ContextEditDraft = Omit<ContextEditEntry, "id" | "parent" | "time">;

/** The edits in force at the end of what is retained of a branch. Stored batches that would break the context are passed over. */
export function ledgerOf(history: readonly HistoryEntry[]): EditLedger {
  const { start, compaction } = retained(history);
  const ledger = new EditLedger(compaction !== undefined);
  let batch: ContextEditEntry[] = [];
  for (const entry of history.slice(start)) {
    if (entry.type === "context-edit" && (batch[0] === undefined || batch[0].time === entry.time)) {
      batch.push(entry);
      continue;
    }
    if (batch.length > 0) ledger.apply(batch);
    batch = entry.type === "context-edit" ? [entry] : [];
    ledger.add(entry);
  }
  if (batch.length > 0) ledger.apply(batch);
  return ledger;
}

/**
 * All of the edits as they may be recorded, or why none of them is: each target contributes to the context and may be edited
 * so, and the context that all of them leave together is valid. A later edit of the same target wins. Pure.
 */
export function validateEdits(
  history: readonly HistoryEntry[],
  edits: readonly ContextEditRequest[],
): Result<readonly ContextEditDraft[], Diagnostic> {
  const ledger = ledgerOf(history);
  const last = new Map<EntryId, ContextEditRequest>();
  for (const edit of edits) last.set(edit.target, edit);
  const batch = [...last.values()];
  if (batch.length === 0)
    return err(editInvalid("No edit was given.", "A batch of edits has at least one.", "Name an entry and what to do."));
  for (const edit of batch) {
    const target = ledger.target(edit.target);
    const problem = target === undefined ? notInContext(history, edit.target) : forbidden(edit, target, ledger.editOf(edit.target));
    if (problem !== undefined) return err(problem);
  }
  const breach = ledger.apply(batch);
  if (breach !== undefined) return err(breachOf(breach));
  return ok(
    batch.map(({ target, operation, text }) => ({ type: "context-edit", target, operation, ...(text === undefined ? {} : { text }) })),
  );
}

function notInContext(history: readonly HistoryEntry[], target: EntryId): Diagnostic {
  const entry = history.find(({ id }) => id === target);
  if (entry === undefined)
    return editTarget(target, "It is not there, lies on another branch, or comes before the newest compaction of this one.");
  return entry.type === "tool-call" || entry.type === "tool-result" || entry.type === "user-message" || entry.type === "assistant"
    ? editTarget(target, "It is before the newest compaction, or a part of a batch that is; the model does not see it any more.")
    : editTarget(target, `It is a ${entry.type} entry, which is no message.`);
}

function forbidden(edit: ContextEditRequest, target: Editable, known: Edit | undefined): Diagnostic | undefined {
  const name = `Entry ${shortId(edit.target)}`;
  switch (edit.operation) {
    case "omit":
      return edit.text === undefined
        ? undefined
        : editInvalid(`${name} is to be omitted and has a text.`, "Only a replacement has one.", "Leave the text out, or replace.");
    case "restore":
      if (edit.text !== undefined)
        return editInvalid(`${name} is to be restored and has a text.`, "What comes back is what was recorded.", "Leave the text out.");
      return known === undefined
        ? editInvalid(`${name} is not edited.`, "Only an edit can be taken back.", "Name an entry that is omitted or replaced.")
        : undefined;
    case "replace":
      if (target.type === "tool-call")
        return editInvalid(
          `${name} is a tool call and cannot be replaced.`,
          "What was called is a fact that its result answers.",
          "Omit the call together with its result, or replace the result.",
        );
      return edit.text === undefined || edit.text === ""
        ? editInvalid(`${name} is to be replaced by nothing.`, "A replacement has a text.", "Give a text, or omit the entry.")
        : undefined;
  }
}

function breachOf(breach: Breach): Diagnostic {
  switch (breach.type) {
    case "call-alone":
    case "result-alone": {
      const [gone, left] = breach.type === "call-alone" ? ["result", "call"] : ["call", "result"];
      return editInvalid(
        `The ${gone} of ${breach.call.name} (call entry ${shortId(breach.call.id)}) would be omitted and its ${left} would not.`,
        "Providers refuse a call without its result and a result without its call.",
        "Omit or restore both in one batch.",
      );
    }
    case "calls-left":
      return editInvalid(
        `Answer ${shortId(breach.assistant.id)} would be omitted while its call of ${breach.call.name} (entry ${shortId(breach.call.id)}) stays.`,
        "A call is part of the answer that makes it.",
        "Omit the calls of the answer and their results too.",
      );
    case "no-input":
      return editInvalid("No input would be left.", "A request needs one.", "Keep an input, or replace its text.");
    case "answer-first":
      return editInvalid(
        "The conversation would begin with an answer.",
        "A request begins with input.",
        "Omit the answer too, or replace the input's text.",
      );
  }
}
