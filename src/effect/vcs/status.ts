import type { VcsStatusOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { fromBytes } from "../paths/index.js";

type Kind = VcsStatusOutput["changes"][number]["kind"];

export interface ParsedStatus {
  readonly branch?: string;
  readonly head?: string;
  /** Paths from the root of the repository. */
  readonly changes: readonly { readonly path: BytePath; readonly kind: Kind }[];
}

/** Reads `git status --porcelain=2 --branch -z` (git-status(1), "Porcelain Format Version 2"). Lines it does not know are left out. */
export function parseStatus(output: Buffer): ParsedStatus {
  // One character per byte: paths are bytes.
  const records = fromBytes(output).split("\0");
  const changes: { path: BytePath; kind: Kind }[] = [];
  let branch: string | undefined;
  let head: string | undefined;
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? "";
    if (record.startsWith("# branch.head ")) branch = record.slice("# branch.head ".length);
    else if (record.startsWith("# branch.oid ")) head = record.slice("# branch.oid ".length);
    // A renamed file is followed by its old name.
    if (record.startsWith("2 ")) at += 1;
    const change = changeOf(record);
    if (change !== undefined) changes.push(change);
  }
  return {
    ...(branch === undefined || branch === "(detached)" ? {} : { branch: Buffer.from(branch, "latin1").toString("utf8") }),
    ...(head === undefined || head === "(initial)" ? {} : { head }),
    changes,
  };
}

/** Fields before the path, by the type of the line. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1 };

function changeOf(record: string): ParsedStatus["changes"][number] | undefined {
  const type = record.slice(0, 1);
  const fields = FIELDS[type];
  if (fields === undefined || record[1] !== " ") return undefined;
  const words = record.split(" ");
  // Still one character per byte.
  const path = words.slice(fields).join(" ") as BytePath;
  return path === "" ? undefined : { path, kind: kindOf(type, words[1] ?? "") };
}

/** `xy` are the states in the index and in the work tree. */
function kindOf(type: string, xy: string): Kind {
  if (type === "?") return "untracked";
  if (type === "u") return "conflicted";
  if (type === "2") return xy.includes("R") ? "renamed" : "added";
  if (xy.includes("D")) return "deleted";
  return xy.includes("A") ? "added" : "modified";
}
