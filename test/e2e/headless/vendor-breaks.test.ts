import { rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { APIS, type Item, itemsOf, refusalTo } from "../../support/vendors/index.js";
import { appears, linesOf } from "../support/place.js";
import { eventsOfType, lastEvent, STACK } from "../support/smith.js";
import { createVendors, lastAsked, MODELS, type Vendors } from "../support/vendors.js";

let here: Vendors;
beforeAll(async () => {
  here = await createVendors();
  here.file("a.txt", "alpha\n");
});
beforeEach(() => {
  rmSync(`${here.work}/marker`, { force: true });
});
afterAll(() => here.close());

const resultsIn = (items: readonly Item[]): readonly Extract<Item, { type: "result" }>[] => items.filter((item) => item.type === "result");

describe.each(APIS)("%s", (api) => {
  const args = (...words: readonly string[]): readonly string[] => ["eval", "--model", `${MODELS[api]}:high`, ...words];
  const THREE = [
    { name: "read", args: { path: "a.txt" } },
    { name: "shell", args: { command: "echo begun >> marker; exec sleep 600" } },
    { name: "read", args: { path: "a.txt" } },
  ];

  test.each(["SIGINT", "SIGKILL"] as const)(
    "provider-5: %s in the second of three calls, then a new prompt: every call has its result, nothing runs again",
    async (signal) => {
      here.script([{ thinking: "Three.", calls: THREE }, { text: "I look first." }]);
      const first = here.start(args("run them"), { input: "" });
      await appears(`${here.work}/marker`);
      first.kill(signal);
      const ended = await first.ended;
      expect(signal === "SIGINT" ? ended.status : ended.signal).toBe(signal === "SIGINT" ? 130 : "SIGKILL");
      const next = await here.run(args("-c", "go on"));
      expect([next.status, next.stdout]).toEqual([0, "I look first.\n"]);
      expect(next.stderr).not.toMatch(STACK);
      const items = itemsOf(lastAsked(here));
      expect(resultsIn(items)).toHaveLength(3);
      expect(resultsIn(items)[1]?.text).toMatch(signal === "SIGINT" ? /interrupted|aborted|stopped/iu : /outcome is unknown/u);
      for (const at of [0, 2]) expect(resultsIn(items)[at]?.text).toMatch(/alpha|had not changed anything/u);
      expect(items.at(-1)).toMatchObject({ type: "user", text: "go on" });
      expect(linesOf(`${here.work}/marker`)).toEqual(["begun"]);
    },
  );

  test("an answer that was interrupted while it was thinking or speaking leaves a history the vendor takes", async () => {
    here.script((_request, n) =>
      n === 0
        ? { thinking: "Let me see what there is.", text: "I begin with", cut: "hang" }
        : n === 1
          ? { thinking: "Let me see again.", cut: "hang" }
          : { text: "whole" },
    );
    const first = here.start(args("speak"), { input: "" });
    await first.says("I begin");
    first.kill("SIGINT");
    expect((await first.ended).status).toBe(130);
    const second = here.start(args("-c", "think"), { input: "" });
    await here.server.request(here.server.requests.length - here.asked().length + 1);
    second.kill("SIGINT");
    await second.ended;
    const third = await here.run(args("-c", "once more"));
    expect([third.status, third.stdout]).toEqual([0, "whole\n"]);
    expect(itemsOf(lastAsked(here)).at(-1)).toMatchObject({ type: "user" });
  });

  test("a stream that breaks off or is reset is an error after what was said, and the session goes on", async () => {
    here.script((_request, n) =>
      n === 0 ? { thinking: "Hm.", text: "half of it", cut: "end" } : n === 1 ? { text: "half", cut: "destroy" } : { text: "whole" },
    );
    const first = await here.run(args("--json", "speak"));
    expect(first.status).toBe(1);
    expect(lastEvent(first.stdout)).toMatchObject({ status: "error", error: { code: "provider.unreachable" } });
    expect((await here.run(args("-c", "again"))).status).toBe(1);
    expect(await here.run(args("-c", "once more"))).toMatchObject({ status: 0, stdout: "whole\n" });
  });

  test("an error in the middle of a stream is the vendor's own words, and is not taken for an answer", async () => {
    here.script((_request, n) => (n === 0 ? { text: "half of the thought", fails: true } : { text: "whole" }));
    const { status, stderr } = await here.run(args("speak"));
    expect(status).toBe(1);
    expect(stderr).toContain("the server is overloaded");
    expect(await here.run(args("-c", "once more"))).toMatchObject({ status: 0, stdout: "whole\n" });
  });

  test("an error before anything was said is tried again; Retry-After is the least that is waited", async () => {
    here.script((request, n) =>
      n === 0 ? refusalTo(request, 429, "slow down", { "retry-after": "1" }) : n === 1 ? { fails: true } : { text: "at last" },
    );
    const { status, stdout } = await here.run(args("--json", "hello"));
    expect(status).toBe(0);
    const retries = eventsOfType(stdout, "retry");
    expect(retries).toMatchObject([
      { attempt: 2, failure: "rate-limit" },
      { attempt: 3, failure: "overloaded" },
    ]);
    expect(retries[0]?.["delayMs"]).toBeGreaterThanOrEqual(1000);
    expect(lastEvent(stdout)).toMatchObject({ status: "ok", reply: "at last" });
  });

  test("a slow stream is shown as it comes", async () => {
    here.script([{ text: "first second third fourth", between: here.server.gate(`go-${api}`) }]);
    const running = here.start(args("speak"), { input: "" });
    await here.server.request(here.server.requests.length - here.asked().length);
    here.server.open(`go-${api}`);
    expect(await running.ended).toMatchObject({ status: 0, stdout: "first second third fourth\n" });
  });
});
