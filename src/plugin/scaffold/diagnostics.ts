import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const folderInUse = (dir: string, what: string): Diagnostic =>
  diagnostic({
    code: "plugin.new-folder-in-use",
    what: `No plugin was written to ${dir}.`,
    why: `It is there already and ${what}; nothing of yours is overwritten.`,
    next: "Name a folder that does not exist, or an empty one.",
    exit: 2,
  });

export const badNewId = (id: string): Diagnostic =>
  diagnostic({
    code: "plugin.new-id",
    what: `A plugin cannot be called ${JSON.stringify(id.slice(0, 100))}.`,
    why: 'An id is made of lower case words with dots between them; those that begin with "smith." are the product\'s.',
    next: "Choose one with a prefix of your own, such as acme.lint.",
    exit: 2,
  });

export const newUnwritten = (dir: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.new-unwritten",
    what: `The plugin could not be written to ${dir}.`,
    why: reason,
    next: "Make room, or make the folder writable, and try again in an empty folder.",
  });
