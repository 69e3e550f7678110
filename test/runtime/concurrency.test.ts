import { describe, expect, test } from "vitest";
import { type ReconstructedRequest, reconstructRequest } from "../../src/agent/index.js";
import type { CallId, EntryId, SubmissionId } from "../../src/base/index.js";
import type { Receipt } from "../../src/runtime/types.js";
import { type Entry, isHistoryEntry } from "../../src/schema/index.js";
import { answer, outcome, sha256, toolCall } from "../agent/fixtures.js";
import { pairingProblem } from "../agent/pairing.js";
import { openedReader } from "../session/support/store.js";
import { type Disk, onDisk } from "./faulty-disk.js";
import type { Live, LiveBench } from "./live-bench.js";

/** Numbers from 0 to below `below`, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const tick = async (): Promise<void> => {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
};

/** What happens to a session under demands that come whenever they like. */
class Chaos {
  readonly #bench: LiveBench;
  readonly #disk: Disk;
  readonly #random: (below: number) => number;
  readonly #receipts: Receipt[] = [];
  readonly #known: SubmissionId[] = [];
  /** Demands that may still be under way. */
  #demands: Promise<void>[] = [];
  #live: Live;
  #count = 0;

  constructor(bench: LiveBench, disk: Disk, seed: number) {
    this.#bench = bench;
    this.#disk = disk;
    this.#random = numbers(seed);
    this.#live = this.#played(bench.create());
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      for (let demands = 1 + this.#random(3); demands > 0; demands -= 1) this.#demands.push(this.#act());
      if (this.#random(3) > 0) await this.#met();
      if (this.#random(3) === 0) await this.#ended();
      if (this.#random(8) === 0) await this.#begunAgain();
    }
    await this.#closed();
  }

  /** A provider and tools that answer when they like. */
  #played(live: Live): Live {
    live.knobs.available = { tools: [], providers: [{ id: "toy", plugin: "toy" }] };
    live.knobs.dispatch = async () => {
      for (let wait = this.#random(3); wait > 0; wait -= 1) await tick();
      return outcome("content");
    };
    const answerAll = async (): Promise<never> => {
      for (;;) {
        const round = await live.nextRound();
        for (let wait = this.#random(4); wait > 0; wait -= 1) await tick();
        const calls = Array.from({ length: this.#random(3) }, () => ({ ...toolCall("read"), call: this.#callId() }));
        round.end({ type: "done", result: answer(`answer ${String(this.#count)}`, calls) });
      }
    };
    answerAll().catch((error: unknown) => {
      throw error;
    });
    return live;
  }

  #callId(): CallId {
    this.#count += 1;
    return `00000000-0000-7000-8000-${String(this.#count).padStart(12, "0")}` as CallId;
  }

  async #submit(): Promise<void> {
    const key = this.#random(3) === 0 ? `k${String(this.#random(4))}` : undefined;
    this.#count += 1;
    const delivery = this.#random(2) === 0 ? "steer" : "follow-up";
    const input = { text: key ?? `input ${String(this.#count)}`, delivery, ...(key === undefined ? {} : { key }) } as const;
    const made = await this.#live.session.submit(input);
    if (!made.ok) return;
    this.#receipts.push(made.value);
    this.#known.push(made.value.submission);
  }

  async #act(): Promise<void> {
    const { session } = this.#live;
    switch (this.#random(14)) {
      case 0:
        if (this.#random(3) === 0) await session.abort();
        return;
      case 1:
        await session.navigate(await this.#entry());
        return;
      case 2: {
        const target = await this.#entry();
        if (target !== undefined) await session.editContext([{ target, operation: "replace", text: "edited" }]);
        return;
      }
      case 3:
        await session.rename(`name ${String(this.#random(5))}`);
        return;
      case 4: {
        const resumed = await session.resumeWork();
        if (resumed.ok) this.#receipts.push(resumed.value);
        return;
      }
      case 5: {
        const one = this.#known[this.#random(this.#known.length + 1)];
        if (one !== undefined) await session.withdraw(one);
        return;
      }
      case 6: {
        const page = await session.backlog({ limit: 5 });
        for (const event of page.events) expect(event.session).toBe(session.id);
        return;
      }
      case 7:
        this.#disk.on = this.#random(2) === 0 ? "write" : "fdatasync";
        this.#disk.fault = { error: "ENOSPC" };
        await tick();
        this.#disk.fault = undefined;
        return;
      default:
        await this.#submit();
    }
  }

  async #entry(): Promise<EntryId | undefined> {
    const page = await this.#live.session.backlog({ limit: 20 });
    const ids = page.events.flatMap((event) => (event.type === "user" || event.type === "assistant" ? [event.entry] : []));
    return ids[this.#random(ids.length + 1)];
  }

  /** The process ends, in order or not, and another one takes up the session. */
  async #begunAgain(): Promise<void> {
    if (this.#known.length === 0) return;
    if (this.#random(2) === 0) await this.#closed();
    else {
      // A process that ended keeps no promises; its demands fail as they may, also while it ends.
      const failed = Promise.allSettled(this.#demands);
      await this.#live.crash();
      await failed;
      this.#demands = [];
      this.#receipts.length = 0;
    }
    this.#live = this.#played(await this.#bench.reopen());
  }

  async #closed(): Promise<void> {
    this.#disk.fault = undefined;
    await this.#live.session.close();
    await this.#met();
    await this.#ended();
  }

  async #met(): Promise<void> {
    await Promise.all(this.#demands);
    this.#demands = [];
  }

  /** Whoever was promised an end gets one. */
  async #ended(): Promise<void> {
    const ends = await Promise.all(this.#receipts.map(async ({ settled }) => await settled));
    expect(ends.every(({ status }) => status.length > 0)).toBe(true);
    this.#receipts.length = 0;
  }
}

const more = (names: readonly string[]): readonly string[] => names.filter((name, index) => names.indexOf(name) !== index);

/** What no session file may hold, in words. */
function contradictions(entries: readonly Entry[]): readonly string[] {
  const named = (pick: (entry: Entry) => string | undefined): readonly string[] => entries.flatMap((entry) => pick(entry) ?? []);
  const ids = new Set<string>();
  const orphans: string[] = [];
  for (const entry of entries) {
    if (isHistoryEntry(entry) && entry.parent !== undefined && !ids.has(entry.parent)) orphans.push(entry.id);
    ids.add(entry.id);
  }
  const intents = new Set(named((entry) => (entry.type === "effect-intent" ? entry.effect : undefined)));
  return [
    ...more(named((entry) => (entry.type === "receipt" ? `receipt of ${entry.submission}` : undefined))),
    ...more(named((entry) => (entry.type === "work" && entry.state === "settled" ? `end of work ${entry.work}` : undefined))),
    ...more(named((entry) => (entry.type === "effect-done" ? `end of effect ${entry.effect}` : undefined))),
    ...more(named((entry) => (entry.type === "submission" && entry.key !== undefined ? `admission of key ${entry.key}` : undefined))),
    ...named((entry) => (entry.type === "effect-done" && !intents.has(entry.effect) ? `end without intent ${entry.effect}` : undefined)),
    ...orphans.map((id) => `entry without its parent ${id}`),
  ];
}

/** Every request that was made, as the file alone says it. */
async function requestsOf(bench: LiveBench, entries: readonly Entry[]): Promise<readonly ReconstructedRequest[]> {
  const reader = await openedReader(bench.store, bench.id);
  const found: ReconstructedRequest[] = [];
  try {
    for (const entry of entries) {
      if (entry.type !== "request") continue;
      const request = await reconstructRequest(reader, entry.request, sha256);
      if (!request.ok) throw new Error(request.error.what);
      found.push(request.value);
    }
  } finally {
    await reader.close();
  }
  return found;
}

describe("demands that race each other, failing disks and ending processes", () => {
  test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    "seed %i: every promise ends, the file contradicts itself nowhere, and each request is rebuilt as it was sent",
    async (seed) => {
      await onDisk(async (bench, disk) => {
        await new Chaos(bench, disk, seed).run(40);
        const entries = await bench.entries();
        expect(contradictions(entries)).toEqual([]);
        const requests = await requestsOf(bench, entries);
        expect(requests.filter(({ verified }) => verified !== "yes")).toEqual([]);
        expect(requests.flatMap(({ messages }) => pairingProblem(messages) ?? [])).toEqual([]);
      });
    },
    60_000,
  );
});
