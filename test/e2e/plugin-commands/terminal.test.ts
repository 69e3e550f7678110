import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PtyShell } from "../../support/pty.js";
import { until } from "../../support/virtual-screen.js";
import { createPlace, type Place } from "../support/place.js";
import { SMITH } from "../support/smith.js";
import { SAYING, writePlugin } from "./support.js";

let place: Place;
let shell: PtyShell;

beforeEach(() => {
  place = createPlace();
  writePlugin(place, "say", { id: "acme.say", ...SAYING });
  shell = new PtyShell({ columns: 100, rows: 30 }, { cwd: place.work, env: { ...place.env, S: `${process.execPath} ${SMITH}` } });
});
afterEach(async () => {
  shell.shell.kill("SIGKILL");
  await until(() => shell.exited);
  await place.close();
});

const says = (text: string): Promise<void> =>
  until(
    () => shell.log.includes(text),
    () => `"${text}" in ${shell.log}`,
  );

describe("asked on a terminal", () => {
  test.each([
    ["y\r", "status 0", true],
    ["\r", "status 1", false],
    ["\u0003", "status 130", false],
  ])("the answer %j ends with %s", async (keys, status, isInstalled) => {
    shell.shell.write("$S plugins install say; echo status $?\r");
    await says("anything else does not:");
    expect(shell.log).toContain("show notices");
    shell.shell.write(keys);
    await says(status);
    expect(existsSync(join(place.home, "config", "plugins", "acme.say"))).toBe(isInstalled);
  });
});
