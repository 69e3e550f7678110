import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallId, createIdSource, type EffectId, type IdSource, type Result, type SubmissionId } from "../../src/base/index.js";
import { loadState, recover } from "../../src/agent/index.js";
import type { Diagnostic, EffectIntentEntry, ToolCall } from "../../src/schema/index.js";
import { createSessionStore, type SessionReader, type SessionStore, type SessionWriter } from "../../src/session/index.js";
import { createManualClock } from "../support/manual-clock.js";
import { noLimits, toolCall, Walk, type WalkOptions } from "./fixtures.js";

/** Ids as in a session file, the same in every run. */
export function countingIds(): IdSource {
  let now = 1_000_000;
  return createIdSource(
    () => {
      now += 1;
      return now;
    },
    (into) => {
      into.fill(now & 0xff);
      new DataView(into.buffer, into.byteOffset).setUint32(4, now);
    },
  );
}

export async function withStore<Value>(run: (store: SessionStore, ids: IdSource) => Promise<Value>): Promise<Value> {
  const dir = await mkdtemp(join(tmpdir(), "smith-agent-"));
  const ids = countingIds();
  const random = (into: Uint8Array): void => {
    globalThis.crypto.getRandomValues(into);
  };
  const clock = createManualClock();
  try {
    return await run(createSessionStore({ dir, clock, ids, random, version: "0.0.0", process: { pid: process.pid, host: "here" } }), ids);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export const value = <T>(result: Result<T, Diagnostic>): T => {
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
};

export const problem = <T>(result: Result<T, Diagnostic>): Diagnostic => {
  if (result.ok) throw new Error("no problem");
  return result.error;
};

/** A walk whose changes go into a session file, in order. */
export class StoredWalk extends Walk {
  readonly writer: SessionWriter;

  constructor(writer: SessionWriter, ids: IdSource, options: WalkOptions = {}) {
    super(noLimits, {
      ids,
      commit: (entries, leaf) => {
        if (entries.length > 0) this.#written.push(writer.commit({ entries, leaf: leaf ?? null }).durable);
      },
      ...options,
    });
    this.writer = writer;
  }

  readonly #written: Promise<void>[] = [];

  say(text: string, delivery: "steer" | "follow-up" = "steer"): this {
    return this.submit(text, delivery, this.ids.next<SubmissionId>());
  }

  call(name: string, args: Record<string, string> = {}): ToolCall {
    return { ...toolCall(name, args), call: this.ids.next<CallId>() };
  }

  /** Begins an effect of an open call, as the ledger does. */
  intent(name: string, operation: string): EffectId {
    const call = this.state.turn?.batch?.calls.find((one) => one.name === name);
    if (call === undefined) throw new Error(`no open call ${name}`);
    const effect = this.ids.next<EffectId>();
    const { time } = this.mint();
    const entry: EffectIntentEntry = {
      type: "effect-intent",
      id: this.ids.next(),
      time,
      effect,
      work: call.work,
      cause: call.call,
      operation,
      plugin: "toy",
      generation: 1,
      input: { path: "a.txt" },
    };
    this.take({ state: this.state, entries: [entry] });
    return effect;
  }

  done(effect: EffectId, outcome: "applied" | "not-applied" | "unknown"): this {
    const { time } = this.mint();
    return this.take({ state: this.state, entries: [{ type: "effect-done", id: this.ids.next(), time, effect, outcome, output: null }] });
  }

  async written(): Promise<this> {
    await Promise.all(this.#written);
    return this;
  }
}

/** A new session, written by a walk, which is closed afterwards. */
export async function play<Value>(store: SessionStore, ids: IdSource, run: (walk: StoredWalk) => Promise<Value>): Promise<Value> {
  const writer = value(await store.create({}));
  try {
    return await run(new StoredWalk(writer, ids));
  } finally {
    await writer.close();
  }
}

/** Goes on with a session as another process would: only what the file holds is known. */
export async function reopened<Value>(
  store: SessionStore,
  id: SessionReader["id"],
  ids: IdSource,
  run: (walk: StoredWalk) => Promise<Value>,
): Promise<Value> {
  const opened = value(await store.open(id, "write"));
  try {
    if (opened.access === "read") throw new Error("not writable");
    const writer = opened as SessionWriter;
    const state = value(await loadState(writer, await recover(writer)));
    return await run(new StoredWalk(writer, ids, { state }));
  } finally {
    await opened.close();
  }
}
