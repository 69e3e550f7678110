import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsReadInput, FsReadOutput } from "../../../schema/index.js";
import type { OpenedFile, Place } from "../../paths/index.js";
import { confirmPlace, missingAt, openRegular, systemFailure } from "../../paths/index.js";
import type { SecretVault } from "../../secrets/index.js";
import type { EffectContext } from "../../types.js";
import { stopped } from "../failures.js";
import { sniffEncoding } from "../text-file.js";
import type { FileTracker } from "../tracker.js";
import { createDigest } from "../tracker.js";
import { binaryKind, contentWord, isBinaryHead, markedKind } from "./content-kind.js";
import { readDirectory, statsAt } from "./directory.js";
import { imageTooLarge, imageTooWide, invalidImage, noRoomForImage } from "./failures.js";
import { claimedImage, isImageName } from "./image.js";
import { IMAGE_BOUNDS, imagePart } from "./image-part.js";
import { createLineWindow, type WindowBounds } from "./line-window.js";
import { createTextScan, type ScannedText } from "./text-scan.js";

export const READ_BOUNDS = {
  lines: 2000,
  /** UTF-8 bytes of the lines shown. */
  bytes: 50 * 1024,
  lineCharacters: 2000,
  mostLineCharacters: 2 * 1024 * 1024,
  /** Files of this size and less can be edited, so that it is remembered what was seen of them. */
  rememberedBytes: 64 * 1024 * 1024,
  /** What a file that tells no size (as in /proc) may hold. */
  unsizedBytes: 16 * 1024 * 1024,
} as const;

/** Small enough that what is done with one at a time leaves the thread free for others in between. */
const CHUNK = 256 * 1024;
const HEAD = 8192;
/** How much of a text may be NULs and bytes of no character before it is none. */
const MAX_ODD_SHARE = 0.1;

export interface ReadDeps {
  readonly tracker: FileTracker;
  readonly vault: SecretVault;
}

type Outcome = Result<FsReadOutput, Diagnostic>;

/**
 * Reads a window of a text file, a whole image onto the shelf of the invocation, the names of a folder, or just what anything else is.
 * A text is scanned to its end in chunks, so line and byte totals are exact and memory stays bounded. What was seen is remembered for
 * the stale check of edits.
 */
export async function readFileWindow(input: FsReadInput, context: EffectContext, deps: ReadDeps): Promise<Outcome> {
  const confirmed = await confirmPlace(input.path, context);
  if (!confirmed.ok) return confirmed;
  const place = confirmed.value;
  if (!place.exists) return err(await missingAt(place));
  const stats = await statsAt(place);
  if (stats?.isDirectory() === true) return await readDirectory(place, context.signal);
  const opened = await openRegular(place.real, place.shown);
  if (!opened.ok) return opened;
  try {
    return await readOpened({ place, file: opened.value, input, context }, deps);
  } catch (error) {
    return err(systemFailure(error, place.shown, "read"));
  } finally {
    await opened.value.handle.close();
  }
}

interface Reading {
  readonly place: Place;
  readonly file: OpenedFile;
  readonly input: FsReadInput;
  readonly context: EffectContext;
}

async function readOpened(reading: Reading, deps: ReadDeps): Promise<Outcome> {
  const { place, file } = reading;
  const head = await readHead(file);
  if (claimedImage(head) !== undefined || isImageName(place.shown)) {
    const image = await readImage(reading, head);
    if (image !== undefined) return image;
  }
  // Some of them are ASCII up to their first stream.
  const isPdf = head.toString("latin1", 0, 5) === "%PDF-";
  if (isPdf || isBinaryHead(head)) return ok(binary(reading, binaryKind(head)));
  return await readText(reading, head, deps);
}

const binary = ({ place, file }: Reading, what: string | undefined): FsReadOutput => ({
  type: "binary",
  path: place.shown,
  totalBytes: file.stats.size,
  ...(what === undefined ? {} : { what }),
});

async function readHead({ handle }: OpenedFile): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
  return buffer.subarray(0, bytesRead);
}

/** Undefined when the file neither is an image nor is named like one: it is then text or binary like any other. */
async function readImage({ place, file, context }: Reading, head: Buffer): Promise<Outcome | undefined> {
  const { size } = file.stats;
  const { shown } = place;
  const claimed = claimedImage(head);
  if (claimed === undefined) return err(invalidImage(shown, contentWord(head, size)));
  const tooLarge = (): Outcome => err(imageTooLarge(shown, size, IMAGE_BOUNDS.bytes));
  if (size > IMAGE_BOUNDS.bytes) return tooLarge();
  const bytes = await readWhole(file);
  const part = imagePart(bytes);
  if (part?.ok !== true) {
    if (part?.error.type === "too-wide") return err(imageTooWide(shown, part.error.facts, IMAGE_BOUNDS.pixels));
    if (part?.error.type === "too-large") return tooLarge();
    return isImageName(shown) ? err(invalidImage(shown, `it starts like ${claimed} but is cut off or damaged`)) : undefined;
  }
  const { width, height } = part.value.facts;
  const image = context.images?.keep(part.value.image, { width, height });
  return image === undefined ? err(noRoomForImage(shown)) : ok({ type: "image", path: shown, image, totalBytes: bytes.length });
}

async function readWhole({ handle, stats: { size } }: OpenedFile): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** What is asked for, within the bounds of the operation. */
function windowOf({ offset = 1, limit = READ_BOUNDS.lines, lineCharacters = READ_BOUNDS.lineCharacters }: FsReadInput): WindowBounds {
  return {
    firstLine: Math.max(1, Math.trunc(offset)),
    maxLines: Math.max(1, Math.trunc(limit)),
    maxBytes: READ_BOUNDS.bytes,
    maxLineCharacters: Math.min(Math.max(1, Math.trunc(lineCharacters)), READ_BOUNDS.mostLineCharacters),
  };
}

async function readText(reading: Reading, head: Buffer, deps: ReadDeps): Promise<Outcome> {
  const { place, file, input, context } = reading;
  const { encoding } = sniffEncoding(head);
  const { size } = file.stats;
  const bounds = windowOf(input);
  const window = createLineWindow(bounds);
  const scan = createTextScan(encoding, { window, concealing: deps.vault.stream() });
  const digest = size <= READ_BOUNDS.rememberedBytes ? createDigest() : undefined;
  // A file that grows while it is read is read as it was; files of /proc have content but no size.
  const end = size > 0 ? size : READ_BOUNDS.unsizedBytes;
  const chunk = Buffer.alloc(Math.min(CHUNK, end));
  let totalBytes = 0;
  while (totalBytes < end) {
    if (context.signal.aborted) return err(stopped(place.shown));
    const { bytesRead } = await file.handle.read(chunk, 0, Math.min(CHUNK, end - totalBytes), totalBytes);
    if (bytesRead === 0) break;
    totalBytes += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    digest?.update(bytes);
    scan.push(bytes);
  }
  const scanned = scan.end();
  if (isNoText(scanned, totalBytes)) return ok(binary(reading, markedKind(head) ?? "text with binary data in it"));
  if (digest !== undefined) deps.tracker.saw(place.real, digest.end());
  return ok({ type: "text", path: place.shown, firstLine: bounds.firstLine, totalBytes, encoding, ...scanned });
}

/** A text that begins a file is not what the file is. */
const isNoText = ({ invalid, nul }: ScannedText, totalBytes: number): boolean =>
  (invalid?.count ?? 0) + (nul?.count ?? 0) > Math.max(3, totalBytes * MAX_ODD_SHARE);
