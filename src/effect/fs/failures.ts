import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const tooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "fs.too-large",
    what: `${path} has ${bytes} bytes.`,
    why: `Files over ${maxBytes} bytes are not edited in memory.`,
    next: "Change it with a command that streams, for example sed.",
  });

export const notText = (path: string, bytes: number): Diagnostic =>
  diagnostic({
    code: "fs.binary",
    what: `${path} is a binary file of ${bytes} bytes.`,
    why: "Text replacements in binary content would damage it.",
    next: "Use the program that made the file.",
  });

export const staleFile = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.stale",
    what: `${path} changed on disk since it was last read here; nothing was written.`,
    why: "Somebody or some command wrote it in the meantime, so a change made from the old text could undo that.",
    next: "Read the file again, then repeat the change against what it says now.",
  });

export const stopped = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.aborted",
    what: `Work on ${path} was stopped before it was done.`,
    why: "The call was aborted; nothing was changed.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const computeFailed = (path: string, why: string): Diagnostic =>
  diagnostic({
    code: "fs.change-failed",
    what: `The change of ${path} could not be worked out; nothing was written.`,
    why: `The thread that works on large files failed: ${why}.`,
    next: "Make the change in smaller parts, or with a command that streams, for example sed.",
  });
