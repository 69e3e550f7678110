import type { Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { cutAt, logicalSize } from "../../codec/index.js";
import type { OpenFile, Tail } from "../../log/index.js";
import { LogicalFile, ReadAheadFile, readTail, SCATTERED, SEQUENTIAL } from "../../log/index.js";
import { sessionPath } from "../../names.js";
import { mayRun, readOwner } from "../../owner.js";
import type { Finding, VerifyReport } from "../../types.js";
import type { MaintenanceContext } from "../context.js";
import { interrupted } from "../diagnostics.js";
import { Findings } from "./findings.js";
import type { CheckedHeader } from "./header-check.js";
import { checkHeader } from "./header-check.js";
import { Verifier } from "./verifier.js";

/** A file being checked, its end as judged when the check began. */
export interface Checked {
  readonly file: OpenFile;
  readonly checked: CheckedHeader;
  readonly tail: Tail;
  readonly size: number;
  /** Whether somebody may be writing it: what is behind the last complete change is then not there yet. */
  readonly isWritten: boolean;
}

/**
 * Reads every byte of a session once and tells what is wrong with it, then the report. Never locks or changes the file; what
 * a writer appends meanwhile is left out. Bytes behind the last whole change of a session nobody writes are a warning, no damage.
 */
export async function* verifySession(
  { deps, ops }: MaintenanceContext,
  id: SessionId,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result<Finding | VerifyReport, Diagnostic>, void, undefined> {
  const path = sessionPath(deps.dir, id);
  const file = new ReadAheadFile(ops, await ops.open(path, "r"));
  try {
    const findings = new Findings();
    const checked = await checkHeader(file, { path, id, findings });
    for (const finding of findings.take()) yield ok(finding);
    if (!checked.ok) {
      yield checked;
      return;
    }
    const owner = await readOwner(ops, path);
    const isWritten = owner !== undefined && mayRun(owner, deps.process.host);
    yield* verifyFile(await judged(file, checked.value, isWritten), findings, signal);
  } finally {
    await file.close();
  }
}

export async function judged(file: OpenFile, checked: CheckedHeader, isWritten: boolean): Promise<Checked> {
  const { size } = await file.facts();
  return { file, checked, size, isWritten, tail: await readTail(new LogicalFile(file, checked.seed, SCATTERED), size) };
}

/** Checks everything behind the header. */
export async function* verifyFile(
  { file, checked, tail, size, isWritten }: Checked,
  findings: Findings,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result<Finding | VerifyReport, Diagnostic>, void, undefined> {
  const { seed, header } = checked;
  const verifier = new Verifier({
    findings,
    file: new LogicalFile(file, seed, SEQUENTIAL),
    scattered: new LogicalFile(file, seed, SCATTERED),
    end: tail.offset,
    mayLackParents: header === undefined || header.epoch > 0,
  });
  while (await verifier.step()) {
    if (signal?.aborted === true) {
      yield err(interrupted("verification"));
      return;
    }
    for (const finding of findings.take()) yield ok(finding);
  }
  if (tail.obstacle === "lost-tail") {
    const what = `Changes ${verifier.seq + 1} to ${tail.ackedSeq} were stored completely once and cannot be read.`;
    findings.damaged(what, tail.offset, logicalSize(size));
  }
  const tailBytes = Math.max(0, size - cutAt(tail.offset));
  if (tail.obstacle !== "lost-tail" && tailBytes > 0 && !isWritten)
    findings.warn(leftoverText(tail, tailBytes), tail.offset, logicalSize(size));
  for (const finding of findings.take()) yield ok(finding);
  yield ok({ bytes: size, ...verifier.counts, tailBytes, damage: findings.damage });
}

function leftoverText({ hasOnlyDerived }: Tail, bytes: number): string {
  const what = `${bytes} bytes after the last complete change count for nothing, and the next writer cuts them off.`;
  if (hasOnlyDerived) return `${what} They are a note about earlier changes that was not finished; no change is in them.`;
  return `${what} They may be what a writer that was stopped left of a change it had not acknowledged, or changes that can no longer be told from that; nothing shows that they were ever acknowledged.`;
}
