import type { EntryId, SessionId } from "../../../src/base/index.js";
import { createIdSource } from "../../../src/base/index.js";
import type { SessionReader, SessionStore, SessionWriter } from "../../../src/session/index.js";
import { createSessionStore } from "../../../src/session/index.js";
import type { Built, Form } from "./form.js";
import type { Workload } from "./workload.js";
import { START, textBytes } from "./workload.js";

const IN_FLIGHT = 256;
/** Entries that a first screen is made of. */
export const SCREEN = 60;

const random = (into: Uint8Array): void => {
  globalThis.crypto.getRandomValues(into);
};

export const storeIn = (dir: string, now: () => number): SessionStore =>
  createSessionStore({
    dir,
    clock: { now, monotonic: () => performance.now(), sleep: () => Promise.reject(new Error("nothing sleeps")) },
    ids: createIdSource(now, random),
    random,
    version: "0.0.0",
    process: { pid: process.pid, host: "bench" },
  });

const valueOf = <Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: { readonly what: string } },
): Value => {
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
};

export const createIn = async (store: SessionStore): Promise<SessionWriter> => valueOf(await store.create({}));

/** The store of this repository. A session's name is its id. */
export class SmithForm implements Form {
  readonly #dir: string;
  readonly #store: SessionStore;

  constructor(dir: string, now: () => number) {
    this.#dir = dir;
    this.#store = storeIn(dir, now);
  }

  /** Many changes to a sync. */
  async build(workload: Workload, entries: number): Promise<Built> {
    const at = { time: START };
    const writer = await createIn(storeIn(this.#dir, () => at.time));
    const built = { name: writer.id, entries: 0, textBytes: 0 };
    let pending: Promise<void>[] = [];
    for (const change of workload(entries)) {
      at.time = change.time;
      pending.push(writer.commit({ entries: change.entries, ...(change.leaf === undefined ? {} : { leaf: change.leaf }) }).durable);
      built.entries += change.entries.length;
      built.textBytes += textBytes(change);
      if (pending.length < IN_FLIGHT) continue;
      await Promise.all(pending);
      pending = [];
    }
    await Promise.all(pending);
    await writer.close();
    return built;
  }

  async open(name: string): Promise<number> {
    const reader = await this.#reader(name);
    let seen = 0;
    for await (const entry of reader.branch()) {
      seen += entry.id === "" ? 0 : 1;
      if (seen === SCREEN) break;
    }
    const live = await reader.live();
    await reader.close();
    return seen + live.works.size;
  }

  async ids(name: string, every: number): Promise<readonly string[]> {
    const reader = await this.#reader(name);
    const ids: string[] = [];
    let count = 0;
    for await (const { entries } of reader.changes()) {
      for (const entry of entries) {
        count += 1;
        if (count % every === 0) ids.push(entry.id);
      }
    }
    await reader.close();
    return ids;
  }

  async *get(name: string, ids: readonly string[]): AsyncGenerator<number, void, undefined> {
    const reader = await this.#reader(name);
    for (const id of ids) {
      const started = performance.now();
      // The ids came from this file.
      const found = await reader.get(id as EntryId);
      if (found?.id !== id) throw new Error(`${id} was not found`);
      yield performance.now() - started;
    }
    await reader.close();
  }

  async list(detail: "header" | "summary"): Promise<number> {
    let count = 0;
    for await (const summary of this.#store.list({ detail })) count += summary.state === "sound" ? 1 : 0;
    return count;
  }

  async grep(name: string, pattern: RegExp): Promise<number> {
    let count = 0;
    for await (const found of this.#store.grep(pattern, { sessions: [name as SessionId] })) count += "damage" in found ? 0 : 1;
    return count;
  }

  /** Bytes checked. */
  async verify(name: string): Promise<number> {
    for await (const found of this.#store.verify(name as SessionId)) {
      const report = valueOf(found);
      if (!("bytes" in report)) throw new Error(report.what);
      return report.bytes;
    }
    throw new Error("there was no report");
  }

  /** Entries of the fork, which is removed again. */
  async fork(name: string): Promise<number> {
    const forked = valueOf(await this.#store.fork(name as SessionId));
    valueOf(await this.#store.remove(forked.id));
    return forked.entries;
  }

  async #reader(name: string): Promise<SessionReader> {
    return valueOf(await this.#store.open(name as SessionId, "read"));
  }
}
