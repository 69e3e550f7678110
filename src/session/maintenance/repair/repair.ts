import type { Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { idTime, logicalSize } from "../../codec/index.js";
import { sessionBusy } from "../../diagnostics.js";
import { errorCode, LogicalFile, readTail, SCATTERED } from "../../log/index.js";
import { sessionPath } from "../../names.js";
import { readOwner } from "../../owner.js";
import type { RepairReport } from "../../types.js";
import { openLocked } from "../../writer/index.js";
import type { HeaderFields } from "../build/file-builder.js";
import { FileBuilder } from "../build/file-builder.js";
import { TemporaryFile } from "../build/temporary.js";
import type { MaintenanceContext } from "../context.js";
import { interrupted, repairUnsupported } from "../diagnostics.js";
import { Findings } from "../verify/findings.js";
import { checkHeader } from "../verify/header-check.js";
import type { Checked } from "../verify/verify.js";
import { judged, verifyFile } from "../verify/verify.js";
import { realigned } from "./realign.js";
import type { RebuildParts } from "./rebuild.js";
import { Rebuild } from "./rebuild.js";

const MAX_BACKUPS = 16;

/**
 * Makes a sound file of a damaged one and puts it in its place at once; the old one stays beside it. Holds the writer's lock
 * meanwhile. A sound file is left alone. Whatever fails on the way, either the old file or the new one has the name.
 */
export async function repairSession(
  context: MaintenanceContext,
  id: SessionId,
  signal: AbortSignal | undefined,
): Promise<Result<RepairReport, Diagnostic>> {
  const path = sessionPath(context.deps.dir, id);
  const locked = await openLocked({ ops: context.ops, locker: context.locker, path });
  if (!locked.ok) return locked;
  const file = locked.value;
  if (file === undefined) return err(sessionBusy(id, await readOwner(context.ops, path)));
  try {
    const findings = new Findings();
    const checked = await checkHeader(file, { path, id, findings });
    if (!checked.ok) return checked;
    if (!checked.value.writable) return err(repairUnsupported(id));
    const target = await judged(file, checked.value, true);
    let commits = 0;
    for await (const step of verifyFile(target, findings, signal)) {
      if (!step.ok) return err(interrupted("repair"));
      if ("commits" in step.value) commits = step.value.commits;
    }
    return findings.damage === 0 ? ok({ commits, lost: [] }) : await rebuild(context, id, { ...target, path, signal });
  } finally {
    await file.close();
  }
}

async function rebuild(
  context: MaintenanceContext,
  id: SessionId,
  target: Checked & { readonly path: string; readonly signal: AbortSignal | undefined },
): Promise<Result<RepairReport, Diagnostic>> {
  const { checked, path, signal } = target;
  const made = await TemporaryFile.create(context, id);
  if (!made.ok) return made;
  const temporary = made.value;
  try {
    const builder = new FileBuilder(temporary, id, context.deps.random);
    const copy = new Rebuild(await sourceOf(target));
    if (!(await copy.run(builder, signal))) return err(interrupted("repair"));
    await builder.finish(headerOf(id, checked.header, copy), copy.summary);
    const backup = await replace(context, temporary, path);
    const { commits, lost, dropped, marked } = copy;
    const hasDropped = dropped.entries.length + dropped.frames > 0;
    return ok({ backup, commits, lost, ...(marked.length > 0 ? { marked } : {}), ...(hasDropped ? { dropped } : {}) });
  } finally {
    await temporary.discard();
  }
}

/** What is copied: the file, or what it was before bytes were put in or taken out. */
async function sourceOf({ file, checked, tail, size }: Checked): Promise<RebuildParts> {
  const { seed } = checked;
  const image = await realigned({ file, size }, seed);
  if (image === undefined) return { file, seed, tail, end: tail.obstacle === "lost-tail" ? logicalSize(size) : tail.offset };
  const found = await readTail(new LogicalFile(image.file, seed, SCATTERED), image.size);
  // What was acknowledged is not less when its place is known.
  const ackedSeq = Math.max(found.ackedSeq, tail.ackedSeq);
  const end = ackedSeq > found.seq ? logicalSize(image.size) : found.offset;
  return { file: image.file, seed, tail: { ...found, ackedSeq }, end };
}

/** A header that is lost is made of what the file still says. Its epoch is then beyond all that the file can have had. */
function headerOf(id: SessionId, known: Checked["checked"]["header"], copy: Rebuild): HeaderFields {
  const { origin } = copy;
  if (known === undefined) {
    const createdAt = Math.min(idTime(id), copy.firstTime ?? idTime(id));
    return { createdAt, epoch: 1 + copy.gaps, ...(origin === undefined ? {} : { origin }) };
  }
  const epoch = known.epoch + (copy.isLossy ? 1 : 0);
  return { createdAt: known.createdAt, epoch, ...(known.origin === undefined ? {} : { origin: known.origin }) };
}

async function replace({ deps }: MaintenanceContext, temporary: TemporaryFile, path: string): Promise<string> {
  const now = Math.floor(deps.clock.now());
  for (let attempt = 0; ; attempt += 1) {
    const backup = path.replace(/\.smith$/u, `.before-repair-${now + attempt}`);
    try {
      await temporary.replace(path, backup);
      return backup;
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || attempt >= MAX_BACKUPS) throw error;
    }
  }
}
