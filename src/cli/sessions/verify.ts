import { plural, type SessionId, shortId } from "../../base/index.js";
import type { Finding, Inspection, VerifyReport } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { jsonLine, visibleLine } from "../output/visible.js";
import { interruptible, put, refuse } from "../output/answers.js";
import type { VerifyInvocation } from "./invocation.js";
import { resolveAll } from "./places.js";

type Reading = Pick<Inspection, "list" | "resolve" | "verify">;

/** 0 all sound, 1 damage found, 2 something could not be read; findings are data. */
export async function verifySessions(context: CommandContext, inspection: Reading, request: VerifyInvocation): Promise<ExitStatus> {
  const named = request.ids === "all" ? undefined : await resolveAll(inspection, request.ids);
  if (named?.ok === false) {
    refuse(context, named.error);
    return 2;
  }
  return await interruptible(context, async (signal) => {
    let status: ExitStatus = 0;
    for await (const session of named === undefined ? everySession(inspection, signal) : named.value) {
      const own = await verifyOne({ context, inspection, json: request.json, signal }, session);
      if (own > status) status = own;
      if (signal.aborted || context.out.state() !== "open") break;
    }
    await context.out.flush();
    if (context.out.state() === "failed") return 2;
    return status;
  });
}

async function* everySession(inspection: Reading, signal: AbortSignal): AsyncIterable<SessionId> {
  for await (const { id } of inspection.list({ detail: "header", signal })) yield id;
}

interface Verification {
  readonly context: CommandContext;
  readonly inspection: Reading;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

async function verifyOne({ context, inspection, json, signal }: Verification, session: SessionId): Promise<0 | 1 | 2> {
  const { paint } = context;
  let status: 0 | 1 | 2 = 0;
  for await (const found of inspection.verify(session, { signal })) {
    if (!found.ok) {
      context.out.push();
      context.errors.diagnostic(found.error);
      status = 2;
      continue;
    }
    const { value } = found;
    const isDamage = "severity" in value ? value.severity === "damage" : value.damage > 0;
    if (isDamage && status === 0) status = 1;
    const record = { type: "severity" in value ? "finding" : "report", session, ...value };
    const line = "severity" in value ? findingLine(session, value) : reportLine(session, value);
    if (!(await put(context, json ? jsonLine(record) : `${isDamage ? paint("red", line) : line}\n`))) break;
  }
  return status;
}

const findingLine = (session: SessionId, { severity, what, offset, end }: Finding): string =>
  `${shortId(session)}: bytes ${String(offset)} to ${String(Math.max(offset, end - 1))}: ${severity}: ${visibleLine(what)}`;

function reportLine(session: SessionId, report: VerifyReport): string {
  const state = report.damage > 0 ? `damaged, ${plural(report.damage, "finding")}` : "sound";
  const content = [
    plural(report.commits, "change"),
    report.entries === 1 ? "1 entry" : `${String(report.entries)} entries`,
    plural(report.checkpoints, "checkpoint"),
    ...(report.unknownFrames === 0 ? [] : [`${plural(report.unknownFrames, "frame")} of a later version`]),
    plural(report.bytes, "byte"),
    ...(report.tailBytes === 0 ? [] : [`${plural(report.tailBytes, "byte")} after the last complete change`]),
  ];
  return `${shortId(session)}: ${state}: ${content.join(", ")}`;
}
