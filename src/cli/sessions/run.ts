import { resolve } from "node:path";
import type { Paths } from "../../config/index.js";
import type { Inspection, Maintenance } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import type { ListInvocation, SessionsInvocation } from "./invocation.js";

/** The commands below `sessions`. Each loads its own module, and what it works with, when it is reached. */
export async function runSessions(context: CommandContext, paths: Paths, invocation: SessionsInvocation): Promise<ExitStatus> {
  const inspection = await context.runtime.inspect(paths, context.host);
  if (isReading(invocation)) return await readSessions(context, inspection, invocation);
  return await changeSessions(context, { inspection, maintenance: await context.runtime.maintain(paths, context.host) }, invocation);
}

type Reading = Extract<SessionsInvocation, { readonly type: `sessions ${"list" | "grep" | "get" | "verify" | "export"}` }>;
type Change = Exclude<SessionsInvocation, Reading>;

const READING: ReadonlySet<SessionsInvocation["type"]> = new Set<Reading["type"]>([
  "sessions list",
  "sessions grep",
  "sessions get",
  "sessions verify",
  "sessions export",
]);

const isReading = (invocation: SessionsInvocation): invocation is Reading => READING.has(invocation.type);

async function readSessions(context: CommandContext, inspection: Inspection, invocation: Reading): Promise<ExitStatus> {
  switch (invocation.type) {
    case "sessions list":
      return await (
        await import("./list.js")
      ).listSessions(context, inspection, { ...invocation, folder: await folderOf(context, invocation) });
    case "sessions grep":
      return await (await import("./grep.js")).grepSessions(context, inspection, invocation);
    case "sessions get":
      return await (await import("./get.js")).getSession(context, inspection, invocation);
    case "sessions verify":
      return await (await import("./verify.js")).verifySessions(context, inspection, invocation);
    case "sessions export":
      return await (await import("./export.js")).exportSession(context, inspection, invocation);
  }
}

/** The folder whose sessions are listed. It need not exist any more: what was recorded there does. */
async function folderOf({ host }: CommandContext, { here, cwd }: ListInvocation): Promise<string | undefined> {
  if (!here && cwd === undefined) return undefined;
  const folder = resolve(host.cwd, cwd ?? "");
  return (await host.realPath(folder)) ?? folder;
}

async function changeSessions(
  context: CommandContext,
  stored: { readonly inspection: Inspection; readonly maintenance: Maintenance },
  invocation: Change,
): Promise<ExitStatus> {
  switch (invocation.type) {
    case "sessions import":
      return await (await import("./change/import.js")).importSession(context, stored.maintenance, invocation);
    case "sessions repair":
      return await (await import("./change/repair.js")).repairSession(context, stored, invocation);
    case "sessions fork":
      return await (await import("./change/fork.js")).forkSession(context, stored, invocation);
    case "sessions rename":
      return await (await import("./change/rename.js")).renameSession(context, stored, invocation);
    case "sessions delete":
      return await (await import("./change/delete.js")).deleteSessions(context, stored, invocation);
    case "sessions reconcile":
      return await (await import("./change/reconcile.js")).reconcileEffect(context, stored, invocation);
  }
}
