import type { EntryId, Result } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { ContextTransform, Diagnostic, HistoryEntry, Message } from "../../schema/index.js";
import type { ContextEditRequest } from "../facts.js";
import { type ContextEditDraft, ledgerOf, validateEdits } from "./edits.js";
import type { EditLedger } from "./edit-ledger.js";
import { projectEdited } from "./projection.js";

/**
 * Edits of who sees messages and not the entries of calls: what is omitted or restored takes its counterparts with it, so that every
 * call keeps its result. Else as {@link validateEdits}.
 */
export function validateWhole(
  history: readonly HistoryEntry[],
  edits: readonly ContextEditRequest[],
): Result<readonly ContextEditDraft[], Diagnostic> {
  return validateEdits(history, withCounterparts(ledgerOf(history), edits));
}

function withCounterparts(ledger: EditLedger, edits: readonly ContextEditRequest[]): readonly ContextEditRequest[] {
  const named = new Set(edits.map(({ target }) => target));
  const isRestorable = (target: EntryId): boolean => ledger.editOf(target)?.operation === "omit";
  const added = edits.flatMap(({ target, operation }): readonly ContextEditRequest[] => {
    if (operation === "replace") return [];
    const others = ledger.counterparts(target).filter((other) => !named.has(other));
    return others.filter((other) => operation === "omit" || isRestorable(other)).map((other) => ({ target: other, operation }));
  });
  return [...edits, ...added];
}

/** Why a request cannot be shown so; undefined when it can. */
export function transformProblem(history: readonly HistoryEntry[], transforms: readonly ContextTransform[]): Diagnostic | undefined {
  const edits = editsOf(transforms);
  if (edits.length === 0) return undefined;
  const valid = validateWhole(history, edits);
  return valid.ok ? undefined : valid.error;
}

/**
 * What one request shows: the branch with its edits, changed by the transforms, appended messages last. Transforms that would break
 * the pairing or leave no input change nothing, whatever was recorded. Pure: the same when it is rebuilt.
 */
export function projectTransformed(history: readonly HistoryEntry[], transforms: readonly ContextTransform[]): readonly Message[] {
  const ledger = ledgerOf(history);
  ledger.apply(withCounterparts(ledger, editsOf(transforms)));
  const { messages } = projectEdited(history, ledger);
  const appended = transforms.flatMap((transform): readonly Message[] =>
    transform.operation === "append" ? [{ role: "user", text: transform.text }] : [],
  );
  return [...messages, ...appended];
}

const editsOf = (transforms: readonly ContextTransform[]): readonly ContextEditRequest[] =>
  transforms.flatMap((transform) => (transform.operation === "append" ? [] : [transform]));

/** Where what is kept may begin, and something is left out: else why not. */
export const keepProblem = (history: readonly HistoryEntry[], firstKept: EntryId): Result<void, "unknown" | "inside" | "nothing"> => {
  const ledger = ledgerOf(history);
  const target = ledger.target(firstKept);
  if (target === undefined) return err("unknown");
  if (target.type !== "user-message" && target.type !== "assistant") return err("inside");
  return ledger.isFirst(firstKept) ? err("nothing") : ok(undefined);
};
