import type { Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { cutAt, logicalSize } from "../../codec/index.js";
import type { OpenFile, Tail } from "../../log/index.js";
import { LogicalFile, ReadAheadFile, readTail, SCATTERED, SEQUENTIAL } from "../../log/index.js";
import { sessionPath } from "../../names.js";
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
}

/**
 * Reads every byte of a session once and tells what is wrong with it, then the report. Never locks or changes the file; what
 * a writer appends meanwhile is left out, and bytes behind the last whole change are no damage.
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
    yield* verifyFile(await judged(file, checked.value), findings, signal);
  } finally {
    await file.close();
  }
}

export async function judged(file: OpenFile, checked: CheckedHeader): Promise<Checked> {
  const { size } = await file.facts();
  return { file, checked, size, tail: await readTail(new LogicalFile(file, checked.seed, SCATTERED), size) };
}

/** Checks everything behind the header. */
export async function* verifyFile(
  { file, checked, tail, size }: Checked,
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
  for (const finding of findings.take()) yield ok(finding);
  yield ok({ bytes: size, ...verifier.counts, tailBytes: Math.max(0, size - cutAt(tail.offset)), damage: findings.damage });
}
