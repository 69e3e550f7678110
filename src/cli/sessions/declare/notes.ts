/** Paragraphs of help that several of these commands share. */
import { note } from "../../output/notes.js";

export const READS_ONLY = "Nothing is locked, repaired or run; a session that is being written is read up to its last complete change.";

export const NAMING = note(
  "Naming",
  "A session is named by its id, or by the last digits of it (4 at least) that no other session ends with. An entry is named the same way among the entries of its session.",
);

export const BUSY = "4 another process is writing the session";
