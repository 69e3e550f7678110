import { readFileSync } from "node:fs";
import { createIdSource, type SessionId } from "../../../src/base/index.js";
import {
  createSessionStore,
  type SessionReader,
  type SessionStore,
  type SessionStoreDeps,
  type SessionWriter,
} from "../../../src/session/index.js";
import { workload } from "./workload.js";

/** What the tasks take from outside. */
export interface Ambient {
  readonly now: () => number;
  readonly pid: number;
}

const IN_FLIGHT = 256;

const random = (into: Uint8Array): void => {
  globalThis.crypto.getRandomValues(into);
};

export function openStore({ now, pid }: Ambient, dir: string): SessionStore {
  const deps: SessionStoreDeps = {
    dir,
    clock: { now, monotonic: () => performance.now(), sleep: () => Promise.reject(new Error("nothing sleeps")) },
    ids: createIdSource(now, random),
    random,
    version: "0.0.0",
    process: { pid, host: "bench" },
  };
  return createSessionStore(deps);
}

export async function createdIn(store: SessionStore): Promise<SessionWriter> {
  const made = await store.create({});
  if (!made.ok) throw new Error(made.error.what);
  return made.value;
}

export async function openedIn(store: SessionStore, id: SessionId): Promise<SessionReader> {
  const opened = await store.open(id, "read");
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value;
}

/** Writes the workload into a new session, many changes to a sync. */
export async function build(store: SessionStore, entries: number): Promise<{ readonly id: SessionId; readonly path: string }> {
  const writer = await createdIn(store);
  let pending: Promise<void>[] = [];
  for (const { entries: change, leaf } of workload(entries)) {
    pending.push(writer.commit({ entries: change, ...(leaf === undefined ? {} : { leaf }) }).durable);
    if (pending.length < IN_FLIGHT) continue;
    await Promise.all(pending);
    pending = [];
  }
  await Promise.all(pending);
  await writer.close();
  return { id: writer.id, path: writer.path };
}

/** Bytes this process has read so far, from files and caches alike; undefined where the system does not tell. */
export function bytesRead(): number | undefined {
  try {
    return Number(/^rchar: (\d+)$/mu.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
