import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const valuesBroken = (path: string, plugin: string, reason: string): Diagnostic =>
  diagnostic({
    code: "state.file-broken",
    what: `Stored values of the plugin ${plugin} cannot be read: ${path}.`,
    why: reason,
    next: "Correct the file, or remove it: the plugin then begins without what it stored there.",
    source: { type: "file", path },
  });

export const valuesUnwritten = (path: string, plugin: string, reason: string): Diagnostic =>
  diagnostic({
    code: "state.file-unwritten",
    what: `A value of the plugin ${plugin} was not stored in ${path}.`,
    why: reason,
    next: "Make room, or make the folder writable, and try again. What was stored before stays.",
    source: { type: "file", path },
  });

export const valuesBusy = (path: string, plugin: string, waitedMs: number): Diagnostic =>
  diagnostic({
    code: "state.file-busy",
    what: `A value of the plugin ${plugin} was not stored in ${path}.`,
    why: `Another process was changing the same file for more than ${String(waitedMs)} ms.`,
    next: "Try again. When it stays like this, look for a smith that hangs.",
    source: { type: "file", path },
  });

export const valuesTooLarge = (path: string, plugin: string, size: { readonly bytes: number; readonly maxBytes: number }): Diagnostic =>
  diagnostic({
    code: "state.file-too-large",
    what: `A value of the plugin ${plugin} was not stored: the file would have ${String(size.bytes)} bytes.`,
    why: `All values of a plugin in one scope may have ${String(size.maxBytes)} bytes together.`,
    next: "Delete values that are not needed any more, or store less. What was stored before stays.",
    source: { type: "file", path },
  });
