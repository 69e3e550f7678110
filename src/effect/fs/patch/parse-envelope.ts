import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { badPatch } from "./failures.js";
import { type FilePatch, type Hunk, hunkLine, type HunkLine, patchLines } from "./file-patch.js";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/u;
const MOVE = /^\*\*\* Move to: (.+)$/u;
/** Line numbers have no place in this form; where they are given they say nothing. */
const NUMBERS = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u;

const lineAt = ({ lines }: Cursor, index: number): string => lines[index] ?? "";

/** Where the reading is: lines of the patch and the next of them. */
interface Cursor {
  readonly lines: readonly string[];
  next: number;
}

/** The envelope of `*** Begin Patch`: files added, updated (and moved) and deleted, hunks without line numbers. */
export function parseEnvelope(patch: string): Result<readonly FilePatch[], Diagnostic> {
  const lines = patchLines(patch, (line) => line.startsWith("***"));
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (lines[first]?.trimEnd() !== BEGIN) return err(badPatch(first + 1, lines[first] ?? "", `The first line must be ${BEGIN}.`));
  if (lines[last]?.trimEnd() !== END)
    return err(badPatch(last + 1, lines[last] ?? "", `The last line must be ${END}; the patch may have been cut off.`));
  const cursor: Cursor = { lines: lines.slice(0, last), next: first + 1 };
  const files: FilePatch[] = [];
  while (cursor.next < cursor.lines.length) {
    const file = parseFile(cursor);
    if (!file.ok) return file;
    if (file.value !== undefined) files.push(file.value);
  }
  return ok(files);
}

function parseFile(cursor: Cursor): Result<FilePatch | undefined, Diagnostic> {
  const at = cursor.next;
  const line = cursor.lines[at] ?? "";
  cursor.next += 1;
  if (line.trim() === "") return ok(undefined);
  const [, verb, spelled = ""] = FILE.exec(line) ?? [];
  const name = spelled.trim();
  if (verb === "Add") return added(cursor, name);
  if (verb === "Delete") return ok({ action: "delete", name, hunks: [] });
  if (verb === "Update") return updated(cursor, name);
  return err(badPatch(at + 1, line, "Here must be a line *** Add File: , *** Update File: or *** Delete File: with a path."));
}

const isHeading = (line: string): boolean => line.startsWith("*** ");

function added(cursor: Cursor, name: string): Result<FilePatch, Diagnostic> {
  const patchLine = cursor.next + 1;
  const lines: HunkLine[] = [];
  for (let line = cursor.lines[cursor.next]; line !== undefined && !isHeading(line); line = cursor.lines[cursor.next]) {
    if (!line.startsWith("+") && !isBlankTail(cursor))
      return err(badPatch(cursor.next + 1, line, "Every line of an added file begins with +."));
    if (line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1), hasEnd: true });
    cursor.next += 1;
  }
  return ok({ action: "create", name, hunks: lines.length === 0 ? [] : [{ number: 1, patchLine, lines, anchors: [], isEnd: false }] });
}

/** Whether only empty lines follow until the next heading: they part sections and belong to none. */
function isBlankTail({ lines, next }: Cursor): boolean {
  let at = next;
  while (at < lines.length && lines[at] === "") at += 1;
  return at > next && (at === lines.length || isHeading(lines[at] ?? ""));
}

function updated(cursor: Cursor, name: string): Result<FilePatch, Diagnostic> {
  const target = MOVE.exec(lineAt(cursor, cursor.next))?.[1]?.trim();
  if (target !== undefined) cursor.next += 1;
  const hunks = parseHunks(cursor);
  if (!hunks.ok) return hunks;
  if (target !== undefined) return ok({ action: "move", name: target, from: name, hunks: hunks.value });
  if (hunks.value.length > 0) return ok({ action: "change", name, hunks: hunks.value });
  return err(badPatch(cursor.next, lineAt(cursor, cursor.next - 1), "An updated file needs at least one hunk."));
}

function parseHunks(cursor: Cursor): Result<readonly Hunk[], Diagnostic> {
  const hunks: Hunk[] = [];
  while (cursor.next < cursor.lines.length && !isHeading(lineAt(cursor, cursor.next))) {
    if (isBlankTail(cursor)) {
      cursor.next += 1;
      continue;
    }
    const hunk = parseHunk(cursor, hunks.length + 1);
    if (!hunk.ok) return hunk;
    hunks.push(hunk.value);
  }
  return ok(hunks);
}

function parseHunk(cursor: Cursor, number: number): Result<Hunk, Diagnostic> {
  const patchLine = cursor.next + 1;
  const anchors = parseAnchors(cursor);
  const lines: HunkLine[] = [];
  for (
    let line = cursor.lines[cursor.next];
    line !== undefined && !isOver(line) && !isBlankTail(cursor);
    line = cursor.lines[cursor.next]
  ) {
    const parsed = hunkLine(line);
    if (parsed === undefined)
      return err(badPatch(cursor.next + 1, line, "Every line of a hunk begins with a blank, - or +; hunks begin with @@."));
    lines.push(parsed);
    cursor.next += 1;
  }
  const isEnd = lineAt(cursor, cursor.next).trimEnd() === END_OF_FILE;
  if (isEnd) cursor.next += 1;
  if (lines.length === 0) return err(badPatch(patchLine, lineAt(cursor, patchLine - 1), "This hunk has no lines."));
  return ok({ number, patchLine, lines, anchors, isEnd });
}

function parseAnchors(cursor: Cursor): readonly string[] {
  const anchors: string[] = [];
  for (let line = lineAt(cursor, cursor.next); line.startsWith("@@"); line = lineAt(cursor, cursor.next)) {
    const anchor = line.slice(2).replace(/^ /u, "");
    if (anchor.trim() !== "" && !NUMBERS.test(anchor)) anchors.push(anchor);
    cursor.next += 1;
  }
  return anchors;
}

const isOver = (line: string): boolean => line.startsWith("@@") || isHeading(line);
