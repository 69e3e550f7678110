import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, SessionId } from "../../../src/base/index.js";
import { createIdSource } from "../../../src/base/index.js";
import type { SessionReader, SessionStore, SessionStoreDeps, SessionWriter } from "../../../src/session/index.js";
import { createSessionStore } from "../../../src/session/index.js";
import { createRealClock } from "../../support/real-clock.js";

/** The store waits only for the name of an owner that is just being written. */
export const systemClock: Clock = createRealClock();

const random = (into: Uint8Array): void => {
  globalThis.crypto.getRandomValues(into);
};

export const depsFor = (dir: string, overrides: Partial<SessionStoreDeps> = {}): SessionStoreDeps => ({
  dir,
  clock: systemClock,
  ids: createIdSource(Date.now, random),
  random,
  version: "0.0.0",
  process: { pid: process.pid, host: "here" },
  ...overrides,
});

/** Runs with a store in a fresh directory, which is removed afterwards. */
export async function withStore<Value>(run: (store: SessionStore, dir: string) => Promise<Value>): Promise<Value> {
  const dir = await mkdtemp(join(tmpdir(), "smith-session-"));
  try {
    return await run(createSessionStore(depsFor(dir)), dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export async function created(store: SessionStore, id?: SessionId): Promise<SessionWriter> {
  const result = await store.create(id === undefined ? {} : { id });
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

export async function openedReader(store: SessionStore, id: SessionId): Promise<SessionReader> {
  const result = await store.open(id, "read");
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

export async function openedWriter(store: SessionStore, id: SessionId): Promise<SessionWriter> {
  const result = await store.open(id, "write");
  if (!result.ok) throw new Error(result.error.what);
  if (result.value.access === "read") throw new Error("not writable");
  return result.value as SessionWriter;
}

export async function collect<Value>(items: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const item of items) all.push(item);
  return all;
}
