import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { PtyShell } from "../../support/pty.js";
import { offlineScreens, type Screens, READY } from "./screens.js";
import { spoilEnd, tear } from "./session-file.js";

let here: Screens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

interface Left {
  readonly place: Screens;
  readonly shell: PtyShell;
  readonly file: string;
  readonly id: string;
}

/** A session of two turns that was left in good order, and the shell it was left to. */
async function left(): Promise<Left> {
  const place = offlineScreens();
  here = place;
  place.file("price.txt", "twelve\n");
  const shell = await place.smith();
  await shell.prompt("read price.txt");
  await shell.shows("price.txt, 1 line:");
  await shell.shows(READY);
  await shell.prompt("list the files here");
  await shell.shows("In the working directory:");
  await shell.shows(READY);
  shell.type("\x04");
  await shell.aftermath();
  const [name = ""] = place.sessionFiles();
  return { place, shell, file: join(place.sessions, name), id: name.replace(".smith", "").slice(-8) };
}

const TORN = /\d+ bytes after the last complete change of session \S+\s+were dropped/u;

describe("a file that ends in the middle of its last change", () => {
  test("is continued without it: that is told once, and not again when it is opened the next time", async () => {
    const { place, shell, file } = await left();
    tear(file);
    shell.type("clear; smith -c\r");
    await shell.shows(TORN);
    await shell.shows("› list the files here");
    shell.type("\x04");
    expect(await shell.aftermath()).toMatchObject({ status: 0, buffer: "normal" });
    shell.type("clear; smith -c\r");
    await shell.shows(READY);
    await shell.shows("› list the files here");
    expect(shell.text()).not.toMatch(TORN);
    await shell.prompt("read price.txt");
    await shell.shows(/› list the files here\n[^]*› read price\.txt\n[^]*twelve\n/u);
    expect(place.sessionFiles()).toHaveLength(1);
  });
});

describe("a file whose last stored change is damaged", () => {
  test("opens read-only and says why and the way out; after the repair it says so it is continued", async () => {
    const { shell, file, id } = await left();
    spoilEnd(file);
    shell.type("clear; smith -c\r");
    await shell.shows("READ-ONLY · cannot be continued");
    await shell.shows("can be read but not continued");
    await shell.shows(`smith sessions repair ${id}`);
    await shell.shows("› list the files here");
    shell.type("more?\r");
    await shell.shows("what is typed here is not sent");
    shell.type("q");
    expect(await shell.aftermath()).toMatchObject({ status: 0, buffer: "normal" });
    expect(shell.text()).toContain(`repair:  smith sessions repair ${id}`);
    expect(await shell.ask(`smith sessions repair ${id}`)).toContain("repaired");
    shell.type("clear; smith -c\r");
    await shell.shows(READY);
    await shell.shows("› list the files here");
    expect(shell.text()).not.toContain("READ-ONLY");
  });
});
