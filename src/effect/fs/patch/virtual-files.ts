import type { Stats } from "node:fs";
import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { Place } from "../../paths/index.js";
import { notFound } from "../../paths/index.js";
import type { Computed, Computer } from "../compute/index.js";
import type { FileTracker } from "../tracker.js";
import { alreadyThere, notWhole } from "./failures.js";
import type { FilePatch } from "./file-patch.js";

/** One file as the disk has it and as the patch leaves it. */
export interface VirtualFile {
  readonly place: Place;
  /** Undefined: it is not there. */
  readonly before: { readonly bytes: Buffer; readonly stats: Stats } | undefined;
  /** Undefined: it will not be there. */
  after: Buffer | undefined;
  /** What a file that comes is to be like. */
  like?: Stats | number;
  /** The file it was moved from. */
  movedFrom?: VirtualFile;
  movedAway?: boolean;
  /** How many hunks went into it. */
  hunks: number;
}

export interface VirtualDeps {
  readonly computer: Computer;
  readonly tracker: FileTracker;
  readonly signal: AbortSignal;
  readonly fileOf: (name: string) => VirtualFile;
}

const GONE = "Find the file by a part of its name; if it is to be made, use a patch that adds it.";

/** Works one section of a patch out on what the sections before it left. Nothing is written. */
export async function applySection(patch: FilePatch, deps: VirtualDeps): Promise<Result<void, Diagnostic>> {
  const target = deps.fileOf(patch.name);
  if (patch.action === "create") return created(patch, target, deps);
  if (patch.action === "move" || patch.action === "copy") return carried(patch, target, deps);
  // Of two names of a plain diff the one that is there.
  const file = target.after === undefined && patch.from !== undefined ? deps.fileOf(patch.from) : target;
  if (file.after === undefined) return err(notFound(target.place.shown, GONE));
  const made = await patchedBytes(patch, file, file.after, deps);
  if (!made.ok) return made;
  if (patch.action === "delete" && patch.isWhole === true && made.value.length > 0) return err(notWhole(file.place.shown));
  file.after = patch.action === "delete" ? undefined : made.value;
  file.hunks += patch.hunks.length;
  return ok(undefined);
}

async function carried(patch: FilePatch, target: VirtualFile, deps: VirtualDeps): Promise<Result<void, Diagnostic>> {
  const source = patch.from === undefined ? target : deps.fileOf(patch.from);
  if (source.after === undefined) return err(notFound(source.place.shown, GONE));
  if (source !== target && target.after !== undefined) return err(alreadyThere(target.place.shown));
  const made = await patchedBytes(patch, source, source.after, deps);
  if (!made.ok) return made;
  target.after = made.value;
  target.hunks += patch.hunks.length;
  if (source !== target) carry(patch, source, target);
  return ok(undefined);
}

/** What goes with a file that is moved or copied. */
function carry(patch: FilePatch, source: VirtualFile, target: VirtualFile): void {
  const like = source.before?.stats ?? source.like;
  if (like !== undefined) target.like = like;
  if (patch.action !== "move") return;
  target.movedFrom = source.movedFrom ?? source;
  source.after = undefined;
  source.movedAway = true;
}

async function created(patch: FilePatch, target: VirtualFile, deps: VirtualDeps): Promise<Result<void, Diagnostic>> {
  if (target.after !== undefined) return err(alreadyThere(target.place.shown));
  const made = await patchedBytes(patch, target, Buffer.alloc(0), deps);
  if (!made.ok) return made;
  target.after = made.value;
  target.hunks += patch.hunks.length;
  if (patch.mode !== undefined) target.like = patch.mode;
  return ok(undefined);
}

/** The content after the hunks of one section; it is also told here when the file is not the one the session saw. */
async function patchedBytes(
  patch: FilePatch,
  source: VirtualFile,
  bytes: Buffer,
  { computer, tracker, signal }: VirtualDeps,
): Promise<Result<Buffer, Diagnostic>> {
  const isOnDisk = source.before?.bytes === bytes;
  const seen = isOnDisk ? tracker.lastSeen(source.place.real) : undefined;
  const of = { path: source.place.shown, ...(seen === undefined ? {} : { known: seen }) };
  const done: Result<Computed, Diagnostic> =
    patch.hunks.length === 0
      ? await computer.compute({ type: "diff", ...of, before: bytes, after: bytes }, signal)
      : await computer.compute({ type: "patch", ...of, before: bytes, hunks: patch.hunks }, signal);
  if (!done.ok) return done;
  return ok(
    patch.hunks.length === 0 ? bytes : Buffer.from(done.value.bytes.buffer, done.value.bytes.byteOffset, done.value.bytes.byteLength),
  );
}
