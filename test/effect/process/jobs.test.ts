import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Bench, createBench, NOTHING } from "../support.js";

let dir: string;
let bench: Bench;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-jobs-"));
  bench = createBench(dir, { outputs: join(dir, "outputs") });
  await bench.value("process.run", { command: "mkfifo gate" });
});
afterEach(async () => {
  await bench.close();
  await rm(dir, { recursive: true, force: true });
});

const open = async (): Promise<void> => await writeFile(join(dir, "gate"), "go\n");

/** One that has ended and that nobody has collected yet does not run. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/^[ZX]/u.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** Command lines of living processes that hold the word. */
async function withWord(word: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const lines = await Promise.all(pids.map(async (pid) => await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(word) && !line.includes("vitest"));
}

/** What a job printed, once it has printed that. */
async function until(job: string, text: string): Promise<string> {
  let seen = "";
  while (!seen.includes(text)) seen += (await bench.value("process.output", { job, waitMs: 20 })).output;
  return seen;
}

describe("a job", () => {
  test("runs beside what began it, tells what came since the last look, and keeps all of it in its file", async () => {
    const begun = await bench.call("process.start", {
      command: "printf 'one \\342'; read line < gate; printf '\\202\\254 %s\\n' $line; exit 3",
    });
    expect(begun).toMatchObject({ outcome: "applied", result: { value: { job: "job-1", running: true, exitCode: null } } });
    expect(await until("job-1", "one")).toBe("one ");
    await open();
    const last = await bench.value("process.output", { job: "job-1", waitMs: 60_000 });
    expect(last).toMatchObject({ running: false, exitCode: 3, signal: null, output: "€ go\n", omittedBytes: 0 });
    expect((await bench.value("process.output", { job: "job-1" })).output).toBe("");
    expect((await bench.value("process.output", { job: "job-1", from: "start" })).output).toBe("one € go\n");
    expect(await readFile(last.outputFile, "utf8")).toBe("one € go\n");
    expect(await bench.value("process.jobs", {})).toMatchObject({ jobs: [{ job: "job-1", running: false, outputBytes: 11 }] });
  });

  test("is ended with everything it started, once; ended again it stays as it was", async () => {
    await bench.value("process.start", { command: "sh -c 'echo $$; exec sleep 600' & echo up; wait" });
    const printed = await until("job-1", "up");
    const child = Number(/^\d+$/mu.exec(printed)?.[0] ?? (await until("job-1", "\n")).trim());
    expect(await isRunning(child)).toBe(true);
    expect(await bench.call("process.kill", { job: "job-1" })).toMatchObject({ outcome: "applied", result: { value: { running: false } } });
    expect(await isRunning(child)).toBe(false);
    expect(await bench.call("process.kill", { job: "job-1" })).toMatchObject({ outcome: "not-applied", result: { ok: true } });
  });

  test("as many as may run are started at once, and one more is refused with the names of those", async () => {
    const start = async () => await bench.call("process.start", { command: "exec sleep 600" });
    const started = await Promise.all(Array.from({ length: 16 }, start));
    expect(started.map(({ result }) => result.ok)).toEqual(Array.from({ length: 16 }, () => true));
    expect(await start()).toMatchObject({
      outcome: "not-applied",
      result: { error: { what: "The job was not started: 16 run already." } },
    });
  });

  test("ends with its session", async () => {
    await bench.value("process.start", { command: "echo $$; exec sleep 600" });
    const pid = Number((await until("job-1", "\n")).trim());
    await bench.close();
    expect(await isRunning(pid)).toBe(false);
  });

  test("outlives the call that began it; an abort ends the wait for it and nothing else", async () => {
    const call = new AbortController();
    await bench.value("process.start", { command: "read line < gate; echo done" }, { signal: call.signal });
    call.abort();
    expect(await bench.value("process.output", { job: "job-1", waitMs: 60_000 }, { signal: call.signal })).toMatchObject({ running: true });
    await open();
    expect(await until("job-1", "done")).toBe("done\n");
  });

  test("keeps head and tail of a flood, and all of it in the file", async () => {
    await bench.value("process.start", { command: "seq 1 40000" });
    const { output, omittedBytes, outputFile } = await bench.value("process.output", { job: "job-1", waitMs: 60_000 });
    expect(output.startsWith("1\n2\n")).toBe(true);
    expect(output.endsWith("39999\n40000\n")).toBe(true);
    expect(omittedBytes).toBeGreaterThan(100_000);
    expect((await readFile(outputFile, "utf8")).split("\n")).toHaveLength(40_001);
    expect(await bench.value("fs.read", { path: outputFile, limit: 1 }, {})).toMatchObject({ type: "text", totalLines: 40_000 });
  });

  test("that is unknown, has no command, or is one too many is refused with what there is", async () => {
    expect(await bench.error("process.output", { job: "job-9" })).toMatchObject({ code: "process.no-such-job" });
    expect(await bench.error("process.start", { command: " " })).toMatchObject({ code: "process.bad-command" });
    for (let index = 0; index < 16; index += 1) await bench.value("process.start", { command: "exec sleep 600" });
    expect(await bench.error("process.start", { command: "exec sleep 600" })).toMatchObject({ code: "process.too-many-jobs" });
  });
});

describe("a job of an earlier process", () => {
  test("is told as ended, with where its output is; its name is not given again", async () => {
    await bench.value("process.start", { command: "echo words" });
    await bench.value("process.output", { job: "job-1", waitMs: 60_000 });
    await bench.close();
    bench = createBench(dir, { outputs: join(dir, "outputs") });
    const former = await bench.error("process.output", { job: "job-1" });
    expect(former).toMatchObject({ code: "process.no-such-job", what: expect.stringContaining("job-1 has ended") as string });
    expect(former.next).toContain(join(dir, "outputs", "job-1.log"));
    expect(await bench.error("process.kill", { job: "job-1" })).toEqual(former);
    expect((await bench.error("process.kill", { job: "../job-1" })).what).toContain("There is no job");
    expect(await bench.value("process.start", { command: "exec sleep 600" })).toMatchObject({ job: "job-2" });
    expect(await readFile(join(dir, "outputs", "job-1.log"), "utf8")).toBe("words\n");
  });
});

describe("secrets in what a job prints", () => {
  test("are taken out of every look, the file and the progress of others", async () => {
    const key = "sk-very-secret-value-1234567890";
    await bench.close();
    bench = createBench(dir, { outputs: join(dir, "outputs"), secret: () => key });
    const grants = { grants: { ...NOTHING, process: ["*"], processEnv: ["MY_*"], secrets: ["TEST_KEY"] } };
    const env = { MY_KEY: "{secret:TEST_KEY}" };
    await bench.value("process.start", { command: "printf %s ${MY_KEY%1234567890}; read line < gate; echo 1234567890", env }, grants);
    await open();
    const look = await bench.value("process.output", { job: "job-1", waitMs: 60_000 }, grants);
    expect([look.output, await readFile(look.outputFile, "utf8")]).toEqual(["[redacted]\n", "[redacted]\n"]);
  });
});

test("of many starts at once no more than there may be are begun", async () => {
  const starts = await Promise.all(
    Array.from({ length: 20 }, async () => await bench.call("process.start", { command: "exec sleep 600" })),
  );
  expect(starts.filter(({ outcome }) => outcome === "applied")).toHaveLength(16);
  const { jobs } = await bench.value("process.jobs", {});
  expect(new Set(jobs.map(({ job }) => job)).size).toBe(16);
});

test("jobs that have ended are told of, the last of them", async () => {
  for (let index = 0; index < 70; index += 1) {
    await bench.value("process.start", { command: "exit 0" });
    await bench.value("process.output", { job: `job-${index + 1}`, waitMs: 60_000 });
  }
  const { jobs } = await bench.value("process.jobs", {});
  expect([jobs.length, jobs[0]?.job, jobs.at(-1)?.job]).toEqual([64, "job-7", "job-70"]);
});

test("nothing of a session's jobs is left when it ends, wherever they went", async () => {
  await bench.value("process.start", {
    command: "setsid sh -c 'sleep 305.25; :' & (sleep 305.25; :) & trap '' TERM; echo up; wait; sleep 305.25",
  });
  await until("job-1", "up");
  await bench.close();
  expect(await withWord("305.25")).toEqual([]);
});

test("a command whose output is cut says where the whole of it is", async () => {
  const cut = await bench.value("process.run", { command: "seq 1 40000" });
  expect(cut.omittedBytes).toBeGreaterThan(0);
  expect((await readFile(cut.outputFile ?? "", "utf8")).split("\n")).toHaveLength(40_001);
  expect((await bench.value("process.run", { command: "seq 1 10" })).outputFile).toBeUndefined();
});
