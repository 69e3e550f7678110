import { type CommandDeclaration, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

/** The command that says what of smith works here: what help, the parser and the reference know of it. */
export const DOCTOR_COMMAND = {
  id: "doctor",
  summary: "say what works here, what does not, and what to do about it",
  operands: [],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "One line for each thing that was looked at, in groups: [ok] it works; [--] to know, and nothing is wrong; [!!] part of what was asked for does not work; [XX] a run would fail. What to do stands below.",
    ),
    note(
      "What is done",
      "Files are read and programs are looked for on the PATH. Nothing but caches of smith is written, no command is run and no server is asked, except those of this machine that a run without any key would look for. Keys and servers are tried with: smith auth check, smith mcp-servers check.",
    ),
    PIPES,
    statuses("0 nothing keeps a run from working", "1 something does", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;
