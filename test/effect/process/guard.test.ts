import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createGuard, MARK_NAME } from "../../../src/effect/process/index.js";

/** In a session of its own, and running: it has said so. */
async function started(command: string, mark: string): Promise<ChildProcess & { readonly pid: number }> {
  const env = { PATH: process.env["PATH"] ?? "", [MARK_NAME]: mark };
  const child = spawn("/bin/sh", ["-c", `echo up; ${command}`], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const { pid } = child;
  if (pid === undefined) throw new Error("it was started");
  return Object.assign(child, { pid });
}

test(
  "when we are gone, what we started ends, also what went into a session of its own; nothing else does",
  { timeout: 60_000 },
  async () => {
    const guard = createGuard();
    guard.start();
    const group = await started("exec sleep 600", "mark-a");
    const stubborn = await started("trap '' TERM; while :; do sleep 0.1; done", "mark-b");
    const escaped = await started("exec sleep 600", "mark-a");
    const other = await started("exec sleep 600", "mark-c");
    const released = await started("exec sleep 600", "mark-d");
    const forgotten = await started("exec sleep 600", "mark-e");
    const scattered = await started("exec sleep 600", "mark-f");
    guard.add(group.pid, "mark-a");
    guard.add(stubborn.pid, "mark-b");
    guard.add(released.pid, "mark-d");
    guard.add(forgotten.pid, "mark-e");
    guard.add(undefined, "mark-f");
    guard.remove(released.pid);
    guard.remove("mark-e");
    const ends = Promise.all([group, stubborn, escaped, scattered].map(async (child) => (await once(child, "exit"))[1] as string));
    // To the companion our end looks the same.
    await guard.close();
    expect(await ends).toEqual(["SIGTERM", "SIGKILL", "SIGTERM", "SIGTERM"]);
    for (const child of [other, released, forgotten]) {
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
    }
  },
);
