import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FsReadInput, FsReadOutput } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import type { OpenedFile, Place } from "../paths/index.js";
import { confirmPlace, notFound, openRegular, systemFailure } from "../paths/index.js";
import { imageTooLarge, invalidImage, stopped } from "./failures.js";
import { claimedImage, imageType, isImageName } from "./image.js";
import { createLineWindow } from "./line-window.js";
import { looksBinary, sniffEncoding } from "./text-file.js";
import type { SecretVault } from "../secrets/index.js";
import type { FileTracker } from "./tracker.js";
import { createDigest } from "./tracker.js";

export const READ_BOUNDS = {
  lines: 2000,
  /** UTF-8 bytes of the lines shown. */
  bytes: 50 * 1024,
  lineCharacters: 2000,
  /** Bytes of an image before base64; keeps the reply below the ceiling of a message to a plugin. */
  imageBytes: 2.5 * 1024 * 1024,
} as const;

const CHUNK = 256 * 1024;

export interface ReadDeps {
  readonly tracker: FileTracker;
  readonly vault: SecretVault;
}

/**
 * Reads a window of a text file, a whole image, or just the size of anything else. The whole file is scanned in chunks, so
 * line and byte totals are exact and memory stays bounded. What was seen is remembered for the stale check of edits.
 */
export async function readFileWindow(
  input: FsReadInput,
  context: EffectContext,
  deps: ReadDeps,
): Promise<Result<FsReadOutput, Diagnostic>> {
  const confirmed = await confirmPlace(input.path, context);
  if (!confirmed.ok) return confirmed;
  const place = confirmed.value;
  if (!place.exists) return err(notFound(place.shown));
  const opened = await openRegular(place.real, place.shown);
  if (!opened.ok) return opened;
  try {
    return await readOpened({ place, file: opened.value, input, signal: context.signal }, deps);
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
  readonly signal: AbortSignal;
}

async function readOpened(reading: Reading, deps: ReadDeps): Promise<Result<FsReadOutput, Diagnostic>> {
  const { place, file } = reading;
  const head = await readHead(file);
  const { encoding } = sniffEncoding(head);
  if (claimedImage(head) !== undefined || isImageName(place.shown)) {
    const image = await readImage(reading, head);
    if (image !== undefined) return image;
  }
  if (looksBinary(head, encoding)) return ok({ type: "binary", path: place.shown, totalBytes: file.stats.size });
  return readText(reading, deps);
}

async function readHead({ handle }: OpenedFile): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(8192), 0, 8192, 0);
  return buffer.subarray(0, bytesRead);
}

/** Undefined when the file neither is an image nor is named like one: it is then text or binary like any other. */
async function readImage({ place, file }: Reading, head: Buffer): Promise<Result<FsReadOutput, Diagnostic> | undefined> {
  const { size } = file.stats;
  const claimed = claimedImage(head);
  if (claimed === undefined) return err(invalidImage(place.shown, contentWord(head, size)));
  if (size > READ_BOUNDS.imageBytes) return err(imageTooLarge(place.shown, size, READ_BOUNDS.imageBytes));
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const whole = bytes.subarray(0, filled);
  const mediaType = imageType(whole);
  if (mediaType === undefined) {
    return isImageName(place.shown) ? err(invalidImage(place.shown, `it starts like ${claimed} but is cut off or damaged`)) : undefined;
  }
  return ok({ type: "image", path: place.shown, mediaType, base64: whole.toString("base64"), totalBytes: filled });
}

function contentWord(head: Buffer, size: number): string {
  if (size === 0) return "it is empty";
  if (looksBinary(head, sniffEncoding(head).encoding)) return `${size} bytes of another binary format`;
  return `text that starts with ${JSON.stringify([...head.toString("utf8", 0, 400)].slice(0, 80).join(""))}`;
}

async function readText({ place, file, input, signal }: Reading, deps: ReadDeps): Promise<Result<FsReadOutput, Diagnostic>> {
  const head = await readHead(file);
  const { encoding } = sniffEncoding(head);
  const decoder = new TextDecoder(encoding);
  const digest = createDigest();
  const firstLine = Math.max(1, Math.trunc(input.offset ?? 1));
  const window = createLineWindow({
    firstLine,
    maxLines: Math.max(1, Math.trunc(input.limit ?? READ_BOUNDS.lines)),
    maxBytes: READ_BOUNDS.bytes,
    maxLineCharacters: READ_BOUNDS.lineCharacters,
  });
  // Before lines are cut: half a secret would not be recognized.
  const concealing = deps.vault.stream();
  const chunk = Buffer.alloc(CHUNK);
  // A file that grows while it is read is read as it was; files of /proc have content but no size.
  const end = file.stats.size > 0 ? file.stats.size : Infinity;
  let totalBytes = 0;
  while (totalBytes < end) {
    if (signal.aborted) return err(stopped(place.shown));
    const { bytesRead } = await file.handle.read(chunk, 0, Math.min(CHUNK, end - totalBytes), totalBytes);
    if (bytesRead === 0) break;
    totalBytes += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    digest.update(bytes);
    const text = decoder.decode(bytes, { stream: true });
    if (text.includes("\0")) return ok({ type: "binary", path: place.shown, totalBytes: file.stats.size });
    window.push(concealing.push(text));
  }
  window.push(concealing.push(decoder.decode()) + concealing.end());
  deps.tracker.saw(place.real, digest.end());
  return ok({ type: "text", path: place.shown, firstLine, totalBytes, encoding, ...window.end() });
}
