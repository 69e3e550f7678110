import { expect, test } from "vitest";
import { start } from "../../../src/effect/process/start.js";
import { ownIds } from "../../support/own-ids.js";
import { realClock } from "../support.js";

/** What the guard is told, in order. */
async function told(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const guard = {
    start: () => undefined,
    add: (group: number | undefined) => lines.push(group === undefined ? "mark" : "group"),
    remove: () => lines.push("removed"),
    close: () => Promise.resolve(),
  };
  const launch = { file, args: [], cwd: "/", env: {}, timeoutMs: 10_000, onData: () => undefined };
  const running = await start(launch, { clock: realClock, ids: ownIds(), guard });
  if (typeof running !== "string") await running.exited;
  return lines;
}

test("a program is known by its mark before it runs, since a smith may be killed before it knows the number", async () => {
  expect(await told("/bin/true")).toEqual(["mark", "group"]);
});

test("a program that does not start is forgotten", async () => {
  expect((await told("/no/such/program")).at(-1)).toBe("removed");
});
