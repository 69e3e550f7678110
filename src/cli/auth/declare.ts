/** The commands below `smith auth`, their flags and their help. Knows nothing of how any of them works. */
import { type CommandDeclaration, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

const NAME = "id of a provider or name of a connection, as smith auth status lists them";

const ORDER = note(
  "Order",
  "A connection that is configured with a key (key-env, key-command, key-auth) has that one and no other. Else the variables of its provider are looked at, then the auth file; for a connection you named yourself, what was stored under its name comes before them. The first that is set is used.",
);

const LOGIN = {
  id: "auth login",
  summary: "store a key, or log in by a browser",
  operands: [{ notation: "<name>", description: NAME }],
  flags: [{ name: "--key-stdin", description: "read the key from standard input, also where a browser could be used" }, ...PLACE_FLAGS],
  notes: [
    note(
      "Key",
      "It is asked for on the terminal and not shown while it is typed or pasted. Without a terminal it is read from standard input, where it has to be the only line. It is never an argument: those are seen by other programs and kept by shells.",
    ),
    note(
      "Browser",
      "Where the provider lets people log in without a key, an address and a code are shown. Agree to it there, on this or any other device; what is stored then is renewed by itself.",
    ),
    note("Place", "The auth file, auth.json below the data folder, which only you can read. What is there under that name is replaced."),
    statuses("0 stored", "1 it could not be stored", "2 wrong usage, no such name, or no key given", "3 the login was denied or ran out"),
  ],
} as const satisfies CommandDeclaration<string>;

const LOGOUT = {
  id: "auth logout",
  summary: "take a key or login out of the auth file",
  operands: [{ notation: "<name>", description: "the name it was stored under" }],
  flags: [],
  notes: [
    note(
      "What is done",
      "The entry is gone from this machine; the vendor knows nothing of it. A key that others may have seen is withdrawn there.",
    ),
    statuses("0 removed", "1 there was none, or the file could not be written", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const STATUS = {
  id: "auth status",
  summary: "show which keys are set, where they are from, and which is used",
  operands: [],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "One line for each provider and connection: whether it has a key, from which place, its first and last characters where it is long enough, until when it is good; optional where a server may need none. Below it the places that are set and not used. Nothing is sent and no command is run.",
    ),
    ORDER,
    PIPES,
    statuses("0 done", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const CHECK = {
  id: "auth check",
  summary: "try keys with one real request each",
  operands: [{ notation: "[name]", description: `${NAME}; without it, all that have a key` }],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "What is done",
      "The key is made ready as for a prompt: its command is run, a login that ran out is renewed. Then the server is asked for the list of its models, which costs nothing.",
    ),
    note("Output", "One line for each: ready, not set, refused, or unreachable; why and what to do on standard error."),
    ORDER,
    PIPES,
    statuses("0 all ready", "1 a server could not be reached", "2 wrong usage, or no such name", "3 a key is not set or was refused"),
  ],
} as const satisfies CommandDeclaration<string>;

const ALL = [LOGIN, LOGOUT, STATUS, CHECK] as const;

export type AuthCommandId = (typeof ALL)[number]["id"];

export const AUTH_COMMANDS: readonly CommandDeclaration<AuthCommandId>[] = ALL;
