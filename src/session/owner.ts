import type { OwnerInfo } from "../schema/index.js";
import type { FileOperations } from "./log/index.js";
import { errorCode } from "./log/index.js";

/** Who holds a session, beside its file. For display only: the kernel lock is the authority, and this may be stale. */
export const ownerPath = (sessionPath: string): string => sessionPath.replace(/\.smith$/u, ".owner");

export async function writeOwner(ops: FileOperations, sessionPath: string, owner: OwnerInfo): Promise<void> {
  try {
    await ops.writeText(ownerPath(sessionPath), `${JSON.stringify(owner)}\n`);
  } catch {
    // Nothing depends on it.
  }
}

export async function removeOwner(ops: FileOperations, sessionPath: string): Promise<void> {
  try {
    await ops.unlink(ownerPath(sessionPath));
  } catch {
    // Gone already, or not ours to remove.
  }
}

export async function readOwner(ops: FileOperations, sessionPath: string): Promise<OwnerInfo | undefined> {
  try {
    const value: unknown = JSON.parse(await ops.readText(ownerPath(sessionPath)));
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is OwnerInfo {
  if (typeof value !== "object" || value === null) return false;
  const { pid, host, startedAt, version } = value as { readonly [key: string]: unknown };
  return typeof pid === "number" && typeof host === "string" && typeof startedAt === "number" && typeof version === "string";
}

/** Whether the process still runs, as far as this host can tell. Other hosts' processes count as running. */
export function mayRun(owner: OwnerInfo, host: string): boolean {
  return owner.host !== host || isRunning(owner.pid);
}

/** Whether a process of this host runs, whoever owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
