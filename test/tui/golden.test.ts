import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";

import type { CallId, EffectId } from "../../src/base/index.js";
import { answer, exchange, FakeSession, fakeId, numberedLines, question, runStart } from "../support/fake-session.js";
import { fakeModels, someModels } from "../support/fake-models.js";
import { createApps, type RunningApp } from "../support/tui-app.js";
import { until } from "../support/virtual-screen.js";

/** Fixed, because the screen shows it. */
const EFFECT = "00000000-0000-7000-8000-00000000001b" as EffectId;

const { start, end } = createApps();

afterEach(end);

describe("golden frames", () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 60],
  ])("%ix%i", async (columns, rows) => {
    const session = new FakeSession();
    session.past = [
      ...exchange(
        session,
        "why does the cart total drop cents? fix it and run the tests",
        readFileSync(new URL("../fixtures/tui/answer.md", import.meta.url), "utf8"),
      ),
    ];
    session.set({ contextTokens: 18_000, contextLimit: 200_000, name: "fix cents in cart" });
    const app = await start({ columns, rows }, { session });
    const [grep, edit, shell] = [fakeId<CallId>(), fakeId<CallId>(), fakeId<CallId>()];
    session.emit(
      { type: "tool_start", id: grep, name: "grep", args: {}, argsSummary: '"total" in src' },
      {
        type: "tool_end",
        id: grep,
        name: "grep",
        result: "",
        isError: false,
        resultSummary: "14 matches in 5 files",
        mutation: "not-applied",
        durationMs: 12,
      },
      { type: "tool_start", id: edit, name: "edit", args: {}, argsSummary: "src/cart.ts" },
      {
        type: "tool_end",
        id: edit,
        name: "edit",
        result: "ok",
        isError: false,
        resultSummary: "1 edit",
        mutation: "applied",
        durationMs: 9,
        diff: "--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -41,2 +41,2 @@\n-  const total = items.reduce((s, i) => s + i.price, 0);\n+  const cents = items.reduce((s, i) => s + Math.round(i.price * 100), 0);\n   return total;\n",
      },
      { type: "tool_start", id: shell, name: "shell", args: {}, argsSummary: "npm test" },
      {
        type: "tool_end",
        id: shell,
        name: "shell",
        result: "✗ cart keeps cents\nexpected 3 got 2\n",
        isError: true,
        resultSummary: "exit 1",
        mutation: "unknown",
        durationMs: 4230,
      },
    );
    app.type("and update the changelog 漢字");
    await app.shows("changelog 漢字");
    await app.shows("⚠ shell");
    await until(() => app.screen.settled);
    await expect(`${app.screen.text()}\n`).toMatchFileSnapshot(`../golden/tui/conversation-${String(columns)}x${String(rows)}.txt`);
  });
});

const show = async (name: string, app: RunningApp): Promise<void> => {
  await until(() => app.screen.settled);
  await expect(`${app.screen.text()}\n`).toMatchFileSnapshot(`../golden/tui/${name}.txt`);
};

describe("golden states at 80x24", () => {
  test("first run with the offline model", async () => {
    const session = new FakeSession();
    session.set({ modelSource: "offline", model: { provider: "offline", model: "offline" } });
    const app = await start(undefined, { session });
    await app.shows("connect a model");
    await show("welcome", app);
  });

  test("working, with a queue and a question", async () => {
    const app = await start();
    app.session.emit(runStart(), answer("I'll publish it."));
    await app.shows("Esc stop");
    app.type("also tag it\r");
    await app.shows("steer   also tag it");
    app.session.emit(question("git push origin fix/cents && npm publish"));
    await app.shows("y once");
    // The elapsed time is the only thing that moves.
    await until(() => app.screen.settled);
    const still = app.screen.text().replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \d+ s/, "⠋ 0 s");
    await expect(`${still}\n`).toMatchFileSnapshot("../golden/tui/question.txt");
  });

  test("after a crash", async () => {
    const session = new FakeSession();
    session.past = [...exchange(session, "migrate the production data", "Running the migration now.")];
    const app = await start(undefined, { session });
    const startedAt = new Date(2026, 10, 30, 14, 2, 11).getTime();
    session.emit({ type: "unknown_effect", effect: EFFECT, operation: "shell", summary: "./migrate.sh --prod", startedAt });
    await app.shows("nothing was run again");
    await expect(`${app.screen.text()}\n`).toMatchFileSnapshot("../golden/tui/after-crash.txt");
  });

  test("observing", async () => {
    const session = new FakeSession();
    const startedAt = new Date(2026, 10, 30, 13, 58, 0).getTime();
    session.set({ access: "read", owner: { pid: 4121, host: "atlas", startedAt, version: "0.1.0" } });
    session.past = [...exchange(session, "hello", numberedLines(60))];
    const app = await start(undefined, { session });
    await app.shows("READ-ONLY");
    await show("observer", app);
  });

  test("the keys", async () => {
    const app = await start();
    app.type("?");
    await app.shows("keys and commands");
    await show("help", app);
  });

  test("a command being typed", async () => {
    const app = await start();
    app.type("/mo");
    await app.shows("/model [SELECTION]");
    await show("commands", app);
  });
});

describe("the page of models", () => {
  test.each([
    [40, 14],
    [80, 24],
    [120, 40],
  ])("%ix%i", async (columns, rows) => {
    const app = await start({ columns, rows }, { models: fakeModels(someModels(), "main") });
    app.type("/model\r");
    await app.shows("fake/haiku");
    await show(`models-${String(columns)}x${String(rows)}`, app);
  });
});
