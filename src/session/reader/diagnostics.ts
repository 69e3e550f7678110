import type { SessionId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { wrongName } from "../diagnostics.js";

export const entryUnknown = (id: SessionId, name: string): Diagnostic =>
  diagnostic({
    code: "session.entry-unknown",
    what: `Session ${shortId(id)} has no entry "${name}".`,
    why: wrongName(name) ?? "No entry in it has this id, or an id that ends with these digits.",
    next: `Run \`smith sessions get ${shortId(id)}\` and use the id of an entry from it, or its last digits.`,
    source: { type: "session", id },
  });

/** `matches`: the first few. */
export const entryAmbiguous = (id: SessionId, name: string, matches: readonly string[]): Diagnostic =>
  diagnostic({
    code: "session.entry-ambiguous",
    what: `"${name}" ends the ids of several entries of session ${shortId(id)}: ${matches.join(", ")} …`,
    why: "A short name must fit exactly one entry.",
    next: `Give more digits, for example ${matches[0]?.slice(-12) ?? ""}.`,
    source: { type: "session", id },
  });

/** Told to whoever follows a file that another one took the place of. */
export const sessionReplaced = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.replaced",
    what: `The file of session ${shortId(id)} was replaced while it was being followed.`,
    why: "Another file has its name now, as after a repair or when a backup is restored. Everything the old file held was shown.",
    next: "Open the session again to go on with the file that is there now.",
    source: { type: "session", id },
    retry: { type: "now" },
  });

export const sessionRemoved = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.removed",
    what: `The file of session ${shortId(id)} was removed while it was being followed.`,
    why: "There is no file in its place. Everything it held was shown.",
    next: "Run `smith sessions list` to see which sessions there are.",
    source: { type: "session", id },
  });
