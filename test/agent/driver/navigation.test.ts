import { describe, expect, test } from "vitest";
import { type EntryId, err, ok } from "../../../src/base/index.js";
import { createDriver, emptyState, loadState, nothingRecovered, project } from "../../../src/agent/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { Bench, flush, storageFault } from "../driver-bench.js";
import { answer, toolCall } from "../fixtures.js";
import { play, reopened, value, withStore } from "../stored.js";

const texts = (bench: Bench): readonly string[] => project(bench.driver.state().history).map(({ text }) => text);

/** One settled turn; gives its input's entry. */
async function oneTurn(bench: Bench): Promise<EntryId> {
  await bench.submit("first");
  await flush();
  bench.done(answer("found"));
  await bench.driver.idle();
  const entry = bench.committed.find(({ type }) => type === "user-message");
  if (entry === undefined) throw new Error("no input");
  return entry.id;
}

describe("selecting another leaf", () => {
  test("is recorded with where it came from, and the next input continues there", async () => {
    const bench = new Bench();
    const first = await oneTurn(bench);
    const left = bench.driver.state().leaf;
    const loaded = { ...emptyState, leaf: first, history: bench.driver.state().history.slice(0, 1) };
    bench.load = async (leaf) =>
      await Promise.resolve(leaf === first ? ok(loaded) : err(diagnostic({ code: "x", what: "w", why: "y", next: "n" })));
    expect(await bench.driver.navigate(first)).toEqual(ok(undefined));
    expect(bench.committed.at(-1)).toMatchObject({ type: "leaf", from: left, to: first });
    expect(bench.leaves.at(-1)).toBe(first);
    await bench.submit("other");
    expect(texts(bench)).toEqual(["first", "other"]);
    expect(bench.committed.findLast(({ type }) => type === "user-message")).toMatchObject({ parent: first });
  });

  test("before the first entry: the next input begins a branch of its own", async () => {
    const bench = new Bench();
    await oneTurn(bench);
    expect(await bench.driver.navigate(undefined)).toEqual(ok(undefined));
    expect(bench.leaves.at(-1)).toBeNull();
    expect(bench.committed.at(-1)).not.toHaveProperty("to");
    await bench.submit("anew");
    expect(bench.committed.findLast(({ type }) => type === "user-message")).not.toHaveProperty("parent");
    expect(texts(bench)).toEqual(["anew"]);
  });

  test("to where it is already records nothing", async () => {
    const bench = new Bench();
    await oneTurn(bench);
    const { asked } = bench;
    const state = bench.driver.state();
    bench.load = async () => await Promise.resolve(ok(state));
    expect(await bench.driver.navigate(state.leaf)).toEqual(ok(undefined));
    expect(bench.asked).toBe(asked);
  });

  test("is refused while a turn runs, and what refuses it is named", async () => {
    const bench = new Bench();
    const first = await oneTurn(bench);
    await bench.submit("second");
    expect(await bench.driver.navigate(first)).toMatchObject({ ok: false, error: { code: "agent.turn-running" } });
  });

  test("is refused when a turn began while the branch was read", async () => {
    const bench = new Bench();
    const first = await oneTurn(bench);
    bench.load = async () => {
      await bench.submit("second");
      return ok(emptyState);
    };
    expect(await bench.driver.navigate(first)).toMatchObject({ ok: false, error: { code: "agent.turn-running" } });
    expect(bench.types()).not.toContain("leaf");
  });

  test("is refused while input waits, and the count is named", async () => {
    const item = { submission: "s", work: "w", delivery: "steer", text: "later" } as const;
    const bench = new Bench({ queue: [item as never] });
    expect(await bench.driver.navigate("e" as EntryId)).toMatchObject({
      ok: false,
      error: { code: "agent.input-queued", what: expect.stringContaining("1 input waits") as string },
    });
  });

  test("a branch that cannot be loaded leaves everything as it was", async () => {
    const bench = new Bench();
    const first = await oneTurn(bench);
    const before = bench.driver.state();
    bench.load = async () => await Promise.resolve(err(storageFault().diagnostic));
    expect(await bench.driver.navigate(first)).toMatchObject({ ok: false, error: { code: "session.storage-full" } });
    expect(bench.driver.state()).toBe(before);
  });
});

describe("editing the context", () => {
  test("branch-relative context edits preserve raw history and accounting; invalid pairing or targets leave the projection unchanged", async () => {
    const bench = new Bench();
    await bench.submit("first");
    await flush();
    bench.done(answer("looking", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve({
      settlement: { output: { text: "secret", isError: false }, mutation: "not-applied", end: "returned" },
      output: { text: "secret", isError: false },
      omittedBytes: 0,
      refused: false,
    });
    await flush();
    bench.done(answer("found"));
    await bench.driver.idle();
    const before = bench.committed.length;
    const target = (type: string): EntryId => bench.committed.find((entry) => entry.type === type)?.id ?? ("" as EntryId);
    expect(await bench.driver.editContext([{ target: target("tool-result"), operation: "omit" }])).toMatchObject({
      ok: false,
      error: { code: "agent.edit-invalid" },
    });
    expect([bench.committed.length, texts(bench)]).toEqual([before, ["first", "looking", "secret", "found"]]);
    expect(await bench.driver.editContext([{ target: target("tool-result"), operation: "replace", text: "-" }])).toEqual(ok(undefined));
    expect(texts(bench)).toEqual(["first", "looking", "-", "found"]);
    expect(bench.committed.slice(before).map(({ type }) => type)).toEqual(["context-edit"]);
    expect(bench.committed.find(({ type }) => type === "tool-result")).toMatchObject({ text: "secret" });
  });
});

test("branches of a file: going back before an edit restores the earlier projection, and unrelated branches stay as they are", async () => {
  await withStore(async (store, ids) => {
    const [id, before, after] = await play(store, ids, async (walk) => {
      walk.say("first").round(answer("found"));
      const earlier = walk.state.leaf;
      walk.input({ type: "context-edited", edits: [{ target: walk.entry("assistant", "found"), operation: "omit" }] });
      return [(await walk.written()).writer.id, earlier, walk.state.leaf] as const;
    });
    await reopened(store, id, ids, async ({ writer, state }) => {
      const driver = createDriver(
        state,
        new Bench().ports({
          load: async (leaf) => await loadState(writer, nothingRecovered, leaf),
          commit: async (entries, leaf) => {
            const ticket = writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
            await ticket.durable;
            return ticket.position;
          },
        }),
      );
      const seen = (): readonly string[] => project(driver.state().history).map(({ text }) => text);
      expect(seen()).toEqual(["first"]);
      value(await driver.navigate(before));
      expect([seen(), writer.leaf()]).toEqual([["first", "found"], before]);
      value(await driver.navigate(after));
      expect([seen(), writer.leaf()]).toEqual([["first"], after]);
      value(await driver.navigate(undefined));
      expect([seen(), writer.leaf()]).toEqual([[], undefined]);
    });
    const fork = value(await store.fork(id, before === undefined ? {} : { at: before }));
    await reopened(store, fork.id, ids, async ({ state }) => {
      expect(project(state.history).map(({ text }) => text)).toEqual(["first", "found"]);
      return await Promise.resolve();
    });
  });
});
