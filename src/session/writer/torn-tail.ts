import { storageFull } from "../diagnostics.js";
import type { FileOperations, OpenFile } from "../log/index.js";
import { errorCode } from "../log/index.js";
import type { SessionWriter } from "../types.js";
import { SessionStorageError } from "../types.js";
import type { FileContext } from "./locked-file.js";

/** Torn bytes are copied in pieces: how many there are is not bounded. */
const COPY_BYTES = 1024 * 1024;
const MAX_COPIES = 16;

export interface Cut {
  /** Bytes of the file that stay. */
  readonly keep: number;
  readonly size: number;
  readonly savesCopy: boolean;
  readonly isDerived: boolean;
  readonly now: () => number;
}

/** Cuts what never happened off a locked file, durably, and keeps a copy when asked to. */
export async function cutTornTail(context: FileContext, file: OpenFile, span: Cut): Promise<NonNullable<SessionWriter["dropped"]>> {
  const { ops } = context;
  const { keep, size } = span;
  const copy = span.savesCopy ? await keepCopy(context, file, span) : undefined;
  await ops.truncate(file.fd, keep);
  await ops.fdatasync(file.fd);
  return { bytes: size - keep, ...(copy === undefined ? {} : { copy }), ...(span.isDerived ? { isDerived: true } : {}) };
}

/** The name of the copy, which is whole and durable; when it cannot be made nothing is cut. */
async function keepCopy({ ops, path }: FileContext, file: OpenFile, { keep, size, now }: Cut): Promise<string> {
  const { fd, copy } = await openCopy(ops, path.replace(/\.smith$/u, ".tail-"), now());
  let isWhole = false;
  try {
    const piece = Buffer.allocUnsafe(Math.min(COPY_BYTES, size - keep));
    for (let at = keep; at < size; at += piece.length) {
      const got = await file.read(piece.subarray(0, Math.min(piece.length, size - at)), at);
      const written = await ops.write(fd, piece.subarray(0, got), at - keep);
      if (written !== got) throw new SessionStorageError(storageFull(copy, `only ${written} of ${got} bytes were written`));
    }
    await ops.fsync(fd);
    isWhole = true;
    return copy;
  } finally {
    await ops.close(fd);
    // What stopped the copy is told; that it may still lie there is not worth telling.
    if (!isWhole) await ops.unlink(copy).catch(() => undefined);
  }
}

/** Another recovery may have made its copy in the same millisecond. */
async function openCopy(ops: FileOperations, name: string, now: number): Promise<{ readonly fd: number; readonly copy: string }> {
  for (let attempt = 0; ; attempt += 1) {
    const copy = `${name}${now + attempt}`;
    try {
      return { fd: await ops.open(copy, "wx+"), copy };
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || attempt >= MAX_COPIES) throw error;
    }
  }
}
