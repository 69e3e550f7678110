import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createShellLines } from "../../../src/effect/index.js";
import { ownIds } from "../../support/own-ids.js";
import { createRealClock } from "../../support/real-clock.js";

/** How long it takes to close while a command runs, and how that command ended. */
async function closeWhileRunning(): Promise<{ readonly ms: number; readonly type: string }> {
  const lines = createShellLines({ clock: createRealClock(), ids: ownIds(), env: { PATH: process.env["PATH"] ?? "" } });
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  // It runs when it has called.
  const script = `require("node:net").connect(${String(port)}, "127.0.0.1").on("error", () => {}); setInterval(() => {}, 60000)`;
  const command = `exec '${process.execPath}' -e '${script}'`;
  const run = lines.run({ command, cwd: "/", timeoutMs: 60_000, maxBytes: 100 }, new AbortController().signal);
  await once(server, "connection");
  const begun = performance.now();
  await lines.close();
  const ms = performance.now() - begun;
  server.close();
  return { ms, type: (await run).type };
}

test("closing waits for commands that were told to end, not for the whole grace of those that do not", { timeout: 60_000 }, async () => {
  const times: number[] = [];
  // The grace is a second each time; a busy machine is slow only now and then.
  while (times.length < 5 && Math.min(...times) >= 900) {
    const { ms, type } = await closeWhileRunning();
    expect(type).toBe("aborted");
    times.push(ms);
  }
  expect(Math.min(...times)).toBeLessThan(900);
});
