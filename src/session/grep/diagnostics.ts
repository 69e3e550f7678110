import type { EntryId, SessionId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

/** A search pattern that took too long on one text; its rest is not searched. */
export const patternSlow = (at: {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly part: string;
  readonly isLast: boolean;
}): Diagnostic =>
  diagnostic({
    code: "session.pattern-slow",
    what: `The pattern took too long on the ${at.part} of entry ${at.entry} of session ${shortId(at.session)}${at.isLast ? "; the search was given up" : ""}.`,
    why: "Repetitions inside repetitions, or several that can take the same characters, try every way to share them out.",
    next: "Write the pattern without them, or search for a fixed text.",
    source: { type: "session", id: at.session },
    severity: "warning",
  });
