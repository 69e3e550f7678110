import type { EntryId, SessionId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { physicalOf } from "../codec/index.js";
import type { Damage } from "../log/index.js";

export const forkTargetUnknown = (id: SessionId, entry: EntryId): Diagnostic =>
  diagnostic({
    code: "session.fork-target",
    what: `Session ${shortId(id)} cannot be forked at ${entry}.`,
    why: "No entry of its history has this id. Only entries of the history can end a branch: messages, tool calls and results, prompts, compactions, edits.",
    next: `Run smith sessions get ${shortId(id)} and use the id of an entry it shows, or fork without naming one.`,
    source: { type: "session", id },
  });

export const forkEmpty = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.fork-empty",
    what: `Session ${shortId(id)} has nothing to fork.`,
    why: "No entry is selected in it: it is new, or it stands before its first entry.",
    next: "Start a new session, or name the entry to fork at.",
    source: { type: "session", id },
  });

/** Offsets are of the file. */
export const forkDamaged = (id: SessionId, path: string, damage: Damage): Diagnostic => {
  const from = physicalOf(damage.from);
  return diagnostic({
    code: "session.fork-damaged",
    what: `Session ${shortId(id)} was not forked: it is damaged before the fork point.`,
    why: `Bytes ${from} to ${physicalOf(Math.max(damage.from, damage.to - 1))} of ${path} fail their checksums, so evidence that belongs to the branch may be missing.`,
    next: `Run smith sessions repair ${shortId(id)}, which says what is lost, and fork again.`,
    source: { type: "session", id, offset: from },
  });
};

export const interrupted = (what: "fork" | "import" | "repair" | "verification"): Diagnostic =>
  diagnostic({
    code: "session.interrupted",
    what: `The ${what} was stopped before it was done.`,
    why: "Whoever asked for it stopped it.",
    next: "Nothing was changed. Run it again when it may take its time.",
  });

export const importRefused = (what: string, why: string): Diagnostic =>
  diagnostic({
    code: "session.import-refused",
    what: `The import was refused at ${what}.`,
    why,
    next: "Nothing was imported. Correct the file, or export it again.",
  });

export const repairUnsupported = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.repair-unsupported",
    what: `Session ${shortId(id)} was not repaired.`,
    why: "It uses features of the format that this smith does not know, so it cannot tell what must be kept.",
    next: "Repair it with the smith that wrote it, or update this one.",
    source: { type: "session", id },
  });

export const forkUnsupported = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.fork-unsupported",
    what: `Session ${shortId(id)} was not forked.`,
    why: "It uses features of the format that this smith does not know, so it cannot tell what a copy would mean.",
    next: "Fork it with the smith that wrote it, or update this one.",
    source: { type: "session", id },
  });
