import { describe, expect, test } from "vitest";
import type { JsonValue, Result, WorkId } from "../../src/base/index.js";
import type { StateCell, StateDeclaration } from "../../src/runtime/session/scoped-state.js";
import type { Diagnostic, Position } from "../../src/schema/index.js";
import { SESSION_LIMITS } from "../../src/session/index.js";
import { answer } from "../agent/fixtures.js";
import { type Live, withLive } from "./live-bench.js";

const notes: StateDeclaration = {
  owner: "plugin-notes",
  key: "notes",
  version: 1,
  scope: "session",
  fork: "copy",
  retention: "session",
  maxBytes: 64,
};

const cell = ({ session }: Live, declaration: StateDeclaration = notes): StateCell => value(session.state.declare(declaration));

function value<T>(result: Result<T, Diagnostic>): T {
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}

const read = async (from: StateCell): Promise<JsonValue | undefined> => value(await from.get())?.value;

describe("scoped state", () => {
  test("is read back after reopen, with the version it was written in, whatever today's code declares", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      expect(await cell(live).put({ list: [1, -0, "ü"] })).toEqual({ ok: true, value: undefined });
      await live.session.close();
      const again = await bench.reopen();
      const newer = cell(again, { ...notes, version: 2, maxBytes: 128 });
      expect(value(await newer.get())).toEqual({ version: 1, value: { list: [1, -0, "ü"] } });
    });
  });

  test("of the past is what was recorded then: values at a position, before it was set, after it was deleted", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const state = cell(live);
      const places: Position[] = [];
      const here = async (): Promise<void> => {
        const at = value(await live.session.attach({ limit: 1 }));
        places.push(at.position);
      };
      await here();
      await state.put("one");
      await here();
      await state.put("two");
      await here();
      await state.delete();
      await here();
      const then = [];
      for (const place of places) then.push(value(await state.at(place))?.value);
      expect(then).toEqual([undefined, "one", "two", undefined]);
      expect(await read(state)).toBeUndefined();
    });
  });

  test("beyond its own bound is refused as a diagnostic, and the value before it stays", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const state = cell(live);
      await state.put("small");
      const changes = live.changes();
      expect(await state.put("x".repeat(64))).toMatchObject({ ok: false, error: { code: "state.too-large" } });
      expect([await read(state), live.changes()]).toEqual(["small", changes]);
    });
  });

  test("admission over the session's active-state limits fails without partial changes", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const wide = cell(live, { ...notes, maxBytes: 10 * SESSION_LIMITS.stateValueBytes });
      await wide.put("small");
      const before = await bench.entries();
      expect(await wide.put("x".repeat(SESSION_LIMITS.stateValueBytes + 1))).toMatchObject({ ok: false, error: { code: "session.limit" } });
      expect(await read(wide)).toBe("small");
      expect(await bench.entries()).toEqual(before);
      // The session goes on.
      await live.turn("b", "B");
    });
  });

  test.each([
    ["an empty owner", { owner: "" }],
    ["a key with a NUL", { key: "a\0b" }],
    ["a key that is too long", { key: "k".repeat(300) }],
    ["a version below 1", { version: 0 }],
    ["no room", { maxBytes: 0 }],
    ["an end that a branch cannot have", { scope: "branch", retention: "work" } as const],
  ])("with %s cannot be declared", async (_, wrong) => {
    await withLive(async (bench) => {
      const declared = bench.create().session.state.declare({ ...notes, ...wrong });
      expect(declared).toMatchObject({ ok: false, error: { code: "state.invalid" } });
      await Promise.resolve();
    });
  });

  test("is one contract a key: the same again is the same state, another is refused", async () => {
    await withLive(async (bench) => {
      const { session } = bench.create();
      const first = value(session.state.declare(notes));
      expect(value(session.state.declare({ ...notes }))).toBe(first);
      expect(session.state.declare({ ...notes, fork: "fresh" })).toMatchObject({ ok: false, error: { code: "state.contract" } });
      await Promise.resolve();
    });
  });

  test("of a session without a file is absent and cannot be set yet", async () => {
    await withLive(async (bench) => {
      const state = cell(bench.create());
      expect(await read(state)).toBeUndefined();
      expect(await state.put(1)).toMatchObject({ ok: false, error: { code: "state.no-session" } });
      expect((await bench.store.open(bench.id, "read")).ok).toBe(false);
    });
  });

  test("of a work ends when the work settles, and needs one", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      const receipt = await live.submit("a");
      const round = await live.nextRound();
      const state = cell(live, { ...notes, retention: "work" });
      expect(await state.put(1)).toMatchObject({ ok: false, error: { code: "state.needs-work" } });
      const work = (await bench.entries()).find((entry) => entry.type === "work")?.work as WorkId;
      await state.put(1, work);
      expect(await read(state)).toBe(1);
      round.end({ type: "done", result: answer("A") });
      await receipt.settled;
      expect(await read(state)).toBeUndefined();
    });
  });

  test("forks as it declares: copied or fresh, and each goes its own way from there", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const fresh = { ...notes, key: "fresh", fork: "fresh" } as const;
      await cell(live).put("copied");
      await cell(live, fresh).put("not copied");
      const made = value(await bench.store.fork(bench.id));
      const fork = await bench.reopen(made.id);
      expect([await read(cell(fork)), await read(cell(fork, fresh))]).toEqual(["copied", undefined]);
      await fork.turn("b", "B");
      await cell(fork).put("own");
      expect([await read(cell(live)), await read(cell(fork))]).toEqual(["copied", "own"]);
    });
  });

  test("of a branch goes with it: navigating back brings back what was there, other branches are unchanged", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const state = cell(live, { ...notes, scope: "branch" });
      await state.put("one");
      const one = value(await live.session.attach({ limit: 1 })).position;
      await live.turn("b", "B");
      await state.put("two");
      const first = (await bench.entries()).find((entry) => entry.type === "branch-state");
      expect(await read(state)).toBe("two");
      await live.session.navigate(first?.id);
      expect(await read(state)).toBe("one");
      await live.session.navigate(undefined);
      expect(await read(state)).toBeUndefined();
      expect(value(await state.at(one))?.value).toBe("one");
    });
  });

  test("cannot be read as of a position of another session or of the future", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { position } = value(await live.session.attach({ limit: 1 }));
      for (const scope of ["session", "branch"] as const) {
        const state = cell(live, { ...notes, key: scope, scope });
        expect(await state.at({ ...position, seq: position.seq + 1 })).toMatchObject({
          ok: false,
          error: { code: "session.position-foreign" },
        });
      }
    });
  });
});
