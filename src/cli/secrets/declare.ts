/** The commands below `smith secrets`, their flags and their help. Knows nothing of how any of them works. */
import { type CommandDeclaration, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

const LIST = {
  id: "secrets list",
  summary: "show which values are hidden, and where they are from",
  operands: [],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "One line for each: its name and where it is from; why it is not hidden, where it is too ordinary. No value is shown, nor any part of one. Keys of providers are hidden besides; smith auth status shows them.",
    ),
    PIPES,
    statuses("0 done", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const ADD = {
  id: "secrets add",
  summary: "store a value that models, sessions and logs must not see",
  operands: [{ notation: "<name>", description: "what references to it are called" }],
  flags: [],
  notes: [
    note(
      "Value",
      "It is asked for on the terminal and not shown while it is typed or pasted. Without a terminal it is all of standard input, without blanks around it; it may have several lines. It is never an argument: those are seen by other programs and kept by shells.",
    ),
    note(
      "What is done",
      "From the next start on, {secret:NAME} stands in its place in all that is sent to models and recorded, and is put back in files that are written and commands that are run. Values of fewer than 8 characters and ordinary words are refused.",
    ),
    note("Place", "secrets.json below the data folder, which only you can read. What is there under that name is replaced."),
    statuses("0 stored", "1 it could not be stored", "2 wrong usage, or no value that can be hidden"),
  ],
} as const satisfies CommandDeclaration<string>;

const REMOVE = {
  id: "secrets remove",
  summary: "forget a stored value",
  operands: [{ notation: "<name>", description: "the name it was stored under" }],
  flags: [],
  notes: [
    note("What is done", "It is hidden no more from the next start on. What was recorded keeps the reference and never gets the value."),
    statuses("0 removed", "1 there was none, or the file could not be written", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const ALL = [LIST, ADD, REMOVE] as const;

export type SecretCommandId = (typeof ALL)[number]["id"];

export const SECRET_COMMANDS: readonly CommandDeclaration<SecretCommandId>[] = ALL;
