import { basename, dirname } from "node:path";
import type { Diagnostic } from "../../schema/index.js";
import type { ResourceContribution } from "../types.js";
import { badResourceName, otherFolderName } from "./diagnostics.js";

export interface Naming {
  /** Absent: it cannot be named. */
  readonly name?: string;
  readonly problem?: Diagnostic;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/u;

/**
 * The name of a file: what its content says, else that of the file or folder, lower case. Kinds of plain text go by no name, so theirs is
 * made fit.
 */
export function nameResource(path: string, declared: string | undefined, { format, named }: ResourceContribution): Naming {
  const place = named === "folder" ? basename(dirname(path)) : basename(path).replace(/(?<=.)\.[^.]*$/u, "");
  const fallback = valid(place) ?? (format === "text" ? madeFit(place) : undefined);
  if (declared === undefined) return fallback === undefined ? { problem: badResourceName(path, place, undefined) } : { name: fallback };
  const name = valid(declared);
  if (name === undefined) {
    return { ...(fallback === undefined ? {} : { name: fallback }), problem: badResourceName(path, declared, fallback) };
  }
  return named === "folder" && name !== place ? { name, problem: otherFolderName(path, name, place) } : { name };
}

function valid(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return NAME.test(name) ? name : undefined;
}

const madeFit = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/gu, "-")
    .replace(/^[-_]+|-+$/gu, "")
    .slice(0, 64) || "text";
