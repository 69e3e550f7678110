import { closeSync, fdatasync, openSync, statSync, write } from "node:fs";
import { promisify } from "node:util";
import type { Entry } from "../../../src/schema/index.js";
import type { SessionWriter } from "../../../src/session/index.js";
import { createIn, storeIn } from "./smith.js";
import { createInsert, openDatabase } from "./sqlite.js";
import type { WorkloadChange } from "./workload.js";
import { createWorkload } from "./workload.js";

const writeTo = promisify(write);
const syncOf = promisify(fdatasync);
const WARM_UP = 20;

type Append = (change: WorkloadChange) => Promise<void>;

interface Subject {
  readonly name: string;
  readonly append: Append;
  readonly end: () => void | Promise<void>;
}

/** A file that something is appended to and made durable, and nothing else: what the disk itself takes. */
function bare(path: string, bytesOf: (change: WorkloadChange) => Uint8Array): Subject & { readonly sync: boolean } {
  return appender("bare", path, true, bytesOf);
}

function appender(
  name: string,
  path: string,
  sync: boolean,
  bytesOf: (change: WorkloadChange) => Uint8Array,
): Subject & { readonly sync: boolean } {
  const fd = openSync(path, "a");
  return {
    name,
    sync,
    append: async (change) => {
      await writeTo(fd, bytesOf(change));
      if (sync) await syncOf(fd);
    },
    end: () => {
      closeSync(fd);
    },
  };
}

const linesOf = ({ entries }: WorkloadChange): Uint8Array =>
  Buffer.from(entries.map((entry: Entry) => `${JSON.stringify(entry)}\n`).join(""), "utf8");

function sqlite(name: string, module: string, path: string, mode: "FULL" | "NORMAL"): Subject {
  const database = openDatabase(module, path);
  database.pragma(`synchronous = ${mode}`);
  const insert = createInsert(database);
  return {
    name,
    append: ({ entries }) => {
      database.exec("begin");
      insert(entries);
      database.exec("commit");
      return Promise.resolve();
    },
    end: () => {
      database.close();
    },
  };
}

const smith = (writer: SessionWriter): Subject => ({
  name: "smith",
  append: async ({ entries, leaf }) => writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) }).durable,
  end: () => writer.close(),
});

/** The mean size of a change in a session file, so that the bare file grows by as much. */
async function bytesAChange(dir: string, now: () => number): Promise<number> {
  const writer = await createIn(storeIn(dir, now));
  let changes = 0;
  for (const { entries, leaf } of createWorkload()(3000)) {
    await writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) }).published;
    changes += 1;
  }
  await writer.close();
  return Math.round(statSync(writer.path).size / changes);
}

/** Milliseconds of every append, by subject; one change of each in turn, so that all see the same machine. */
export async function measureAppends(
  dir: string,
  options: { readonly changes: number; readonly module: string | undefined; readonly now: () => number },
): Promise<{ readonly [subject: string]: readonly number[] }> {
  const filler = Buffer.alloc(await bytesAChange(dir, options.now), 0x61);
  const subjects: readonly Subject[] = [
    bare(`${dir}/bare`, () => filler),
    smith(await createIn(storeIn(dir, options.now))),
    appender("jsonl, no sync", `${dir}/plain.jsonl`, false, linesOf),
    appender("jsonl, fdatasync", `${dir}/synced.jsonl`, true, linesOf),
    ...(options.module === undefined
      ? []
      : [
          sqlite("sqlite, FULL", options.module, `${dir}/full.db`, "FULL"),
          sqlite("sqlite, NORMAL", options.module, `${dir}/normal.db`, "NORMAL"),
        ]),
  ];
  const times = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  let count = 0;
  for (const change of createWorkload()(Number.POSITIVE_INFINITY)) {
    for (const { name, append } of subjects) {
      const started = performance.now();
      await append(change);
      if (count >= WARM_UP) times.get(name)?.push(performance.now() - started);
    }
    count += 1;
    if (count >= WARM_UP + options.changes) break;
  }
  for (const { end } of subjects) await end();
  return Object.fromEntries(times);
}
