import type { WorkId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

/** `found` and `limit` count `unit`s, e.g. `live works`. */
export const sessionLimit = (unit: string, found: number, limit: number): Diagnostic =>
  diagnostic({
    code: "session.limit",
    what: `A change was not stored: the session would have ${found} ${unit}.`,
    why: `At most ${limit} are allowed at once, so that a session can always be opened with bounded memory.`,
    next: "Nothing was stored. Let work that is under way end, or delete state that is no longer needed, then try again.",
  });

export const workOwnsUnsettled = (work: WorkId, child: WorkId): Diagnostic =>
  diagnostic({
    code: "session.work-owns-unsettled",
    what: `Work ${shortId(work)} cannot settle yet.`,
    why: `Work ${shortId(child)}, which it owns, has not settled. A parent settles after everything it owns.`,
    next: "Nothing was stored. Settle the owned work first, or in the same change.",
  });
