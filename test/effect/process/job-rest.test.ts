import { execFileSync } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Bench, createBench, makeFolder, removeFolder } from "../support.js";

let folder: string;
let bench: Bench;
beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder, { outputs: join(folder, "outputs") });
  execFileSync("mkfifo", [join(folder, "held"), join(folder, "gate")]);
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

/** Goes away from the job that began it and keeps nothing of it but its mark. Holds the pipe as long as it lives. */
const daemon = "setsid sh -c 'exec 9>held; echo up >&9; exec sleep 600' </dev/null >/dev/null 2>&1 &";

/** What comes out of the pipe until nobody holds it any more; `up` once somebody does. */
async function holder(): Promise<{ readonly up: string; readonly rest: Promise<string> }> {
  const held = (await open(join(folder, "held"))).createReadStream({ encoding: "latin1" });
  const pieces = held[Symbol.asyncIterator]();
  const first: IteratorResult<unknown> = await pieces.next();
  const rest = async (): Promise<string> => {
    const next: IteratorResult<unknown> = await pieces.next();
    return next.done === true ? "gone" : String(next.value);
  };
  return { up: String(first.value), rest: rest() };
}

describe("what a job leaves running when it ends", { timeout: 30_000 }, () => {
  test("is told, and ends with the session", async () => {
    await bench.value("process.start", { command: daemon });
    const { up, rest } = await holder();
    expect(up).toBe("up\n");
    expect(await bench.value("process.output", { job: "job-1", waitMs: 20_000 })).toMatchObject({
      running: false,
      exitCode: 0,
      leftRunning: true,
    });
    await bench.close();
    expect(await rest).toBe("gone");
  });

  test("is ended like a job that runs, once", async () => {
    await bench.value("process.start", { command: daemon });
    const { rest } = await holder();
    await bench.value("process.output", { job: "job-1", waitMs: 20_000 });
    const killed = await bench.call("process.kill", { job: "job-1" });
    expect(await rest).toBe("gone");
    expect(killed.outcome).toBe("applied");
    expect(killed.result.ok && killed.result.value.leftRunning).toBe(undefined);
    expect((await bench.call("process.kill", { job: "job-1" })).outcome).toBe("not-applied");
  });

  test("in its own group, with its output, is the same", async () => {
    await bench.value("process.start", { command: "sh -c 'exec 9>held; echo up >&9; echo up; exec sleep 600' & exit 3" });
    const { rest } = await holder();
    expect(await bench.value("process.output", { job: "job-1", waitMs: 20_000 })).toMatchObject({ exitCode: 3, leftRunning: true });
    await bench.value("process.kill", { job: "job-1" });
    expect(await rest).toBe("gone");
  });

  test("and has ended by itself since is not ended again", async () => {
    await bench.value("process.start", {
      command: "setsid sh -c 'exec 9>held; echo up >&9; read -r line < gate' </dev/null >/dev/null 2>&1 &",
    });
    const { rest } = await holder();
    await bench.value("process.output", { job: "job-1", waitMs: 20_000 });
    await writeFile(join(folder, "gate"), "go\n");
    expect(await rest).toBe("gone");
    expect(await bench.call("process.kill", { job: "job-1" })).toMatchObject({
      outcome: "not-applied",
      result: { value: { exitCode: 0 } },
    });
  });

  test("is found while it goes on as another program, over and over", async () => {
    await writeFile(join(folder, "again"), "exec sh ./again\n");
    for (let round = 1; round <= 5; round += 1) {
      await bench.value("process.start", {
        command: "setsid sh -c 'exec 9>held; echo up >&9; exec sh ./again' </dev/null >/dev/null 2>&1 &",
      });
      const { rest } = await holder();
      await bench.value("process.output", { job: `job-${round}`, waitMs: 20_000 });
      expect((await bench.call("process.kill", { job: `job-${round}` })).outcome).toBe("applied");
      expect(await rest).toBe("gone");
    }
  });

  test("nothing is nothing", async () => {
    await bench.value("process.start", { command: "true" });
    expect(await bench.value("process.output", { job: "job-1", waitMs: 20_000 })).not.toHaveProperty("leftRunning");
  });
});
