import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsEditInput } from "../../../schema/index.js";
import { type DiffReport, type Span, unifiedDiff } from "../../text/index.js";
import { type Replaced, replaceAll } from "../edit/index.js";
import { notText, staleFile } from "../failures.js";
import { applyHunks } from "../patch/apply-hunks.js";
import type { Hunk } from "../patch/file-patch.js";
import { decodeFile, encodeFile, fromUnits, type TextFile, toUnits } from "../text-file.js";
import { digestOf } from "../tracker.js";

interface OfFile {
  /** Shown name. */
  readonly path: string;
  /** What the session last saw in the file; another content now is stale. */
  readonly known?: string;
}

/** What to make of a file. Data only: it may cross into a thread. */
export type ChangeTask =
  | (OfFile & { readonly type: "edit"; readonly before: Uint8Array; readonly edits: FsEditInput["edits"] })
  | (OfFile & { readonly type: "write"; readonly before?: Uint8Array; readonly content: string })
  | (OfFile & { readonly type: "patch"; readonly before: Uint8Array; readonly hunks: readonly Hunk[] })
  /** Both sides are known; only the diff is wanted. */
  | (OfFile & { readonly type: "diff"; readonly before?: Uint8Array; readonly after?: Uint8Array });

export interface Computed {
  /** Empty where the file goes. */
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly isSame: boolean;
  readonly replacements: number;
  readonly report: DiffReport;
}

export function computeChange(task: ChangeTask): Result<Computed, Diagnostic> {
  const before = task.before === undefined ? undefined : asBuffer(task.before);
  if (task.known !== undefined && before !== undefined && digestOf(before) !== task.known) return err(staleFile(task.path));
  switch (task.type) {
    case "edit":
      return edited(task, asBuffer(task.before));
    case "patch":
      return patched(task, asBuffer(task.before));
    case "write":
      return ok(computed(task, before, contentBytes(task.content, before)));
    case "diff":
      return ok(computed(task, before, task.after === undefined ? undefined : asBuffer(task.after)));
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function edited(task: Extract<ChangeTask, { type: "edit" }>, before: Buffer): Result<Computed, Diagnostic> {
  const file = decodeFile(before);
  if (file === undefined) return err(notText(task.path, before.length));
  const replaced = replaceAll(file, task.path, task.edits);
  return replaced.ok ? ok(fromText(task, file, replaced.value)) : replaced;
}

function patched({ path, hunks }: Extract<ChangeTask, { type: "patch" }>, before: Buffer): Result<Computed, Diagnostic> {
  const file = decodeFile(before);
  if (file === undefined) return err(notText(path, before.length));
  // The byte order mark is a part of the first line in a patch made of bytes, and nothing that a model sees.
  const isMarked = hunks.some(({ lines }) => lines.some(({ text }) => text.startsWith("\ufeff")));
  const lines = isMarked ? { mark: Buffer.alloc(0), units: markOf(file) + file.units } : file;
  const done = applyHunks({ path, encoding: file.encoding, units: lines.units }, hunks);
  if (!done.ok) return done;
  return ok(fromText({ path }, { ...file, ...lines }, { ...done.value, replacements: hunks.length }));
}

/** What new text makes of the bytes of a file. */
function fromText({ path }: OfFile, file: TextFile, { units, spans, replacements }: Replaced): Computed {
  const bytes = encodeFile({ ...file, units });
  const decode = (part: string): string => fromUnits(part, file.encoding);
  const report = unifiedDiff({ path, ...marked(file, { before: file.units, after: units, spans }), decode });
  return { bytes, digest: digestOf(bytes), isSame: units === file.units, replacements, report };
}

/** The byte order mark of UTF-8 is a part of the first line, as in the bytes; that of UTF-16 goes with the decoding. */
function marked(file: TextFile, change: { readonly before: string; readonly after: string; readonly spans: readonly Span[] }) {
  const mark = markOf(file);
  if (mark === "") return change;
  const by = mark.length;
  return {
    before: mark + change.before,
    after: mark + change.after,
    spans: change.spans.map(({ oldStart, oldEnd, newStart, newEnd }) => ({
      oldStart: oldStart + by,
      oldEnd: oldEnd + by,
      newStart: newStart + by,
      newEnd: newEnd + by,
    })),
  };
}

const markOf = ({ mark, encoding }: TextFile): string => (mark.length > 0 && encoding === "utf-8" ? toUnits("\ufeff", encoding) : "");

/**
 * New content for a file: encoding and byte order mark of what is there stay, and its line ends where they are all `\r\n` and the
 * content has none of these.
 */
function contentBytes(content: string, before: Buffer | undefined): Buffer {
  const file = before === undefined || before.length === 0 ? undefined : decodeFile(before);
  if (file === undefined) return Buffer.from(content, "utf8");
  const hasOwnMark = content.startsWith("\ufeff") && file.mark.length > 0;
  const units = toUnits(hasOwnMark ? content.slice(1) : content, file.encoding);
  const isReturned = !content.includes("\r") && /\r\n/u.test(file.units) && !/(?<!\r)\n/u.test(file.units);
  return encodeFile({ ...file, units: isReturned ? units.replaceAll("\n", "\r\n") : units });
}

function computed({ path }: OfFile, before: Buffer | undefined, after: Buffer | undefined): Computed {
  const isSame = before !== undefined && after !== undefined && before.equals(after);
  const bytes = after ?? Buffer.alloc(0);
  return { bytes, digest: digestOf(bytes), isSame, replacements: 0, report: reportOf(path, { before, after }) };
}

interface Sides {
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

/** Compared byte for byte where both sides are in one encoding; what is binary is named, not shown. */
function reportOf(path: string, { before, after }: Sides): DiffReport {
  const old = before === undefined ? undefined : decodeFile(before);
  const fresh = after === undefined ? undefined : decodeFile(after);
  if ((before !== undefined && old === undefined) || (after !== undefined && fresh === undefined))
    return binaryReport(path, { before, after });
  const encoding = old?.encoding ?? fresh?.encoding ?? "utf-8";
  const unitsOf = (file: TextFile | undefined): string | undefined => {
    if (file === undefined) return undefined;
    return file.encoding === encoding ? markOf(file) + file.units : toUnits(fromUnits(file.units, file.encoding), encoding);
  };
  return unifiedDiff({ path, before: unitsOf(old), after: unitsOf(fresh), decode: (part) => fromUnits(part, encoding) });
}

function binaryReport(path: string, { before, after }: Sides): DiffReport {
  if (before !== undefined && after?.equals(before) === true) return { diff: "", addedLines: 0, removedLines: 0 };
  const size = (bytes: Buffer | undefined): string => (bytes === undefined ? "nothing" : `${bytes.length} bytes`);
  const header = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${after === undefined ? "/dev/null" : `b/${path}`}\n`;
  return { diff: `${header}\\ Binary content is not shown: ${size(before)} became ${size(after)}\n`, addedLines: 0, removedLines: 0 };
}
