import { type SessionId, shortId } from "../../../base/index.js";
import { type Diagnostic, diagnostic, type ModelRef } from "../../../schema/index.js";

/** Told when the session is opened. The choice stays on record. */
export const choiceUnusable = (
  id: SessionId,
  selection: string,
  { instead, cause }: { readonly instead: ModelRef; readonly cause: Diagnostic },
): Diagnostic =>
  diagnostic({
    code: "session.model-unusable",
    what: `Session ${shortId(id)} goes on with ${instead.provider}/${instead.model}: ${JSON.stringify(selection)}, which was chosen in it, cannot be used.`,
    why: `${cause.what} ${cause.why}`,
    next: `${cause.next} The session keeps the choice and takes it again when it can; choosing another model replaces it.`,
    source: { type: "session", id },
    severity: "warning",
    causes: [cause],
  });

/** It holds for as long as this process has the session open. */
export const choiceNotKept = (cause: Diagnostic): Diagnostic =>
  diagnostic({
    code: "session.model-not-kept",
    what: `The choice of the model was not recorded: ${cause.what}`,
    why: cause.why,
    next: `${cause.next} Until the session is closed the choice holds all the same.`,
    severity: "warning",
    causes: [cause],
  });
