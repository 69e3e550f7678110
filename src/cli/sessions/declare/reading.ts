import { type CommandDeclaration, JSON_FLAG } from "../../flags.js";
import { note, PIPES, statuses } from "../../output/notes.js";
import { KIND_NAMES } from "../parse/kinds.js";
import { NAMING, READS_ONLY } from "./notes.js";

const KINDS = note(
  "Kinds",
  `${KIND_NAMES.slice(0, 8).join(", ")}, ${KIND_NAMES.slice(8).join(", ")}. tool is call and result; assistant is the answers, thinking the thoughts before them. The type of a record, such as receipt, will do too.`,
);

const LIST: CommandDeclaration<"sessions list"> = {
  id: "sessions list",
  summary: "list sessions, newest first",
  operands: [],
  flags: [
    JSON_FLAG,
    { name: "--here", description: "only sessions of this folder" },
    { name: "--cwd", value: "DIR", description: "only sessions of that folder, which need not exist any more" },
    { name: "--since", value: "DATE", description: "only those changed at or after it: 2026-11-30, 2026-11-30T09:05, 2h, 3d, 1w" },
    { name: "--until", value: "DATE", description: "only those changed before it ends" },
    { name: "--model", value: "TEXT", description: "only those whose model holds this text" },
    { name: "--name", value: "TEXT", description: "only those whose name holds this text" },
    { name: "--state", value: "STATE", description: "only those that are sound, busy, damaged or unreadable" },
    { name: "--limit", value: "N", description: "no more than this many" },
    { name: "--cost", description: "show what each has cost and used, and the sum at the end" },
  ],
  notes: [
    note(
      "Filters",
      "All that are given must hold. Text matches anywhere in the value, upper and lower case alike. A date is a day, a time (YYYY-MM-DDTHH:MM, seconds and a zone may follow) or how long ago (m, h, d, w), in local time. A day as --until includes that day.",
    ),
    note(
      "Order and damage",
      "Newest first, by the time of the last change. A damaged session is listed as damaged, one that is being written as busy. Only the beginning and the end of each file are read; smith sessions verify reads all of it.",
      READS_ONLY,
    ),
    note(
      "Cost",
      "--cost sums up what the records of each session say: answers, tools that asked models, compactions. A cost that is not known is counted as unpriced, never as nothing. What came with a fork or an import counts where it was made. With --json a last record of type total has the sum.",
    ),
    PIPES,
    statuses("0 done, also when there are none", "1 the folder of sessions cannot be read", "2 wrong usage"),
  ],
};

const GREP: CommandDeclaration<"sessions grep"> = {
  id: "sessions grep",
  summary: "search what was recorded",
  operands: [{ notation: "<pattern>", description: "JavaScript regular expression (Unicode mode), or text with -F" }],
  flags: [
    JSON_FLAG,
    { name: "--fixed-strings", short: "-F", description: "take PATTERN as plain text" },
    { name: "--ignore-case", short: "-i", description: "take upper and lower case as the same" },
    { name: "--session", value: "ID", description: "search only this session (may be repeated)" },
    { name: "--branch", description: "search only the selected branch of each session" },
    { name: "--kind", value: "KIND,...", description: "search only entries of these kinds" },
    { name: "--context", short: "-C", value: "N", description: "show N lines around each match" },
    { name: "--before-context", short: "-B", value: "N", description: "show N lines before each match" },
    { name: "--after-context", short: "-A", value: "N", description: "show N lines after each match" },
    { name: "--oldest-first", description: "oldest session first" },
    { name: "--count", short: "-c", description: "show only how many lines match, per session with a match" },
    { name: "--list", short: "-l", description: "show only the ids of sessions with a match" },
    { name: "--max-count", short: "-m", value: "N", description: "leave a session after N matches" },
  ],
  notes: [
    note(
      "Search",
      "Line by line, in what the user, the model and the tools said, thinking and tool arguments included, as it was recorded, on all branches unless --branch is given. Instructions for the model are searched only with --kind prompt. A line of output names session, entry and part:",
      "  <session>:<entry>:<part>:<line>: <text>",
      "Lines of context have - for : , and -- stands between groups that do not touch. Very long lines are cut; --json has all.",
    ),
    KINDS,
    note("Order", "Sessions newest first, entries in the order they were written. Each match is shown as soon as it is found."),
    note("Damage", `A damaged part is told on standard error; the rest is still searched. ${READS_ONLY}`),
    NAMING,
    PIPES,
    statuses("0 found", "1 nothing found", "2 wrong usage, no such session, or something could not be read"),
  ],
};

const GET: CommandDeclaration<"sessions get"> = {
  id: "sessions get",
  summary: "read one session",
  operands: [{ notation: "<id>", description: "its id, or the last digits of it (4 at least)" }],
  flags: [
    JSON_FLAG,
    { name: "--entries", value: "A..B", description: "only these entries, counted from 1; either end may be left out" },
    { name: "--kind", value: "KIND,...", description: "only entries of these kinds" },
    { name: "--branch", value: "ENTRY", valueIsOptional: true, description: "only the branch that ends at ENTRY, or the selected one" },
    { name: "--projected", description: "what the model would be sent of the branch now, after compaction and context edits" },
    {
      name: "--request",
      value: "N|ID",
      description: "what one request to the model was made of, by its number from 1, its id or that of its entry",
    },
    { name: "--cost", description: "what it has cost and used, by model, turn and branch" },
    { name: "--follow", description: "go on with what is committed from now on, until interrupted" },
  ],
  notes: [
    note(
      "Order",
      "All entries of all branches in the order they were written, each with its number; with --branch those of one branch, oldest first, counted on that branch. --kind leaves the numbers as they are.",
    ),
    KINDS,
    note(
      "Requests",
      "--request shows instructions, tools, messages, dispatch and generation as rebuilt from the file, and whether the messages have the digest that was recorded when they were sent. What was redacted stays redacted. --json gives one record.",
    ),
    note(
      "Following",
      "--follow ends with status 130 at Ctrl-C, with the next thing it has to write once the reader of the pipe is gone, and with a message and status 1 when the session is removed or repaired meanwhile.",
    ),
    note("Damage", `What cannot be read is told on standard error, the rest is still shown, and the status is 1. ${READS_ONLY}`),
    NAMING,
    PIPES,
    statuses(
      "0 done",
      "1 no such session, entry or request, damage, or messages of a request that are not what was sent",
      "2 wrong usage",
      "130 --follow was interrupted",
    ),
  ],
};

const VERIFY: CommandDeclaration<"sessions verify"> = {
  id: "sessions verify",
  summary: "check every byte of sessions",
  operands: [{ notation: "[id...]", description: "their ids, or the last digits of them" }],
  flags: [JSON_FLAG, { name: "--all", description: "all sessions, newest first" }],
  notes: [
    note(
      "Output",
      'One line for each finding, with the bytes of the file it is about, then one line for each session. With --json: records of type "finding" and, at the end of each session, one of type "report".',
      `${READS_ONLY} A change that a live writer has not finished is no damage.`,
    ),
    NAMING,
    PIPES,
    statuses("0 all sound", "1 damage was found", "2 wrong usage, no such session, or a file cannot be read as a session"),
  ],
};

export const READING = [LIST, GREP, GET, VERIFY] as const;
