import { afterEach, describe, expect, test } from "vitest";
import { call, say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { appears, linesOf } from "../support/place.js";
import { type ScriptedScreens, scriptedScreens, READY } from "./screens.js";
import { spoil } from "./session-file.js";

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

  test("is repaired, renamed and deleted from outside under an observer, who is told and shown what is left", async () => {
    const place = await scriptedScreens((_request, n) => say(`answer ${String(n + 1)}`));
    here = place;
    const writer = await place.smith();
    for (const [index, prompt] of ["first", "second", "third"].entries()) {
      await writer.prompt(prompt);
      await writer.shows(`answer ${String(index + 1)}`);
      await writer.shows(READY);
    }
    const [name = ""] = place.sessionFiles();
    const id = name.replace(".smith", "").slice(-8);
    const observer = await place.shell({ rows: 40 });
    observer.type(`smith -r ${id}\r`);
    await observer.shows("answer 3");
    writer.type("\x04");
    await writer.aftermath();
    await observer.shows("nobody writes it any more");

    spoil(`${place.sessions}/${name}`, "answer 3");
    expect(await writer.ask(`smith sessions repair ${id}`)).toContain("repaired");
    await observer.shows("The session was repaired while it was being read");
    expect(observer.text()).not.toContain("answer 3");
    expect(observer.text()).toMatch(/› first\n[^]*answer 1\n[^]*› second\n[^]*answer 2\n[^]*› third\n[^]*The session was repaired/u);

    await writer.ask(`smith sessions rename ${id} 'bed time'`);
    await observer.shows(/smith .* bed time\n/u);

    observer.resize(40, 12);
    await observer.shows("READ-ONLY");
    observer.resize(200, 60);
    await observer.shows(/following ▶\n[^]*answer 2/u);
    await writer.ask(`smith sessions delete --yes ${id}`);
    await observer.shows("READ-ONLY · the session was deleted");
    observer.type("q");
    expect(await observer.aftermath()).toMatchObject({ status: 0, buffer: "normal" });
    expect(observer.text()).not.toMatch(/resume:|observe again:|work in a copy:/u);
    expect(place.server.requests).toHaveLength(3);
  });

  test("is left with the command that works in a copy, and the copy is writable while the session is still written", async () => {
    const { place, id } = await held();
    const observer = await place.shell();
    observer.type(`smith -r ${id}\r`);
    await observer.shows("READ-ONLY");
    observer.type("q");
    await observer.aftermath();
    const [, fork = ""] = /work in a copy: {2}(smith --fork [0-9a-f]{8})/u.exec(observer.text()) ?? [];
    observer.type(`clear; ${fork}\r`);
    await observer.shows(READY);
    expect(observer.text()).not.toContain("READ-ONLY");
    expect(observer.text()).toContain("› hold it");
    await observer.prompt("in my copy");
    await observer.shows("answer 1");
    expect(place.sessionFiles()).toHaveLength(2);
    expect(linesOf(`${place.work}/marker`)).toEqual(["begun"]);
    place.file("release", "");
    expect(place.server.complaints).toEqual([]);
  });
});
