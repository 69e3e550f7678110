import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../src/base/index.js";
import { ObserverSession } from "../../src/runtime/session/index.js";
import type { SessionStatus } from "../../src/runtime/index.js";
import type { Entry, OwnerInfo, SmithEvent } from "../../src/schema/index.js";
import type { SessionReader } from "../../src/session/index.js";
import { createManualClock } from "../support/manual-clock.js";

const writer: OwnerInfo = { pid: 7, host: "here", startedAt: 0, version: "0" };

const base = {
  running: false,
  access: "read",
  mode: "read-only",
  model: { provider: "p", model: "m" },
  modelSource: "test",
  queue: [],
} as const;

/** A reader of a session in which nothing more happens. */
const reader = (past: readonly Entry[] = []): SessionReader =>
  ({
    access: "read",
    id: "0".repeat(32) as SessionId,
    path: "/s",
    owner: writer,
    position: () => ({ session: "0".repeat(32) as SessionId, epoch: 0, seq: 0 }),
    changes: async function* ({ signal }: { readonly signal?: AbortSignal } = {}) {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      yield* [];
    },
    branch: async function* () {
      await Promise.resolve();
      yield* past.toReversed();
    },
    scan: async function* (types: ReadonlySet<Entry["type"]>) {
      await Promise.resolve();
      yield* past.filter(({ type }) => types.has(type));
    },
    close: () => Promise.resolve(),
  }) as unknown as SessionReader;

describe("an observed session", () => {
  test("knows the newest recorded name once its first page was read", async () => {
    const named = (time: number, name?: string): Entry => ({
      type: "session-info",
      id: String(time) as EntryId,
      time,
      ...(name === undefined ? {} : { name }),
    });
    const session = new ObserverSession({
      reader: reader([named(1, "first"), named(2, "second"), named(3)]),
      status: base,
      toolDefinition: () => undefined,
      clock: createManualClock(),
      owner: () => Promise.resolve(writer),
    });
    expect((await session.backlog({ limit: 10 })).events).toEqual([]);
    expect(session.status().name).toBe("second");
    await session.close();
  });

  test("tells once when its writer ended, and once when another begins", async () => {
    const clock = createManualClock();
    let owner: OwnerInfo | undefined = writer;
    const status: SessionStatus = { ...base, owner: writer };
    const session = new ObserverSession({
      reader: reader(),
      status,
      toolDefinition: () => undefined,
      clock,
      owner: () => Promise.resolve(owner),
    });
    const told: SmithEvent[] = [];
    session.observe((event) => told.push(event));
    const next = async (): Promise<void> => {
      await clock.advance(1000);
    };
    await next();
    expect(told).toEqual([]);
    expect(session.status()).toBe(status);
    owner = undefined;
    await next();
    await next();
    expect(told).toMatchObject([{ type: "notice", text: expect.stringContaining("pid 7") as string }]);
    expect(session.status()).not.toHaveProperty("owner");
    owner = { ...writer, pid: 9 };
    await next();
    expect(told).toHaveLength(2);
    expect(session.status().owner?.pid).toBe(9);
    expect((await session.submit()).ok).toBe(false);
    await session.close();
  });
});
