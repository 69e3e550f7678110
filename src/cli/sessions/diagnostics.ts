import { type Diagnostic, diagnostic } from "../../schema/index.js";

const usage = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next">): Diagnostic => diagnostic({ ...fields, exit: 2 });

export const badRange = (value: string): Diagnostic =>
  usage({
    code: "usage.bad-range",
    what: `--entries ${value} is no range`,
    why: "A range is A..B with whole numbers from 1, the first not above the last; either may be left out.",
    next: "Write it like --entries 1..20 or --entries 100.. .",
  });

export const badPattern = (pattern: string, reason: string): Diagnostic =>
  usage({
    code: "usage.bad-pattern",
    what: `${pattern} is no regular expression`,
    why: reason,
    next: "Correct it, or search for it as plain text with -F.",
  });

export const badDate = (flag: string, value: string): Diagnostic =>
  usage({
    code: "usage.bad-date",
    what: `${flag} ${value === "" ? "(empty)" : value} is no date`,
    why: "A date is a day, a day with a time, or how long ago: a whole number with m, h, d or w. All in local time.",
    next: `Write it like ${flag} 2026-11-30, ${flag} 2026-11-30T09:05 or ${flag} 3d.`,
  });

export const badNumber = (flag: string, value: string, least: number): Diagnostic =>
  usage({
    code: "usage.bad-number",
    what: `${flag} ${value === "" ? "(empty)" : value} is no number it takes`,
    why: `It takes a whole number, ${String(least)} or above.`,
    next: `Write it like ${flag} ${String(least + 2)}.`,
  });

export const badChoice = (flag: string, value: string, choices: readonly string[]): Diagnostic =>
  usage({
    code: "usage.bad-choice",
    what: `${flag} ${value === "" ? "(empty)" : value} is none of its values`,
    why: "The flag takes one of a few words.",
    next: `Use one of: ${choices.join(", ")}.`,
  });

export const badKind = (value: string, kinds: readonly string[]): Diagnostic =>
  usage({
    code: "usage.bad-kind",
    what: `${value === "" ? "an empty word" : value} is no kind of entry`,
    why: "--kind takes kinds of entries, separated by commas.",
    next: `Use some of: ${kinds.join(", ")}. For example --kind user,tool.`,
  });

export const badPlace = (text: string): Diagnostic =>
  usage({
    code: "usage.bad-place",
    what: `${text === "" ? "an empty word" : text} names no session`,
    why: "A place is ID, or ID:ENTRY with the entry the branch shall end at.",
    next: "Take ids from smith sessions list and entries from smith sessions get ID --json; their last 8 digits will do.",
  });

export const badRequest = (value: string): Diagnostic =>
  usage({
    code: "usage.bad-request",
    what: `--request ${value === "" ? "(empty)" : value} names no request`,
    why: "A request is named by its number, counted from 1, or by its id or the last digits of it (4 at least).",
    next: "Write it like --request 1; smith sessions get ID --kind request shows them all with their numbers.",
  });

export const emptyOutput = (): Diagnostic =>
  usage({
    code: "usage.empty-output",
    what: "--output names no file",
    why: "Its value is empty, as when a shell variable in it is not set.",
    next: "Name a file, or leave the flag out to write to standard output.",
  });

export const emptyName = (): Diagnostic =>
  usage({
    code: "usage.empty-name",
    what: "the new name is empty",
    why: "A name holds at least one character that is not a blank.",
    next: "Quote it: smith sessions rename ID 'the new name'.",
  });

export const outcomeMissing = (effect: string): Diagnostic =>
  usage({
    code: "usage.outcome-missing",
    what: `what became of effect ${effect} is not said`,
    why: "Nothing but your word can tell whether an effect of unknown outcome took place.",
    next: "Look, then add --as applied or --as not-applied.",
  });

export const effectMissing = (flag: string): Diagnostic =>
  usage({
    code: "usage.effect-missing",
    what: `${flag} needs the effect it is about`,
    why: "Without an effect, those of unknown outcome are listed.",
    next: "Run smith sessions reconcile ID and name one of them.",
  });

export const sessionsMissing = (): Diagnostic =>
  usage({
    code: "usage.sessions-missing",
    what: "no session to verify is named",
    why: "It checks the sessions named, or all of them.",
    next: "Name some, as in smith sessions verify ID, or use --all.",
  });

export const branchNotForJsonl = (): Diagnostic =>
  usage({
    code: "usage.branch-not-for-jsonl",
    what: "--branch does not go with --format jsonl",
    why: "A JSONL export holds the whole session with all of its branches.",
    next: "Use --format md or --format html, or fork the branch first: smith sessions fork ID:ENTRY.",
  });

export const cannotAsk = (): Diagnostic =>
  usage({
    code: "usage.cannot-ask",
    what: "there is no terminal to ask on",
    why: "Deleting a session cannot be undone, so it is asked for first; standard input and standard error are not both a terminal.",
    next: "Add --yes to delete without being asked.",
  });

export const fileExists = (path: string): Diagnostic =>
  usage({
    code: "output.file-exists",
    what: `${path} is there already`,
    why: "A file is replaced only when that is asked for.",
    next: "Choose another name, or add --force.",
  });

export const fileNotWritten = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "output.file-failed",
    what: `${path} cannot be written`,
    why: `The system says: ${reason}.`,
    next: "Nothing was left there. Choose another place, or make room.",
    source: { type: "file", path },
  });

export const fileNotRead = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "input.file-unreadable",
    what: `${path} cannot be read`,
    why: `The system says: ${reason}.`,
    next: "Name a file that smith sessions export wrote, or - for standard input.",
    source: { type: "file", path },
  });

/** An import of a session that had lost changes before. */
export const importLacks = (missing: readonly { readonly firstSeq: number; readonly lastSeq: number }[]): Diagnostic =>
  diagnostic({
    code: "import.lacks-changes",
    what: `the new session lacks what the exported one had lost: ${missing.map(spanWords).join("; ")} of that one`,
    why: "They were damaged, and a repair declared them gone before the export.",
    next: "Nothing is to be done. What is left of the session is all here.",
    severity: "warning",
  });

/** `change 3` or `changes 3 to 5`. */
export const spanWords = ({ firstSeq, lastSeq }: { readonly firstSeq: number; readonly lastSeq: number }): string =>
  firstSeq === lastSeq ? `change ${String(firstSeq)}` : `changes ${String(firstSeq)} to ${String(lastSeq)}`;

export const lineTooLong = (maxBytes: number): Diagnostic =>
  diagnostic({
    code: "input.line-too-long",
    what: "a line of the import is too long",
    why: `It has more than ${String(maxBytes)} characters; no record of an export has so many.`,
    next: "Nothing was stored. Name a file that smith sessions export wrote with --format jsonl.",
  });

export const importNotText = (): Diagnostic =>
  diagnostic({
    code: "input.not-utf8",
    what: "the import is not UTF-8 text",
    why: "A JSONL export is UTF-8 from its first byte to its last.",
    next: "Nothing was stored. Name a file that smith sessions export wrote with --format jsonl.",
  });

/** Nothing that could be done brings back what was sent. */
export const requestLost = (number: number, { left, sent }: { readonly left: number; readonly sent: number }): Diagnostic =>
  diagnostic({
    code: "request.lost",
    what: `request ${String(number)} cannot be rebuilt: a repair of the session lost part of the messages it sent (${String(sent)} were sent, ${String(left)} could be put together)`,
    why: "Changes before the request were damaged, and nothing of them could be saved.",
    next: "Take what is shown as what is left of it. A backup of the session from before the damage may hold the rest.",
  });

/** What was shown of a request is not what was sent. */
export const requestNotVerified = (number: number): Diagnostic =>
  diagnostic({
    code: "request.not-verified",
    what: `the messages of request ${String(number)}, as rebuilt, are not those that were sent`,
    why: "Their digest differs from the one that was recorded before they were sent.",
    next: "Check the file with smith sessions verify, and do not rely on these messages.",
  });
