import { readFileSync } from "node:fs";
import { measureAppends } from "./append.js";
import type { Form } from "./form.js";
import { LinesForm } from "./lines.js";
import { SmithForm } from "./smith.js";
import { SqliteForm } from "./sqlite.js";
import { createWorkload } from "./workload.js";

/** One thing to do in a process of its own. */
export interface Task {
  readonly type: "build" | "build-many" | "open" | "get" | "list" | "grep" | "verify" | "fork" | "append";
  readonly form: "smith" | "jsonl" | "sqlite";
  readonly dir: string;
  readonly name?: string;
  /** Entries to build, sessions to build, or changes to append. */
  readonly count?: number;
  readonly detail?: "header" | "summary";
  readonly pattern?: string;
  /** Folder that better-sqlite3 is installed in. */
  readonly module?: string;
}

export interface Ambient {
  readonly now: () => number;
}

/** Does the task and tells how long it took, what it read and what the process holds at its peak. */
export async function runTask(task: Task, ambient: Ambient): Promise<unknown> {
  const before = readSoFar();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = await doTask(task, ambient);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const after = readSoFar();
  return {
    ms,
    cpuMs: (user + system) / 1000,
    readMb: before === undefined || after === undefined ? undefined : (after - before) / 1e6,
    peakMb: peakMb(),
    result,
  };
}

function formOf({ form, dir, module }: Task, { now }: Ambient): Form {
  switch (form) {
    case "smith":
      return new SmithForm(dir, now);
    case "jsonl":
      return new LinesForm(dir);
    case "sqlite":
      return new SqliteForm(dir, module ?? "");
  }
}

async function doTask(task: Task, ambient: Ambient): Promise<unknown> {
  const { name = "", count = 0 } = task;
  const form = formOf(task, ambient);
  switch (task.type) {
    case "build":
      return form.build(createWorkload(), count);
    case "build-many":
      return buildMany(form, count);
    case "open":
      return form.open(name);
    case "get":
      return getTimes(form, name, count);
    case "list":
      return form.list(task.detail ?? "summary");
    case "grep":
      return form.grep(name, new RegExp(task.pattern ?? ""));
    case "verify":
      return smithOf(form).verify(name);
    case "fork":
      return smithOf(form).fork(name);
    case "append":
      return measureAppends(task.dir, { changes: count, module: task.module, now: ambient.now });
  }
}

/** What only the store does. */
function smithOf(form: Form): SmithForm {
  if (!(form instanceof SmithForm)) throw new Error("only the store can do that");
  return form;
}

/** Short, ordinary and long sessions in turn: 200 KB on average. */
const SIZES = [30, 150, 400];
const TOGETHER = 20;

async function buildMany(form: Form, sessions: number): Promise<number> {
  const workload = createWorkload();
  for (let start = 0; start < sessions; start += TOGETHER) {
    const batch = Array.from({ length: Math.min(TOGETHER, sessions - start) }, (_, index) => SIZES[(start + index) % SIZES.length] ?? 0);
    await Promise.all(batch.map((entries) => form.build(workload, entries)));
  }
  return sessions;
}

async function getTimes(form: Form, name: string, count: number): Promise<readonly number[]> {
  const ids = await form.ids(name, 997);
  // In no order of the file, the same in every run.
  const wanted = Array.from({ length: count }, (_, index) => ids[(index * 7919) % ids.length] ?? "");
  const times: number[] = [];
  for await (const ms of form.get(name, wanted)) times.push(ms);
  return times;
}

function readSoFar(): number | undefined {
  const found = /^rchar: (\d+)$/mu.exec(proc("io"))?.[1];
  return found === undefined ? undefined : Number(found);
}

function peakMb(): number | undefined {
  const found = /^VmHWM:\s+(\d+)/mu.exec(proc("status"))?.[1];
  return found === undefined ? undefined : Number(found) / 1024;
}

function proc(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, "utf8");
  } catch {
    return "";
  }
}
