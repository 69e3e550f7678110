import { describe, expect, test } from "vitest";
import { Deadline } from "../../../src/plugin/invoke/deadline.js";
import { createManualClock } from "../../support/manual-clock.js";

function start(limitMs: number) {
  const clock = createManualClock();
  let over = 0;
  const deadline = new Deadline(clock, limitMs, () => (over += 1));
  return { clock, deadline, over: () => over };
}

describe("a limit on working time", () => {
  test("is over once, when it is over", async () => {
    const { clock, over } = start(100);
    await clock.advance(99);
    expect(over()).toBe(0);
    await clock.advance(1);
    await clock.advance(1_000);
    expect(over()).toBe(1);
  });

  test("stands still while somebody is asked, and goes on with what was left", async () => {
    const { clock, deadline, over } = start(100);
    await clock.advance(60);
    deadline.pause();
    await clock.advance(100_000);
    deadline.resume();
    await clock.advance(39);
    expect(over()).toBe(0);
    await clock.advance(1);
    expect(over()).toBe(1);
  });

  test("stands still until the last of several questions is answered", async () => {
    const { clock, deadline, over } = start(100);
    deadline.pause();
    deadline.pause();
    deadline.resume();
    await clock.advance(1_000);
    expect(over()).toBe(0);
    deadline.resume();
    await clock.advance(100);
    expect(over()).toBe(1);
  });

  test("is never over once stopped, and nothing waits for it", async () => {
    const { clock, deadline, over } = start(100);
    deadline.pause();
    deadline.stop();
    deadline.resume();
    await clock.advance(1_000);
    expect([over(), clock.pending]).toEqual([0, []]);
  });
});
