import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { fromBytes, showName } from "../../paths/index.js";
import { badPatch, unsupported } from "./failures.js";
import { type FilePatch, type Hunk, hunkLine, type HunkLine, patchLines } from "./file-patch.js";

const GIT = "diff --git ";
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;
const NONE = "/dev/null";

interface Cursor {
  readonly lines: readonly string[];
  next: number;
}

const lineAt = ({ lines }: Cursor, index: number): string => lines[index] ?? "";

/** A unified diff of one or more files, as git, `diff -u` and models write it; text between the files is passed over. */
export function parseUnified(patch: string): Result<readonly FilePatch[], Diagnostic> {
  const lines = patchLines(patch, (line) => line.startsWith("--- ") || line.startsWith(GIT) || HUNK.test(line));
  const cursor: Cursor = { lines, next: 0 };
  const files: FilePatch[] = [];
  while (cursor.next < lines.length) {
    const line = lines[cursor.next] ?? "";
    if (line.startsWith("@@ "))
      return err(badPatch(cursor.next + 1, line, "A hunk stands before any file: --- and +++ lines with the path are missing."));
    const header = line.startsWith(GIT) ? gitHeader(cursor) : isFileStart(lines, cursor.next) ? plainHeader(cursor) : undefined;
    if (header === undefined) {
      cursor.next += 1;
      continue;
    }
    const file = fileOf(header, cursor);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

const isFileStart = (lines: readonly string[], at: number): boolean =>
  lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;

interface Header {
  /** Undefined: there is none. */
  readonly old?: string;
  readonly fresh?: string;
  readonly isMove: boolean;
  readonly isCopy: boolean;
  readonly mode?: string;
  /** What cannot be done about it. */
  readonly problem?: string;
}

const EXTENDED =
  /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index) ?(.*)$/u;

function gitHeader(cursor: Cursor): Header {
  const [first, second] = gitNames(lineAt(cursor, cursor.next).slice(GIT.length));
  cursor.next += 1;
  const said = saidOf(cursor);
  const problem = problemOf(said, lineAt(cursor, cursor.next));
  const names = isFileStart(cursor.lines, cursor.next) ? plainHeader(cursor) : { old: first, fresh: second };
  const nameOf = (key: string): string | undefined => {
    const name = said.get(`rename ${key}`) ?? said.get(`copy ${key}`);
    return name === undefined ? undefined : unquoted(name);
  };
  const mode = said.get("new file mode");
  return headerOf({
    old: mode === undefined ? (nameOf("from") ?? names.old) : undefined,
    fresh: said.has("deleted file mode") ? undefined : (nameOf("to") ?? names.fresh),
    isMove: said.has("rename to"),
    isCopy: said.has("copy to"),
    mode,
    problem,
  });
}

function saidOf(cursor: Cursor): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (let found = EXTENDED.exec(lineAt(cursor, cursor.next)); found !== null; found = EXTENDED.exec(lineAt(cursor, cursor.next))) {
    const [, key = "", value = ""] = found;
    said.set(key, value);
    cursor.next += 1;
  }
  return said;
}

function problemOf(said: ReadonlyMap<string, string>, next: string): string | undefined {
  if (/^(?:GIT binary patch|Binary files )/u.test(next)) return "holds binary content";
  const kinds = ["new file mode", "deleted file mode", "new mode"].map((key) => said.get(key));
  if (kinds.some((kind) => kind !== undefined && !kind.startsWith("100"))) return "is about a link or a submodule";
  return said.has("new mode") ? "changes the mode of a file that exists" : undefined;
}

/** Leaves out what is not there. */
const headerOf = ({
  old,
  fresh,
  mode,
  problem,
  isMove,
  isCopy,
}: { readonly [Key in keyof Required<Header>]: Header[Key] | undefined }): Header => ({
  ...(old === undefined ? {} : { old }),
  ...(fresh === undefined ? {} : { fresh }),
  isMove: isMove === true,
  isCopy: isCopy === true,
  ...(mode === undefined ? {} : { mode }),
  ...(problem === undefined ? {} : { problem }),
});

/** The two names of a git line: quoted, or the same name twice. */
function gitNames(rest: string): readonly [string | undefined, string | undefined] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/u.exec(rest);
  const half = (rest.length - 1) / 2;
  const [old, fresh] = quoted === null ? [rest.slice(0, half), rest.slice(half + 1)] : [quoted[1] ?? "", quoted[2] ?? ""];
  return withoutPrefixes(unquoted(old), unquoted(fresh));
}

function plainHeader(cursor: Cursor): Header {
  const nameIn = (line: string | undefined): string => unquoted((line ?? "").slice(4).replace(/\t.*$/u, "").trimEnd());
  const [old, fresh] = withoutPrefixes(nameIn(cursor.lines[cursor.next]), nameIn(cursor.lines[cursor.next + 1]));
  cursor.next += 2;
  return headerOf({ old, fresh, isMove: false, isCopy: false, mode: undefined, problem: undefined });
}

/** `a/` and `b/` are prefixes where both sides have theirs. */
function withoutPrefixes(old: string, fresh: string): readonly [string | undefined, string | undefined] {
  const isPrefixed = (old === NONE || /^[aiwco]\//u.test(old)) && (fresh === NONE || /^[biwco]\//u.test(fresh));
  const isSame = old !== NONE && fresh !== NONE && old[0] === fresh[0];
  const bare = (name: string): string | undefined => (name === NONE ? undefined : isPrefixed && !isSame ? name.slice(2) : name);
  return [bare(old), bare(fresh)];
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", '"': '"', "\\": "\\" };

/** A name in quotes of C, with bytes in octal, in the form that paths are read in. */
function unquoted(name: string): string {
  if (!/^".*"$/u.test(name)) return name;
  const bytes = Buffer.from(name.slice(1, -1), "utf8").toString("latin1");
  const plain = bytes.replace(/\\(?:([0-7]{3})|(.))/gu, (_whole, octal: string | undefined, letter: string | undefined) =>
    octal === undefined ? (ESCAPES[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
  );
  return showName(fromBytes(Buffer.from(plain, "latin1")));
}

function fileOf(header: Header, cursor: Cursor): Result<FilePatch, Diagnostic> {
  const name = header.fresh ?? header.old;
  const at = cursor.next;
  const wrong = (wanted: string) => err(badPatch(at, lineAt(cursor, at - 1), wanted));
  if (name === undefined) return wrong("Neither side names a file.");
  if (header.problem !== undefined) return err(unsupported(name, header.problem));
  const hunks: Hunk[] = [];
  while (lineAt(cursor, cursor.next).startsWith("@@")) {
    const hunk = parseHunk(cursor, hunks.length + 1);
    if (!hunk.ok) return hunk;
    hunks.push(hunk.value);
  }
  const file = { ...actionOf(header), name, hunks };
  return file.action === "change" && hunks.length === 0 ? wrong(`The patch of ${name} has no hunk.`) : ok(file);
}

const EXECUTABLE = 0o111;

function actionOf({ old, fresh, isMove, isCopy, mode }: Header): Omit<FilePatch, "name" | "hunks"> {
  if (fresh === undefined) return { action: "delete", isWhole: true };
  if (old === undefined) {
    const isProgram = mode !== undefined && (Number.parseInt(mode.slice(-3), 8) & EXECUTABLE) !== 0;
    return { action: "create", ...(isProgram ? { mode: 0o777 } : {}) };
  }
  if (isMove || isCopy) return { action: isMove ? "move" : "copy", from: old };
  return { action: "change", ...(old === fresh ? {} : { from: old }) };
}

/** The counts of the header end a hunk where they are right; where they are wrong the lines themselves say where it ends. */
function parseHunk(cursor: Cursor, number: number): Result<Hunk, Diagnostic> {
  const patchLine = cursor.next + 1;
  const header = HUNK.exec(lineAt(cursor, cursor.next));
  cursor.next += 1;
  const left: Counts = header === null ? { old: 0, fresh: 0 } : { old: Number(header[2] ?? 1), fresh: Number(header[4] ?? 1) };
  const lines = parseLines(cursor, left);
  const cut = cursor.lines[cursor.next];
  if (cut !== undefined && !isFull(left) && !isOutside(cut))
    return err(badPatch(cursor.next + 1, cut, "Every line of a hunk begins with a blank, - or +."));
  if (lines.length === 0) return err(badPatch(patchLine, lineAt(cursor, patchLine - 1), "This hunk has no lines."));
  return ok({ number, patchLine, lines, anchors: [], isEnd: false, ...(header === null ? {} : { at: Number(header[1]) }) });
}

function parseLines(cursor: Cursor, left: Counts): readonly HunkLine[] {
  const lines: HunkLine[] = [];
  for (let line = cursor.lines[cursor.next]; line !== undefined; line = cursor.lines[cursor.next]) {
    const last = lines.at(-1);
    if (line.startsWith("\\")) {
      if (last !== undefined) lines[lines.length - 1] = { ...last, hasEnd: false };
    } else {
      const parsed = endsHunk(cursor, left) ? undefined : hunkLine(line);
      if (parsed === undefined) return lines;
      lines.push(parsed);
      if (parsed.sign !== "+") left.old -= 1;
      if (parsed.sign !== "-") left.fresh -= 1;
    }
    cursor.next += 1;
  }
  return lines;
}

/** Lines still to come by the header. */
interface Counts {
  old: number;
  fresh: number;
}

const isFull = ({ old, fresh }: Counts): boolean => old <= 0 && fresh <= 0;

/** What stands between files and below them. */
const isOutside = (line: string): boolean => line === "" || /^(?:@@|--- |diff |Index: |===|-- ?$|From )/u.test(line);

/** Whether the next line is no part of the hunk any more. */
function endsHunk({ lines, next }: Cursor, left: Counts): boolean {
  const line = lines[next] ?? "";
  if (line === "") {
    let after = next;
    while (lines[after] === "") after += 1;
    const following = lines[after];
    const isLast = following === undefined || isOutside(following) || !/^[ +\-\\]/u.test(following);
    // An empty line of context whose blank got lost, if the header counts it.
    return isLast && !(left.old > 0 && left.fresh > 0 && after - next <= left.old);
  }
  // A line that goes can look like the beginning of a file, or like what git adds below a mail.
  return isFull(left) && (/^-- ?$/u.test(line) || isFileStart(lines, next));
}
