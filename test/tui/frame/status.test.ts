import { describe, expect, test } from "vitest";

import type { SessionStatus } from "../../../src/runtime/index.js";
import { initialUi, type Ui, waitLeft } from "../../../src/tui/store/index.js";
import { statusPieces } from "../../../src/tui/frame/status.js";
import { textWidth } from "../../../src/tui/text/index.js";
import { runStart } from "../../support/fake-session.js";
import { happens, opened, press, run } from "../store/store-script.js";

const at = (columns: number, fields: Partial<SessionStatus> = {}): Ui => run(initialUi({ columns, rows: 24 }), opened(fields)).ui;
const row = (ui: Ui, now = 0): { readonly left: string; readonly right: string } => {
  const { left, right } = statusPieces(ui, { activityWidth: 0, now });
  return { left: left.map(({ text }) => text).join(""), right: right.map(({ text }) => text).join("") };
};
const waits = (columns: number, delayMs = 12_000): Ui =>
  run(at(columns), happens(runStart()), happens({ type: "retry", attempt: 2, max: 3, reason: "HTTP 429", failure: "rate-limit", delayMs }))
    .ui;

describe("while the same model is to be asked again", () => {
  test.each([
    [120, " rate limited, asking again in 12 s (2 of 3) · Esc stops"],
    [60, " rate limited, asking again in 12 s (2 of 3) · Esc stops"],
    [54, " rate limited, again in 12 s (2 of 3) · Esc stops"],
    [41, " rate limited, again in 12 s · Esc stops"],
    [40, " rate limited, 12 s · Esc stops"],
    [30, " again in 12 s · Esc stops"],
  ])("at %i columns the time and the way out are told", (columns, text) => {
    const { left, right } = row(waits(columns));
    expect(left).toBe(text);
    expect(textWidth(left) + textWidth(right)).toBeLessThan(columns);
  });

  test("whole seconds are counted down, then the row is what it was", () => {
    const ui = waits(80);
    expect([0, 1, 999, 1000, 11_001].map((now) => /in (\d+) s/u.exec(row(ui, now).left)?.[1])).toEqual(["12", "12", "12", "11", "1"]);
    expect(row(ui, 12_000).left).toContain("Esc stop ·");
    expect(waitLeft(ui, 12_000)).toBe(0);
  });

  test("Esc ends the wait and the turn with it", () => {
    const stopped = run(waits(80), press("escape"));
    expect(stopped.commands).toEqual([{ type: "abort" }]);
    expect(row(stopped.ui).left).toBe(" stopping …");
  });

  test("nothing of it stays when the model is asked", () => {
    const model = { provider: "fake", model: "sonnet" };
    expect(run(waits(80), happens({ type: "assistant_start", request: "r", model })).ui.retry).toBeUndefined();
  });
});

describe("what is known of the session", () => {
  const FULL: Partial<SessionStatus> = {
    model: { provider: "openai", model: "gpt-5" },
    thinking: "high",
    selection: "main",
    contextTokens: 18_000,
    contextLimit: 200_000,
    cost: 0.42,
    unpriced: 1,
  };

  test.each([
    [160, "main → openai/gpt-5:high  9% of 200k  $0.42+  ask-writes"],
    [100, "main → gpt-5:high  9% of 200k  $0.42+  ask-writes"],
    [80, "main → gpt-5:high  9%  $0.42+  ask-writes"],
    [74, "main → gpt-5:high  $0.42+  ask-writes"],
    [60, "main → gpt-5:high  ask-writes"],
    [40, "ask-writes"],
  ])("at %i columns gives way in order", (columns, text) => {
    expect(row(at(columns, FULL)).right).toBe(text);
  });

  test.each<[string, Partial<SessionStatus>, string]>([
    ["nothing was priced", { unpriced: 3 }, "sonnet  ask-writes"],
    ["all was", { cost: 0.42 }, "sonnet  $0.42  ask-writes"],
    ["it was free", { cost: 0 }, "sonnet  $0  ask-writes"],
    ["a server has to say its model", { model: { provider: "local", model: "" }, thinking: "high" }, "ask-writes"],
  ])("%s", (_name, fields, text) => {
    expect(row(at(100, fields)).right).toBe(text);
  });
});
