import { plural } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

/** A collected file is never more than a warning: a session opens without it. */
const about = (path: string, line?: number): Pick<Diagnostic, "source" | "severity"> => ({
  source: { type: "file", path, ...(line === undefined ? {} : { line }) },
  severity: "warning",
});

export const resourceUnreadable = (path: string, reason: string): Diagnostic =>
  diagnostic({
    code: "collect.unreadable",
    what: `${path} cannot be read; it is left out.`,
    why: reason,
    next: "Make it readable, or remove it.",
    ...about(path),
  });

export const resourceNotAFile = (path: string): Diagnostic =>
  diagnostic({
    code: "collect.not-a-file",
    what: `${path} is no regular file; it is left out.`,
    why: "Folders, pipes, sockets and devices are not read.",
    next: "Put a file in its place.",
    ...about(path),
  });

export const resourceOutside = (path: string, real: string, root: string): Diagnostic =>
  diagnostic({
    code: "collect.outside",
    what: `${path} leads to ${real}; it is left out.`,
    why: `Files are taken from ${root} here, and this one lies outside of it.`,
    next: "Put a copy of the file in its place.",
    ...about(path),
  });

export const resourceTooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "collect.too-large",
    what: `${path} has ${plural(bytes, "byte")}; it is left out.`,
    why: `Files of its kind may have ${plural(maxBytes, "byte")}: every one of them can go to the model.`,
    next: "Shorten it, or move parts into files of their own that are read when they are needed.",
    ...about(path),
  });

export const resourceCut = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "collect.cut",
    what: `${path} has ${plural(bytes, "byte")}; only the first ${plural(maxBytes, "byte")} are used.`,
    why: "Files of its kind are cut there: every one of them can go to the model.",
    next: "Put what matters first, or shorten it.",
    ...about(path),
  });

export const resourceBinary = (path: string): Diagnostic =>
  diagnostic({
    code: "collect.binary",
    what: `${path} is not text; it is left out.`,
    why: "It holds NUL bytes, as binary files and UTF-16 do.",
    next: "Save it as UTF-8.",
    ...about(path),
  });

export const tooManyResources = (folder: string, kind: string, max: number): Diagnostic =>
  diagnostic({
    code: "collect.too-many",
    what: `There are more than ${plural(max, "file")} of the kind ${kind}; those from ${folder} on are left out.`,
    why: "Collecting is bounded, so that opening a session stays quick.",
    next: "Remove the ones you do not use.",
    ...about(folder),
  });

export const badFrontMatter = (path: string, line: number, reason: string): Diagnostic =>
  diagnostic({
    code: "collect.front-matter",
    what: `The front matter of ${path} cannot be read: ${reason}`,
    why: "It must be YAML between two lines of three dashes; the text after it is used all the same.",
    next: "Correct it at the line named; a value with a colon in it needs quotes.",
    ...about(path, line),
  });

export const badJson = (path: string, line: number | undefined, reason: string): Diagnostic =>
  diagnostic({
    code: "collect.json",
    what: `${path} is no JSON object; it is left out.`,
    why: reason,
    next: "Correct it: an object with a name and a description.",
    ...about(path, line),
  });

export const badResourceName = (path: string, name: string, used: string | undefined): Diagnostic =>
  diagnostic({
    code: "collect.name",
    what: `${path} is named ${JSON.stringify(name.slice(0, 100))}; ${used === undefined ? "it is left out" : `${used} is used instead`}.`,
    why: "A name has lower case letters a to z, digits, - and _, begins with a letter or digit, and has at most 64 of them.",
    next: "Rename it.",
    ...about(path),
  });

export const otherFolderName = (path: string, name: string, folder: string): Diagnostic =>
  diagnostic({
    code: "collect.folder-name",
    what: `${path} calls itself ${name} and lies in the folder ${JSON.stringify(folder)}.`,
    why: "By convention the name is that of the folder; other programs may find it by either. Here it is the one in the file.",
    next: `Rename the folder to ${name}, or change the name in the file.`,
    ...about(path),
  });

export const duplicateResource = (kind: string, name: string, paths: { readonly used: string; readonly hidden: string }): Diagnostic =>
  diagnostic({
    code: "collect.duplicate",
    what: `There are two of the kind ${kind} named ${name}: ${paths.used} is used, ${paths.hidden} is not.`,
    why: "A name is given once. A project's own come before the user's, and those before what plugins bring along.",
    next: "Rename or remove one of them if that is not what you want.",
    ...about(paths.hidden),
  });
