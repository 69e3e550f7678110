import { describe, expect, test } from "vitest";
import type { CallId, EntryId, RequestId, WorkId } from "../../src/base/index.js";
import { countingFrom, ObserverSession, recordedStatus } from "../../src/runtime/session/index.js";
import { StatusBoard } from "../../src/runtime/session/view/index.js";
import { costOfSession } from "../../src/runtime/records/cost.js";
import {
  addSpend,
  type AssistantEntry,
  type CompactionEntry,
  type Entry,
  type SmithEvent,
  type ToolResultEntry,
  type WorkEntry,
} from "../../src/schema/index.js";
import type { SessionReader } from "../../src/session/index.js";
import { answer } from "../agent/fixtures.js";
import { created, openedReader, withStore } from "../session/support/store.js";
import { createManualClock } from "../support/manual-clock.js";
import { withLive } from "./live-bench.js";
import { valueOf } from "./stored.js";

const id = <Id extends string>(last: string): Id => `00000000-0000-7000-8000-0000000${last}` as Id;
const model = { provider: "p", model: "m" };
const usage = { inputTokens: 10, outputTokens: 5 };
const turn = id<WorkId>("00b01");
const sub = id<WorkId>("00b02");

const answered = (last: string, work = turn, cost: number | undefined = 0.25): AssistantEntry => ({
  type: "assistant",
  id: id<EntryId>(last),
  time: 0,
  work,
  request: id<RequestId>("00c01"),
  stop: "stop",
  text: last,
  thinking: [],
  usage,
  dispatch: model,
  ...(cost === undefined ? {} : { cost }),
});

const reported = (last: string): ToolResultEntry => ({
  type: "tool-result",
  id: id<EntryId>(last),
  time: 0,
  work: turn,
  call: id<CallId>("00d01"),
  name: "delegate",
  text: "done",
  isError: false,
  mutation: "not-applied",
  omittedBytes: 0,
  details: { usage: { usage, cost: 0.5 } },
});

const compacted = (last: string): CompactionEntry => ({
  type: "compaction",
  id: id<EntryId>(last),
  time: 0,
  summary: "all of it",
  tokensBefore: 100,
  firstKept: id<EntryId>("000a1"),
  dispatch: model,
  usage,
});

const working = (last: string, work: WorkId, parentWork?: WorkId): WorkEntry => ({
  type: "work",
  id: id<EntryId>(last),
  time: 0,
  work,
  state: "running",
  ...(parentWork === undefined ? {} : { parentWork }),
});

const twice = { inputTokens: 20, outputTokens: 10 };

/** A reader of a file whose newest checkpoint does not say what was used. */
const unsummed = (reader: SessionReader): SessionReader => ({
  ...reader,
  live: async () => {
    const { spend: _, ...live } = await reader.live();
    return live;
  },
});

describe("what a session used", () => {
  test("is the same for the tokens as for the money: answers, what tools report, and compactions", async () => {
    const entries: readonly Entry[] = [answered("000a1"), reported("000a2"), compacted("000a3")];
    const board = new StatusBoard({ running: false, access: "write", mode: "auto", model, modelSource: "", queue: [], statusItems: [] });
    board.observe(entries);
    const used = { usage: { inputTokens: 30, outputTokens: 15 }, cost: 0.75, unpriced: 1 };
    expect(board.value).toMatchObject(used);
    await withStore(async (store) => {
      const writer = await created(store);
      await writer.commit({ entries }).durable;
      expect(await recordedStatus(writer)).toEqual(used);
    });
  });

  test("is not counted again when a work that was open before reports it", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      await writer.commit({ entries: [working("000a1", turn), working("000a2", sub, turn), answered("000a3", sub)] }).durable;
      const live = await writer.live();
      const initial = { running: false, access: "write", mode: "auto", model, modelSource: "", queue: [], statusItems: [] } as const;
      const board = new StatusBoard({ ...initial, ...(await recordedStatus(writer, live)) }, countingFrom(live).owners);
      board.observe([reported("000a4")]);
      expect(board.value).toMatchObject({ usage, cost: 0.25 });
    });
  });
});

describe("the cost of a session", () => {
  test("has a row for each message, and those of the session itself make the total", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const inherited: Entry = { ...answered("000a0"), inherited: true };
      await writer.commit({ entries: [inherited, answered("000a1"), reported("000a2"), compacted("000a3")] }).durable;
      const cost = valueOf(await costOfSession(writer));
      expect(cost.messages).toEqual([
        { entry: inherited.id, by: "answer", model, spend: { usage, cost: 0.25 }, inherited: true },
        { entry: id("000a1"), by: "answer", model, spend: { usage, cost: 0.25 } },
        { entry: id("000a2"), by: "tool", spend: { usage, cost: 0.5 } },
        { entry: id("000a3"), by: "compaction", model, spend: { usage, unpriced: 1 } },
      ]);
      const own = cost.messages.filter((message) => message.inherited !== true);
      expect(own.map(({ spend }) => spend).reduce(addSpend, {})).toEqual(cost.total);
    });
  });
});

describe("a file that does not say what was used", () => {
  test("is counted once its first page is there, beside what is used meanwhile", async () => {
    await withLive(async (bench) => {
      const first = bench.create();
      const priced = { ...answer("A"), usage };
      await first.submit("a");
      (await first.nextRound()).end({ type: "done", result: priced });
      await first.session.close();
      const reader = unsummed(await openedReader(bench.store, bench.id));
      const counting = countingFrom(await reader.live());
      await reader.close();
      const again = await bench.reopen(bench.id, { counting });
      expect(again.session.status().usage).toBeUndefined();
      const counted = new Promise<SmithEvent>((resolve) => {
        again.session.observe((event) => {
          if (event.type === "run_metrics" && !event.running) resolve(event);
        });
      });
      await again.session.attach({ limit: 10 });
      await again.session.attach({ limit: 10 });
      expect(await counted).toMatchObject({ elapsed: 0, ...usage });
      expect(again.session.status()).toMatchObject({ usage, unpriced: 1 });
      const receipt = await again.submit("b");
      (await again.nextRound()).end({ type: "done", result: priced });
      await receipt.settled;
      expect(again.session.status()).toMatchObject({ usage: twice, unpriced: 2 });
    });
  });

  test("is let go when the session is closed before it is counted", async () => {
    await withLive(async (bench) => {
      const first = bench.create();
      await first.turn("a", "A");
      await first.session.close();
      const reader = unsummed(await openedReader(bench.store, bench.id));
      const counting = countingFrom(await reader.live());
      await reader.close();
      const live = await bench.reopen(bench.id, { counting });
      await live.session.attach({ limit: 10 });
      await live.session.close();
      expect(live.isClosed()).toBe(true);
    });
  });

  test("is counted for an observer, with what is written while it looks", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      await writer.commit({ entries: [working("000a1", turn), working("000a2", sub, turn), answered("000a3", sub)] }).durable;
      const reader = unsummed(await openedReader(store, writer.id));
      const session = new ObserverSession({
        reader,
        counting: countingFrom(await reader.live()),
        status: { running: false, access: "read", mode: "read-only", model, modelSource: "", queue: [], statusItems: [] },
        toolDefinition: () => undefined,
        clock: createManualClock(),
        owner: () => Promise.resolve(undefined),
        reopen: async () => await store.open(writer.id, "read"),
        onObserverFault: (fault) => {
          throw fault;
        },
        onClosed: () => undefined,
      });
      const told: SmithEvent[] = [];
      const waiting = new Set<() => void>();
      const until = async (fits: (event: SmithEvent) => boolean): Promise<void> => {
        while (!told.some(fits)) await new Promise<void>((resolve) => waiting.add(resolve));
      };
      session.observe((event) => {
        told.push(event);
        for (const wake of waiting) wake();
        waiting.clear();
      });
      await session.attach({ limit: 10 });
      await until(({ type }) => type === "run_metrics");
      expect(session.status()).toMatchObject({ usage, cost: 0.25 });
      // What the owner's call reports is what the owned work's answer said.
      await writer.commit({ entries: [reported("000a4"), answered("000a5")] }).durable;
      await until((event) => event.type === "assistant" && event.text === "000a5");
      expect(session.status()).toMatchObject({ usage: twice, cost: 0.5 });
      await session.close();
      await writer.close();
    });
  });
});
