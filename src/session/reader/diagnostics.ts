import type { SessionId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const entryUnknown = (id: SessionId, name: string): Diagnostic =>
  diagnostic({
    code: "session.entry-unknown",
    what: `Session ${shortId(id)} has no entry "${name}".`,
    why: "No entry in it has this id, or an id that ends with these 4 or more hex digits.",
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

/** Told to whoever follows a file that a repair put another one in the place of. */
export const sessionReplaced = (id: SessionId, epoch: number): Diagnostic =>
  diagnostic({
    code: "session.replaced",
    what: `The file of session ${shortId(id)} was replaced while it was being followed.`,
    why: "A repair put a sound copy in its place. Everything the old file held was delivered.",
    next: `Open the session again: positions of epoch ${epoch} are found there by session, epoch and seq as long as the epoch is still ${epoch}.`,
    source: { type: "session", id },
    retry: { type: "now" },
  });

export const sessionRemoved = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.removed",
    what: `The file of session ${shortId(id)} was removed while it was being followed.`,
    why: "There is no file in its place. Everything it held was delivered.",
    next: "Run `smith sessions list` to see which sessions there are.",
    source: { type: "session", id },
  });
