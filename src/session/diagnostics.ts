import type { EntryId, SessionId } from "../base/index.js";
import { shortId } from "../base/index.js";
import type { Diagnostic, OwnerInfo } from "../schema/index.js";
import { diagnostic } from "../schema/index.js";
import { physicalOf } from "./codec/index.js";
import type { Damage } from "./log/index.js";
import { errorCode } from "./log/index.js";

const BUSY_EXIT = 4;
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const SHORTEST_NAME = 4;
const HEX_DIGITS = 32;

/** Why something can be no id and no end of one. */
export function wrongName(name: string): string | undefined {
  const digits = name.replaceAll("-", "");
  if (!/^[0-9a-f]*$/iu.test(digits)) return "An id has hex digits only: 0 to 9 and a to f.";
  if (digits.length < SHORTEST_NAME)
    return `The end of an id must have at least ${SHORTEST_NAME} digits, so that it is not another one's by chance.`;
  return digits.length > HEX_DIGITS ? `An id has ${HEX_DIGITS} digits; these are ${digits.length}.` : undefined;
}

export const sessionUnknown = (name: string, dir: string): Diagnostic =>
  diagnostic({
    code: "session.unknown",
    what: `There is no session "${name}".`,
    why: wrongName(name) ?? `No session file in ${dir} has this id, or an id that ends with these digits.`,
    next: "Run `smith sessions list` and use an id from it, or its last digits.",
    source: { type: "file", path: dir },
  });

export const sessionAmbiguous = (name: string, ids: readonly SessionId[]): Diagnostic =>
  diagnostic({
    code: "session.ambiguous",
    what: `"${name}" ends the ids of ${ids.length} sessions: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? " …" : ""}.`,
    why: "A short name must fit exactly one session.",
    next: `Give more digits, for example ${ids[0]?.slice(-12) ?? ""}.`,
  });

export const sessionExists = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.exists",
    what: `There is a session ${id} already.`,
    why: "A new session must have an id that no session of this folder has.",
    next: "Give another id, or delete that session first: smith sessions delete.",
    source: { type: "session", id },
  });

export const sessionBusy = (id: SessionId, owner: OwnerInfo | undefined): Diagnostic =>
  diagnostic({
    code: "session.busy",
    what: `Session ${shortId(id)} is being written by another process.`,
    why:
      owner === undefined
        ? "The other process holds the session's lock."
        : `Process ${owner.pid} on ${owner.host} (smith ${owner.version}) holds the session's lock.`,
    next: `Wait for it, read along with \`smith -r ${shortId(id)}\` in a terminal, or work in a copy: \`smith --fork ${shortId(id)}\`.`,
    source: { type: "session", id },
    retry: { type: "now" },
    exit: BUSY_EXIT,
  });

/** `damage`: spans of commits that are lost. Offsets are of the file. */
export const sessionDamaged = (id: SessionId, path: string, damage: Damage): Diagnostic => {
  const { firstSeq, lastSeq } = damage;
  const commits = firstSeq === lastSeq ? `Change ${firstSeq}` : `Changes ${firstSeq} to ${lastSeq}`;
  const from = physicalOf(damage.from);
  return diagnostic({
    code: "session.damaged",
    what: `${commits} of session ${shortId(id)} cannot be read.`,
    why: `Bytes ${from} to ${physicalOf(Math.max(damage.from, damage.to - 1))} of ${path} fail their checksums although they were stored completely once.`,
    next: `Everything else stays readable. \`smith sessions repair ${shortId(id)}\` puts all that is left into a sound file and keeps this one.`,
    source: { type: "session", id, offset: from },
    severity: "warning",
  });
};

export const sessionUnreadable = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "session.unreadable",
    what: `${path} is not a readable session file.`,
    why,
    next: "Restore the file from a backup, or remove it.",
    source: { type: "file", path },
  });

export const sessionUnsupported = (path: string, major: number): Diagnostic =>
  diagnostic({
    code: "session.unsupported",
    what: `${path} was written in session format ${major}.`,
    why: "This smith reads format 1.",
    next: "Open the session with the smith that wrote it, or update this one.",
    source: { type: "file", path },
  });

export const sessionTooLarge = (id: SessionId, why: string): Diagnostic =>
  diagnostic({
    code: "session.commit-too-large",
    what: `A change was not stored in session ${shortId(id)}: it breaks a bound of the session format.`,
    why: `It has ${why}.`,
    next: "Nothing was stored. Shorten the input or the tool output, or split the change.",
    source: { type: "session", id },
  });

/** Any failure of the file system. Running out of space has its own code, because it has its own remedy. */
export function storageFailure(path: string, error: unknown): Diagnostic {
  const code = errorCode(error);
  if (code !== undefined && FULL.has(code)) return storageFull(path, words(error));
  return diagnostic({
    code: "session.storage-failed",
    what: `The session file ${path} could not be written or read.`,
    why: `The system said: ${words(error)}.`,
    next: "Check the disk and the file's permissions, then open the session again: it continues from the last change that is whole.",
    source: { type: "file", path },
  });
}

/** A new file, for a session that is made, copied, imported or repaired. `path`: where it was to be. */
export function newFileFailed(path: string, error: unknown): Diagnostic {
  const isFull = FULL.has(errorCode(error) ?? "");
  return diagnostic({
    code: isFull ? "session.storage-full" : "session.storage-failed",
    what: `A new file could not be made for ${path}.`,
    why: `The system said: ${words(error)}.`,
    next: `Nothing was created, and nothing that was there was changed. ${isFull ? "Free space on this disk" : "Check the disk and that its folder may be written"}, then try again.`,
    source: { type: "file", path },
  });
}

export const storageFull = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "session.storage-full",
    what: `The session file ${path} could not grow.`,
    why: `The system said: ${why}.`,
    next: "Free space on this disk, then send again what was not done: the session continues from the last change that is whole.",
    source: { type: "file", path },
  });

export const lockUnavailable = (path: string, error: unknown): Diagnostic =>
  diagnostic({
    code: "session.lock-unavailable",
    what: `${path} cannot be opened for writing.`,
    why: `File locks do not work here: ${words(error)}. Without them two processes could write one session.`,
    next: "Install smith for this platform again (npm ci), or keep sessions on a local disk.",
    source: { type: "file", path },
  });

export const folderUnreadable = (dir: string, error: unknown): Diagnostic =>
  diagnostic({
    code: "session.folder-unreadable",
    what: `The folder of sessions cannot be read: ${dir}.`,
    why: words(error),
    next: "Check that it is a folder you may read, or set SMITH_HOME to another place.",
    source: { type: "file", path: dir },
  });

export const sessionClosed = (id: SessionId): Diagnostic =>
  diagnostic({
    code: "session.closed",
    what: `Session ${shortId(id)} is closed.`,
    why: "A change arrived after the session was closed.",
    next: "Open the session again.",
    source: { type: "session", id },
  });

export const positionForeign = (id: SessionId, position: string): Diagnostic =>
  diagnostic({
    code: "session.position-foreign",
    what: `Position ${position} is not a position of session ${shortId(id)}.`,
    why: "It names another session, another history of it, or a change that was never stored.",
    next: "Read the session from its beginning and continue from the positions that gives.",
    source: { type: "session", id },
  });

/** A chain of parents that ends in damage. */
export const branchBroken = (id: SessionId, entry: string): Diagnostic =>
  diagnostic({
    code: "session.branch-broken",
    what: `Entry ${entry} of session ${shortId(id)} cannot be found or read.`,
    why: "The branch leads through it, and the change that held it is damaged or was never stored.",
    next: `Run smith sessions repair ${shortId(id)}: it keeps everything that is left. Or restore the file from a backup.`,
    source: { type: "session", id },
  });

/** Of a record that is there. */
export const branchTargetUnknown = (id: SessionId, entry: EntryId): Diagnostic =>
  diagnostic({
    code: "session.branch-target",
    what: `No branch of session ${shortId(id)} ends at entry ${shortId(entry)}.`,
    why: "It is no entry of the history. Only those can end a branch: messages, tool calls and results, prompts, compactions, edits.",
    next: `Run smith sessions get ${shortId(id)} --kind user,assistant,tool and use the id of an entry it shows.`,
    source: { type: "session", id },
  });
