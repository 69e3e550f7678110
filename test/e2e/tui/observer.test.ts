import { afterEach, describe, expect, test } from "vitest";
import { call, say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { appears, linesOf } from "../support/place.js";
import { type ScriptedScreens, scriptedScreens, READY } from "./screens.js";

let here: ScriptedScreens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

/** A first interface that runs a command until `release` exists, and what a second one is opened with. */
async function held(): Promise<{ readonly place: ScriptedScreens; readonly writer: PtyShell; readonly pid: number; readonly id: string }> {
  const place = await scriptedScreens((_request, n) =>
    n === 0
      ? call("shell", { command: "echo begun >> marker; while [ ! -e release ]; do sleep 0.05; done; echo output-$((40+2))" })
      : say(`answer ${String(n)}`),
  );
  here = place;
  const writer = await place.smith();
  const pid = writer.childPid();
  await writer.prompt("hold it");
  await writer.answer("y");
  await appears(`${place.work}/marker`);
  const [file = ""] = place.sessionFiles();
  return { place, writer, pid, id: file.replace(".smith", "").slice(-8) };
}

describe("a session that another process writes", () => {
  test("is shown read-only with the writer's pid, followed live, and nothing typed is sent; the writer's end never promotes", async () => {
    const { place, writer, pid, id } = await held();
    const observer = await place.shell();
    observer.type(`smith -r ${id}\r`);
    await observer.shows(`READ-ONLY · written by smith (pid ${String(pid)}`);
    await observer.shows("› hold it");
    expect(observer.text()).toMatch(/shell echo begun.* running/u);
    expect(observer.text()).not.toContain("outcome unknown");

    observer.type("me too\r");
    await observer.shows("what is typed here is not sent");
    place.file("release", "");
    await observer.shows("answer 1");
    await observer.shows("output-42");
    await writer.shows("answer 1");
    await writer.prompt("second");
    await observer.shows("› second");
    await observer.shows("answer 2");
    expect(place.server.requests).toHaveLength(3);

    await writer.shows(READY);
    writer.type("\x04");
    expect(await writer.aftermath()).toMatchObject({ status: 0 });
    await observer.shows("nobody writes it any more");
    observer.type("me now\r");
    await observer.shows("what is typed here is not sent");
    observer.type("q");
    expect(await observer.aftermath()).toMatchObject({ status: 0 });
    expect(place.server.requests).toHaveLength(3);
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    expect(place.server.complaints).toEqual([]);
  });

  test("a writer that was killed is told to be gone, and the next one to open it goes on", async () => {
    const { place, writer, pid, id } = await held();
    const observer = await place.shell();
    observer.type(`smith -r ${id}\r`);
    await observer.shows("READ-ONLY");
    process.kill(pid, "SIGKILL");
    await writer.gone();
    await observer.shows("nobody writes it any more");
    await observer.shows("outcome unknown");
    place.file("release", "");
    const next = await place.smith(`-r ${id}`);
    expect(next.text()).not.toContain("READ-ONLY");
    await next.prompt("go on");
    await next.shows("answer 1");
    await observer.shows("› go on");
    await observer.shows("written by smith (pid");
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    expect(place.server.complaints).toEqual([]);
  });
});
