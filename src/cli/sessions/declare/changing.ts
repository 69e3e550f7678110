import { type CommandDeclaration, JSON_FLAG } from "../../flags.js";
import { note, PIPES, statuses } from "../../output/notes.js";
import { BUSY, NAMING, READS_ONLY } from "./notes.js";

const ONE_SESSION = { notation: "<id>", description: "its id, or the last digits of it (4 at least)" };

const EXPORT: CommandDeclaration<"sessions export"> = {
  id: "sessions export",
  summary: "write a session as JSONL, Markdown or one HTML page",
  operands: [ONE_SESSION],
  flags: [
    { name: "--format", value: "FORMAT", description: "jsonl (everything, can be imported again), md or html (one branch, to read)" },
    {
      name: "--branch",
      value: "ENTRY",
      valueIsOptional: true,
      description: "the branch that ends at ENTRY, not the selected one (md, html)",
    },
    { name: "--output", short: "-o", value: "FILE", description: "write this file instead of standard output" },
    { name: "--force", description: "replace FILE when it is there" },
  ],
  notes: [
    note(
      "Output",
      "jsonl is the default: all entries of all branches with their ids, in the order they were written, records of later versions included. md and html show one branch as it was recorded, raw history before any context edit; the HTML page needs nothing but itself and runs no script. FILE appears whole or not at all, and is not replaced without --force. -o - is standard output.",
    ),
    note("Damage", `What cannot be read is told on standard error, the rest is still written, and the status is 1. ${READS_ONLY}`),
    NAMING,
    PIPES,
    statuses(
      "0 done",
      "1 no such session or entry, a part is damaged, or FILE cannot be written",
      "2 wrong usage, or FILE is there already",
    ),
  ],
};

const IMPORT: CommandDeclaration<"sessions import"> = {
  id: "sessions import",
  summary: "make a session of a JSONL export",
  operands: [{ notation: "<file>", description: "the export; - reads standard input" }],
  flags: [JSON_FLAG, { name: "--as-new", description: "give the session a new id when its own is taken" }],
  notes: [
    note(
      "What is made",
      "A session with the same entries, ids and order, on standard output its id. It appears whole or not at all. What came with it is history: its work is not continued, its queue not delivered, its effects not repeated.",
    ),
    statuses("0 done", "1 the file cannot be read, is no export, or a session with its id is there", "2 wrong usage"),
  ],
};

const REPAIR: CommandDeclaration<"sessions repair"> = {
  id: "sessions repair",
  summary: "make a damaged session sound again, with all of it that is left",
  operands: [ONE_SESSION],
  flags: [JSON_FLAG],
  notes: [
    note(
      "What is done",
      "A new file with every change that can be read takes the place of the damaged one at once; the damaged one is kept beside it. What was lost is told. A sound session is left as it is.",
    ),
    NAMING,
    statuses("0 repaired, or nothing had to be done", "1 no such session, or nothing of it can be read", "2 wrong usage", BUSY),
  ],
};

const FORK: CommandDeclaration<"sessions fork"> = {
  id: "sessions fork",
  summary: "copy a branch into a new session",
  operands: [
    { notation: "<id[:entry]>", description: "the session, and the entry its branch shall end at (the selected leaf by default)" },
  ],
  flags: [JSON_FLAG, { name: "--name", value: "NAME", description: "name the new session" }],
  notes: [
    note(
      "What is made",
      "A session that can be written on its own, on standard output its id. The source is only read, also while another process writes it. What came along is history: its work is not continued, its effects are not repeated. To fork and work there at once: smith --fork ID[:ENTRY].",
    ),
    NAMING,
    statuses("0 done", "1 no such session or entry, or its branch is damaged", "2 wrong usage"),
  ],
};

const RENAME: CommandDeclaration<"sessions rename"> = {
  id: "sessions rename",
  summary: "give a session another name",
  operands: [ONE_SESSION, { notation: "<name>", description: "its new name" }],
  flags: [],
  notes: [NAMING, statuses("0 done", "1 no such session, or it is damaged", "2 wrong usage", BUSY)],
};

const DELETE: CommandDeclaration<"sessions delete"> = {
  id: "sessions delete",
  summary: "remove sessions for good",
  operands: [{ notation: "<id...>", description: "their ids, or the last digits of them" }],
  flags: [{ name: "--yes", short: "-y", description: "do not ask" }],
  notes: [
    note(
      "What is done",
      "Asks once for all of them, on the terminal; without one --yes is needed. When one of the names fits no session, none is removed. A session that is being written is left alone.",
    ),
    NAMING,
    statuses("0 removed", "1 no such session, or the answer was no", "2 wrong usage, or no terminal to ask on", BUSY),
  ],
};

const RECONCILE: CommandDeclaration<"sessions reconcile"> = {
  id: "sessions reconcile",
  summary: "say what became of an effect whose outcome is unknown",
  operands: [ONE_SESSION, { notation: "[effect]", description: "the effect, or the last digits of it; without it they are listed" }],
  flags: [
    JSON_FLAG,
    { name: "--as", value: "OUTCOME", description: "applied or not-applied" },
    { name: "--note", value: "TEXT", description: "how you know" },
  ],
  notes: [
    note(
      "What is done",
      "An effect, such as a command or a write, that began and whose end was not recorded has an unknown outcome. Your word on it is recorded as yours and told to the model; nothing is rewritten, and nothing is run again.",
    ),
    NAMING,
    statuses("0 done, also when there are none to list", "1 no such session or effect", "2 wrong usage", BUSY),
  ],
};

export const CHANGING = [EXPORT, IMPORT, REPAIR, FORK, RENAME, DELETE, RECONCILE] as const;
