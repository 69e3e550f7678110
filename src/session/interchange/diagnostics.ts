import type { SessionId } from "../../base/index.js";
import { shortId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

const HEADER = `{"type":"session","format":1,"session":"<UUID>","created":<ms since 1970>}`;

export const dumpHeaderInvalid = (line: number, why: string): Diagnostic =>
  diagnostic({
    code: "session.dump-header",
    what: `Line ${line} is not the first line of a session dump.`,
    why,
    next: `Begin the file with a line like ${HEADER}; \`smith sessions export ID --format jsonl\` writes one.`,
  });

export const dumpFormatUnknown = (line: number, format: string): Diagnostic =>
  diagnostic({
    code: "session.dump-format",
    what: `Line ${line} says that this is a session dump of format ${format}.`,
    why: "This smith reads format 1.",
    next: "Import it with the smith that wrote it, or update this one.",
  });

export const dumpLineInvalid = (line: number, why: string): Diagnostic =>
  diagnostic({
    code: "session.dump-line",
    what: `Line ${line} of the session dump cannot be taken.`,
    why,
    next: "Nothing was imported. Correct the line (docs/reference/session-dump.md says what it may hold), then import again.",
  });

export const dumpLineTooLong = (line: number, limit: number): Diagnostic =>
  diagnostic({
    code: "session.dump-line-too-long",
    what: `Line ${line} of the session dump has more than ${limit} characters.`,
    why: "No entry of a session can be that large.",
    next: "Nothing was imported. Write every entry on a line of its own, each line ended by a line feed.",
  });

export const dumpCut = (line: number, why: string): Diagnostic =>
  diagnostic({
    code: "session.dump-cut",
    what: `The session dump ends too early, at line ${line}.`,
    why,
    next: "Nothing was imported. Export the session again; to import what is there, remove a last line that is not whole and give the first line the `seq` of the last change.",
  });

export const dumpGap = (line: number, firstSeq: number, lastSeq: number): Diagnostic =>
  diagnostic({
    code: "session.dump-gap",
    what: `Line ${line} of the session dump says that ${firstSeq === lastSeq ? `change ${firstSeq} is` : `changes ${firstSeq} to ${lastSeq} are`} missing.`,
    why: "The session was damaged when it was exported.",
    next: "Nothing was imported. Repair the session it was exported from (`smith sessions repair ID`) and export it again, or remove this line to import what is left.",
  });

/** A value that JSON has no words for. */
export const dumpInexact = (id: SessionId, seq: number): Diagnostic =>
  diagnostic({
    code: "session.dump-inexact",
    what: `Change ${seq} of session ${shortId(id)} holds a number that is none (NaN); the dump says null instead.`,
    why: "JSON cannot say NaN.",
    next: "Everything else in the dump is exact. The session file itself keeps the value.",
    source: { type: "session", id },
    severity: "warning",
  });
