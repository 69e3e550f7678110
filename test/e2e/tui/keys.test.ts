import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { after, call, say } from "../../support/model-server.js";
import { appears } from "../support/place.js";
import { lastOf } from "../support/scripted.js";
import { offlineScreens, type Screens, type ScriptedScreens, scriptedScreens, READY } from "./screens.js";

let here: Screens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

async function withScript(script: Parameters<typeof scriptedScreens>[0]): Promise<ScriptedScreens> {
  const place = await scriptedScreens(script);
  here = place;
  return place;
}

describe("aborting while prompts wait", () => {
  test("what was queued is back in the editor in its order, and no request ever held it", async () => {
    const place = await withScript((_request, n) =>
      n === 0 ? call("shell", { command: "echo begun > marker; exec sleep 600" }) : say(`answer ${String(n)}`),
    );
    const shell = await place.smith();
    await shell.prompt("run it");
    await shell.answer("y");
    await appears(`${place.work}/marker`);
    await shell.prompt("first in the queue");
    await shell.shows("steer   first in the queue");
    shell.type("second in the queue");
    await shell.shows("› second in the queue");
    shell.type("\t");
    await shell.shows("then    second in the queue");
    shell.type("\x1b");
    await shell.shows("› first in the queue");
    await shell.shows(READY);
    expect(shell.text()).toMatch(/│ › first in the queue +│\n│ +│\n│ {3}second in the queue +│/u);
    expect(shell.text()).not.toMatch(/steer {3}first|then {4}second/u);
    expect(place.server.requests).toHaveLength(1);
    await shell.holds(() => place.leftBehind().every((command) => !command.startsWith("sleep")), "the command to be gone");

    shell.type("\r");
    await shell.shows("answer 1");
    const request = await place.server.request(1);
    expect(lastOf(request, "user")).toBe("first in the queue\n\nsecond in the queue");
    expect(place.server.requests).toHaveLength(2);
    expect(place.server.complaints).toEqual([]);
  });

  test("a stream that is stopped keeps what was said, and the next prompt is valid", async () => {
    const place = await withScript((_request, n) =>
      n === 0 ? say("one two three", { chunks: ["one two ", "three"], between: place.server.gate("never") }) : say("fine"),
    );
    const shell = await place.smith();
    await shell.prompt("count");
    const request = await place.server.request(0);
    shell.type("\x1b");
    await request.closed;
    await shell.shows("stopped");
    await shell.prompt("again");
    await shell.shows("fine");
    expect(place.server.complaints).toEqual([]);
  });

  test("Ctrl-C stops the turn and a second one leaves with 130, nothing left running", async () => {
    const place = await withScript(() => after(place.server.gate("never"), say("late")));
    const shell = await place.smith();
    await shell.prompt("wait");
    await place.server.request(0);
    shell.type("\x03");
    await shell.shows("Ctrl-C again quits");
    shell.type("\x03");
    expect(await shell.aftermath()).toMatchObject({ status: 130, buffer: "normal" });
    await place.quiet();
  });
});

describe("keys typed while smith starts", () => {
  test("right after the command, before anything is painted: a prompt with Enter is sent, the rest stands in the editor", async () => {
    const place = await withScript(() => say("heard you"));
    const shell = await place.shell();
    shell.type("smith\r");
    shell.type("hello early\rand a dr");
    shell.type("aft");
    await shell.shows("heard you");
    await shell.shows("│ › and a draft");
    expect(lastOf(await place.server.request(0), "user")).toBe("hello early");
    expect(place.server.requests).toHaveLength(1);
  });

  test("between the first frame and the open session: kept in order, sent once", async () => {
    const place = await withScript((_request, n) => say(`answer ${String(n)}`));
    const shell = await place.shell();
    shell.type("smith\r");
    await shell.shows("starting");
    for (const key of "abc déf 漢") shell.type(key);
    shell.type("\r");
    for (const key of "later") shell.type(key);
    await shell.shows("answer 0");
    await shell.shows("│ › later");
    expect(lastOf(await place.server.request(0), "user")).toBe("abc déf 漢");
    expect(place.server.requests).toHaveLength(1);
  });

  test("a command typed early is carried out", async () => {
    here = offlineScreens();
    const shell = await here.shell();
    shell.type("smith\r");
    await shell.shows("starting");
    shell.type("/mode plan\r");
    await shell.shows("mode is plan now");
    shell.type("\x04");
    expect(await shell.aftermath()).toMatchObject({ status: 0, buffer: "normal" });
  });

  test("Ctrl-C typed early ends it with 130", async () => {
    here = offlineScreens();
    const shell = await here.shell();
    shell.type("smith\r");
    await shell.shows("starting");
    shell.type("\x03\x03");
    expect(await shell.aftermath()).toMatchObject({ status: 130, buffer: "normal" });
  });
});

describe("a look without a word", () => {
  test("leaves no session file", async () => {
    here = offlineScreens();
    const shell = await here.smith();
    shell.type("a draft that is not sent\x15\x04");
    expect(await shell.aftermath()).toMatchObject({ status: 0 });
    expect(here.sessionFiles()).toEqual([]);
    expect(shell.text()).not.toContain("resume:");
  });
});

describe("commands of the interface", () => {
  test("a mode and a name are shown as soon as they are set, and the mode holds", async () => {
    const place = await withScript([call("shell", { command: "touch ran" }), say("fine")]);
    const shell = await place.smith();
    await shell.prompt("/mode read-only");
    await shell.shows(/read-only$/mu);
    await shell.prompt("go");
    await shell.shows("fine");
    expect(existsSync(`${place.work}/ran`)).toBe(false);
    await shell.prompt("/name my own name");
    await shell.shows(/ {5}my own name/u);
    expect(place.server.complaints).toEqual([]);
  });

  test("Tab completes the chosen name, with a blank before its argument", async () => {
    here = offlineScreens();
    const shell = await here.smith();
    shell.type("/mo\t");
    await shell.shows("│ › /mode ");
    await shell.holds(() => shell.caret.column === "│ › /mode ".length, "a blank after the name");
  });
});
