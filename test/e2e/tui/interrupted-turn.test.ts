import { afterEach, describe, expect, test } from "vitest";
import { call, delta, say, sse } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { appears, linesOf } from "../support/place.js";
import { lastOf, messagesOf } from "../support/scripted.js";
import { type ScriptedScreens, scriptedScreens, READY } from "./screens.js";

let here: ScriptedScreens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const ROWS = { rows: 40 };

/** A turn that was killed in the middle of a shell command, and the interface that opened its session again. */
async function killed(): Promise<{ readonly place: ScriptedScreens; readonly shell: PtyShell; readonly effect: string }> {
  const place = await scriptedScreens((_request, n) =>
    n === 0 ? call("shell", { command: "echo begun >> marker; exec sleep 600" }) : say(`answer ${String(n)}`),
  );
  here = place;
  const first = await place.smith();
  await first.prompt("start the long job");
  await first.answer("y");
  await appears(`${place.work}/marker`);
  process.kill(first.childPid(), "SIGKILL");
  await first.gone();
  const shell = await place.smith("-c", ROWS);
  await shell.shows("outcome is unknown");
  const [, effect = ""] = /\/reconcile\s+([0-9a-f]{8})/u.exec(shell.text()) ?? [];
  expect(effect).not.toBe("");
  return { place, shell, effect };
}

describe("a turn that kill -9 interrupted in a shell command", () => {
  test("goes on with /continue: its call ends as unknown, nothing is run again, the model is asked again; then there is none to continue", async () => {
    const { place, shell } = await killed();
    await shell.shows("/continue goes on where it was");
    await shell.prompt("/continue");
    await shell.shows("answer 1");
    await shell.shows(READY);
    expect(shell.text()).not.toContain("outcome unknown · outcome unknown");
    const request = await place.server.request(1);
    expect(messagesOf(request).map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(lastOf(request, "user")).toBe("start the long job");
    expect(lastOf(request, "tool")).toContain("outcome is unknown");
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);

    await shell.prompt("/continue");
    await shell.shows("There is no interrupted turn to go on with.");
    shell.type("\x04");
    await shell.aftermath();
    shell.type("clear; smith -c\r");
    await shell.shows(READY);
    await shell.shows("answer 1");
    expect(shell.text()).not.toContain("/continue goes on");
    expect(place.server.requests).toHaveLength(2);
    expect(place.server.complaints).toEqual([]);
  });

  test("is reconciled by a person's word: the screen keeps it, the next request tells the model; words that do not fit come back", async () => {
    const { place, shell, effect } = await killed();
    await shell.prompt(`/reconcile ${effect} perhaps`);
    await shell.shows("/reconcile EFFECT applied, or not-applied");
    expect(shell.text()).toContain(`› /reconcile ${effect} perhaps`);
    shell.type("\x15");
    await shell.prompt("/reconcile ffff applied");
    await shell.shows('has no effect "ffff"');
    // Two rows of text are read whole, and what was typed can be corrected.
    await shell.shows("--json");
    await shell.shows("› /reconcile ffff applied");
    shell.type("\x15");

    await shell.prompt(`/reconcile ${effect} applied the marker is there`);
    await shell.shows("You said: applied.");
    expect(shell.text()).not.toContain("outcome is unknown");
    expect(place.server.requests).toHaveLength(1);
    await shell.prompt("go on");
    await shell.shows("answer 1");
    const request = await place.server.request(1);
    expect(messagesOf(request).map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    expect(lastOf(request, "tool")).toContain("applied");
    expect(lastOf(request, "tool")).not.toContain("outcome is unknown");
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);

    await shell.shows(READY);
    await shell.prompt(`/reconcile ${effect} not-applied`);
    await shell.shows("told to the model: The user states");
    expect(shell.text()).toMatch(/was not +applied/u);
    await shell.prompt("and now?");
    await shell.shows("answer 2");
    expect(JSON.stringify(messagesOf(await place.server.request(2)))).toContain("was not applied");
    expect(place.server.complaints).toEqual([]);
  });
});

describe("a turn that kill -9 interrupted while the model answered", () => {
  test("is said to be interrupted although it has no effect of unknown outcome, and a new prompt ends it", async () => {
    here = await scriptedScreens((_request, n) => (n === 0 ? sse([delta({ content: "Once upon" })], "hang") : say("The end.")));
    const first = await here.smith();
    await first.prompt("tell me a tale");
    await first.shows("Once upon");
    process.kill(first.childPid(), "SIGKILL");
    await first.gone();
    const shell = await here.smith("-c");
    await shell.shows("smith ended in the middle of this turn");
    expect(shell.text()).not.toContain("outcome is unknown");
    await shell.prompt("a short one");
    await shell.shows("The end.");
    shell.type("\x04");
    await shell.aftermath();
    shell.type("clear; smith -c\r");
    await shell.shows(READY);
    await shell.shows("The end.");
    expect(shell.text()).not.toContain("in the middle of this turn");
    expect(here.server.complaints).toEqual([]);
  });
});
