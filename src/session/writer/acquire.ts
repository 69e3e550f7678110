import type { Result } from "../../base/index.js";
import { ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { FileHeader } from "../codec/index.js";
import { cutAt } from "../codec/index.js";
import { readHeader } from "../header.js";
import type { CheckpointLog } from "../live/index.js";
import type { OpenFile, Tail } from "../log/index.js";
import { LogicalFile, readTail, SCATTERED } from "../log/index.js";
import { loadLog } from "../reader/index.js";
import type { SessionWriter } from "../types.js";
import type { FileContext } from "./locked-file.js";
import { openLocked } from "./locked-file.js";
import { cutTornTail } from "./torn-tail.js";

/** A file opened and, for a writer, locked and recovered. */
export interface Acquired {
  readonly file: OpenFile;
  readonly header: FileHeader;
  readonly tail: Tail;
  /** Live state as of the tail: what a change is checked against from the first one on. */
  readonly log: CheckpointLog;
  readonly dropped: SessionWriter["dropped"];
}

/** A file that stays readable although it may not be written. */
export type Acquisition =
  { readonly type: "writable"; readonly acquired: Acquired } | { readonly type: "busy" } | { readonly type: "not-writable" };

/**
 * Opens for writing: lock, check that the path still leads to the locked file, judge the tail, make durable what is adopted,
 * cut off what is torn. Cuts only unacknowledged bytes, and keeps a copy when a complete frame is among them.
 */
export async function acquire(context: FileContext, now: () => number): Promise<Result<Acquisition, Diagnostic>> {
  const { ops, path } = context;
  const locked = await openLocked(context);
  if (!locked.ok || locked.value === undefined) return locked.ok ? ok({ type: "busy" }) : locked;
  const file = locked.value;
  let isKept = false;
  try {
    const read = await readHeader(file, path);
    if (!read.ok) return read;
    const { header, seed, writable } = read.value;
    const { size } = await file.facts();
    const tail = await readTail(new LogicalFile(file, seed, SCATTERED), size);
    if (!writable || tail.obstacle !== undefined) return ok({ type: "not-writable" });
    await ops.fdatasync(file.fd);
    const keep = cutAt(tail.offset);
    const cut = { keep, size, savesCopy: tail.hasTornFrame, isDerived: tail.hasOnlyDerived, now };
    const dropped = size > keep ? await cutTornTail(context, file, cut) : undefined;
    const log = await loadLog(file, seed, tail);
    isKept = true;
    return ok({ type: "writable", acquired: { file, header, tail, log, dropped } });
  } finally {
    if (!isKept) await file.close();
  }
}
