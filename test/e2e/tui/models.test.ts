import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ModelServer, type Reply, say, startModelServer } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { until } from "../../support/virtual-screen.js";
import { READY, type ScriptedScreens, scriptedScreens } from "./screens.js";

let here: ScriptedScreens | undefined;
let second: ModelServer | undefined;
afterEach(async () => {
  await here?.close();
  await second?.close();
  here = undefined;
  second = undefined;
});

const limited = (seconds: number): Reply => ({
  status: 429,
  headers: { "content-type": "application/json", "retry-after": String(seconds) },
  pieces: [JSON.stringify({ error: { message: "Too many requests.", type: "rate_limit_exceeded" } })],
});

describe("a server that limits the rate", () => {
  test("is asked again after a countdown, and only one row tells of it afterwards", async () => {
    here = await scriptedScreens((_request, n) => (n === 0 ? limited(3) : say("Here it is.")));
    const shell = await here.smith();
    await shell.prompt("ask away");
    const seen = new Set<string>();
    await shell.holds(() => {
      const [, seconds] = /rate limited, asking again in (\d+) s \(2 of 3\) · Esc stops/u.exec(shell.text()) ?? [];
      if (seconds !== undefined) seen.add(seconds);
      return shell.text().includes("Here it is.");
    }, "the answer");
    // A slow machine may not show every second.
    const steps = [...seen].map(Number);
    expect(steps).toEqual(steps.toSorted((left, right) => right - left));
    expect(steps.at(-1)).toBeLessThan(3);
    await shell.shows("answered at the 2nd try: rate limited, waited 3 s");
    await shell.shows(READY);
    expect(shell.text()).not.toContain("asking again");
    expect(here.server.requests).toHaveLength(2);
  });

  test("is not asked again once Esc was pressed, and the next prompt is answered", async () => {
    here = await scriptedScreens((_request, n) => (n === 0 ? limited(50) : say("Here it is.")));
    const shell = await here.smith();
    await shell.prompt("ask away");
    await shell.shows(/asking again in \d+ s \(2 of 3\)/u);
    shell.type("\x1b");
    await shell.shows("■ stopped");
    await shell.shows(READY);
    expect(here.server.requests).toHaveLength(1);
    await shell.prompt("and now?");
    await shell.shows("Here it is.");
    expect(shell.text()).not.toContain("2nd try");
  });
});

/** Two servers, and a group that prefers the first. */
async function twoServers(script: (n: number) => Reply): Promise<{ readonly place: ScriptedScreens; readonly other: ModelServer }> {
  const place = await scriptedScreens((_request, n) => script(n), { SMITH_MODEL: "" });
  here = place;
  const other = await startModelServer({
    script: () => say("The second one answers.", { usage: { prompt_tokens: 2000, completion_tokens: 1000, total_tokens: 3000 } }),
  });
  second = other;
  place.config(`models {
  group "main" "one/first" "two/second"
  model "openai-compatible/first" { context 200000; tools #true; thinking; price input=1 output=2; }
  model "openai-compatible/second" { context 100000; tools #true; thinking; price input=100 output=200; }
}
connections {
  connection "one" provider="openai-compatible" base-url="${place.server.url}" key="none"
  connection "two" provider="openai-compatible" base-url="${other.url}" key="none"
}
`);
  return { place, other };
}

const lastRow = (shell: PtyShell): string => shell.lines().findLast((line) => line !== "") ?? "";

describe("a group of models", () => {
  test("goes on with the next one, says so, and comes back when the first may be asked again", async () => {
    const { place, other } = await twoServers((n) => (n === 0 ? limited(2) : say("The first one answers.")));
    const shell = await place.smith("--model main", { columns: 110 });
    expect(lastRow(shell)).toContain("main → openai-compatible/first");
    await shell.prompt("who is there?");
    await shell.shows("The second one answers.");
    const free = Date.now() + 2000;
    await shell.shows(/rate limited by one\/first until \d\d:\d\d:\d\d, continuing on two\/second/u);
    await shell.shows("2k tokens in, 1k out · $0.40");
    await shell.shows(READY);
    expect(lastRow(shell)).toContain("main → second");
    expect(lastRow(shell)).toContain("3% of 100k  $0.40");
    // What the first server asked for is real time.
    await until(() => Date.now() > free);
    await shell.prompt("and now?");
    await shell.shows("The first one answers.");
    await shell.holds(() => lastRow(shell).includes("main → first"), "the first model in the last row");
    expect(other.requests).toHaveLength(1);
  });

  test("another of its models is chosen on the page of models, and kept as the default", async () => {
    const { place, other } = await twoServers(() => say("The first one answers."));
    const shell = await place.smith("--model one/first", { columns: 110 });
    await shell.prompt("/model");
    await shell.shows("models · now openai-compatible/first, by one");
    shell.type("main");
    await shell.shows("find  main");
    shell.type("\t");
    await shell.shows("main is the default now");
    expect(readFileSync(join(place.home, "config", "config.kdl"), "utf8")).toContain(`model "main"`);
    await shell.prompt("/model two/second");
    await shell.shows("model is openai-compatible/second now");
    await shell.prompt("who is there?");
    await shell.shows("The second one answers.");
    expect(other.requests).toHaveLength(1);
    expect(place.server.requests).toHaveLength(0);
  });

  test("a selection that cannot be taken comes back with what is wrong with it", async () => {
    const { place } = await twoServers(() => say("The first one answers."));
    const shell = await place.smith("--model main", { columns: 110 });
    await shell.prompt("/model nonsense/x");
    await shell.shows('There is no provider "nonsense"');
    await shell.shows("│ › /model nonsense/x");
  });
});

describe("a model that cannot be had at all", () => {
  test("ends the interface as it ends a one-shot run: status 2, the terminal as it was, and the reason", async () => {
    here = await scriptedScreens(() => say("unused"));
    const shell = await here.shell();
    shell.type("smith --model nonsense/x\r");
    await shell.shows("There is no provider");
    await shell.gone();
    expect(await shell.aftermath()).toMatchObject({ status: 2, buffer: "normal" });
  });
});
