import { test, type TestContext } from "smith-agent/plugin";
import plugin from "../src/main.js";
import { remind } from "../src/remind.js";
import { trim } from "../src/trim.js";
import { CONFIG, ended, item, prepared, settled } from "./events.js";

const context = (t: TestContext, counts = {}) => t.context({}, { config: CONFIG, values: { counts } });

test("the first change of a turn is followed by the reminder, the next is only counted", async (t) => {
  t.equal(await remind(settled(), context(t)), [
    { type: "set-state", scope: "session", key: "counts", value: { turns: 0, changes: 1, denied: 0, reminded: "w1" } },
    { type: "append-result", call: "c1", text: "[Run the checks.]" },
  ]);
  const again = (await remind(settled(), context(t, { turns: 2, changes: 5, denied: 1, reminded: "w1" }))) ?? [];
  t.equal(again, [{ type: "set-state", scope: "session", key: "counts", value: { turns: 2, changes: 6, denied: 1, reminded: "w1" } }]);
});

test("what changed nothing is not counted", async (t) => {
  t.equal((await remind(settled({ mutation: "not-applied" }), context(t))) ?? [], []);
  t.equal((await remind(settled({ isError: true }), context(t))) ?? [], []);
});

test("long old results are cut once the context is half full, the newest are not", async (t) => {
  const items = [item("e1", "user", 9000), item("e2", "tool", 5000), item("e3", "tool", 100), item("e4", "tool", 5000)];
  t.equal((await trim(prepared(items, 4000, 10_000), context(t))) ?? [], []);
  t.equal(await trim(prepared(items, 6000, 10_000), context(t)), [
    {
      type: "transform-context",
      transforms: [
        {
          operation: "replace",
          target: "e2",
          text: "head of e2\n[4990 more characters of this older result of read are left out; call it again when you need them]",
        },
      ],
    },
  ]);
});

test("a model that does not say what it takes is thought to take a usual amount", async (t) => {
  const items = [item("e2", "tool", 5000), item("e4", "tool", 5000)];
  t.equal((await trim(prepared(items, 16_000), context(t))) ?? [], []);
  t.equal(((await trim(prepared(items, 17_000), context(t))) ?? []).length, 1);
});

test("the end of a turn is counted and shown", async (t) => {
  const actions = await plugin.handlers?.["turn-ended"]?.(ended(), context(t, { turns: 1, changes: 1, denied: 2, reminded: "" }));
  t.equal(actions, [
    { type: "set-state", scope: "session", key: "counts", value: { turns: 2, changes: 1, denied: 2, reminded: "" } },
    { type: "set-status", key: "counts", text: "2 turns · 1 change · 2 denied", role: "warning" },
  ]);
});

test("a session that goes on shows what it had, a new one nothing", async (t) => {
  const event = { type: "session-opened", cwd: "/work", trusted: true, resumed: true, mode: "auto" } as const;
  const open = plugin.handlers?.["session-opened"];
  t.equal(await open?.(event, context(t, { turns: 1 })), [
    { type: "set-status", key: "counts", text: "1 turn · 0 changes", role: "muted" },
  ]);
  t.equal((await open?.({ ...event, resumed: false }, context(t))) ?? [], []);
});
