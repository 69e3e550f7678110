import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../support/place.js";
import { eventsOf, STACK, textOf } from "../support/smith.js";

let place: Place;
let id: string;
let file: string;

beforeEach(async () => {
  place = createPlace();
  place.file("price.txt", "twelve\n");
  expect((await place.run(["eval", "read price.txt"])).status).toBe(0);
  expect((await place.run(["eval", "-c", "list the files here"])).status).toBe(0);
  const name = readdirSync(place.sessions).find((one) => one.endsWith(".smith")) ?? "";
  id = name.slice(0, -".smith".length);
  file = join(place.sessions, name);
});

afterEach(async () => {
  await place.close();
});

function flip(offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Every frame begins with these; bytes 8 and 9 of it are its type, 1 for a change. */
const FRAME = Buffer.from([0x53, 0x6d, 0x46, 0x01]);

/** Where the last of the changes before `end` begins. */
function lastChange(bytes: Buffer, end = bytes.length): number {
  let at = bytes.lastIndexOf(FRAME, end);
  while (bytes.readUInt16LE(at + 8) !== 1) at = bytes.lastIndexOf(FRAME, at - 1);
  return at;
}

/** Where a text is inside of a change: summaries hold texts too, and losing one loses nothing. */
function inChange(bytes: Buffer, text: string): number {
  let at = bytes.lastIndexOf(text);
  while (lastChange(bytes, at) !== bytes.lastIndexOf(FRAME, at)) at = bytes.lastIndexOf(text, at - 1);
  return at;
}

describe("one wrong bit in the text of an entry", () => {
  test("is named by offset, costs that change and nothing else, and is gone after a repair", async () => {
    const whole = eventsOf((await place.run(["sessions", "get", "--json", id])).stdout);
    const offset = inChange(readFileSync(file), "twelve");
    flip(offset);

    const verify = await place.run(["sessions", "verify", "--json", id]);
    expect([verify.status, verify.stderr]).toEqual([1, ""]);
    const [finding, report] = eventsOf(verify.stdout);
    expect(finding).toMatchObject({ type: "finding", session: id, severity: "damage" });
    expect(Number(finding?.["offset"])).toBeLessThanOrEqual(offset);
    expect(Number(finding?.["end"])).toBeGreaterThan(offset);
    expect(report).toMatchObject({ type: "report", damage: 1 });

    const get = await place.run(["sessions", "get", "--json", id]);
    expect(get.status).toBe(1);
    expect(get.stderr).toContain("session.damaged");
    expect(get.stderr).not.toMatch(STACK);
    const rest = eventsOf(get.stdout);
    expect(rest.length).toBeLessThan(whole.length);
    expect(whole).toEqual(expect.arrayContaining([...rest]));
    expect((await place.run(["sessions", "grep", "list the files here"])).status).toBe(2);

    const damaged = readFileSync(file);
    const repair = await place.run(["sessions", "repair", "--json", id]);
    expect([repair.status, repair.stderr]).toEqual([0, ""]);
    const [repaired] = eventsOf(repair.stdout);
    expect(repaired).toMatchObject({ session: id, repaired: true });
    expect(readFileSync(textOf(repaired?.["backup"])).equals(damaged)).toBe(true);
    expect(await place.run(["sessions", "verify", id])).toMatchObject({ status: 0, stderr: "" });
    const after = await place.run(["sessions", "get", "--json", id]);
    expect([after.status, after.stderr]).toEqual([0, ""]);
    expect(eventsOf(after.stdout).length).toBeGreaterThanOrEqual(rest.length);
    expect((await place.run(["eval", "--session", id, "read price.txt"])).status).toBe(0);
  });
});

describe("one wrong bit in the table of the last change", () => {
  test("is listed as damaged; reading goes as far as it is sound and changes nothing", async () => {
    flip(lastChange(readFileSync(file)) + 32 + 64 + 4);
    const damaged = readFileSync(file);
    expect(eventsOf((await place.run(["sessions", "list", "--json", "--state", "damaged"])).stdout)).toMatchObject([
      { id, state: "damaged" },
    ]);
    expect((await place.run(["sessions", "list"])).stdout).toContain("(damaged)");
    expect((await place.run(["sessions", "get", id])).status).toBe(1);
    expect((await place.run(["sessions", "verify", "--all"])).status).toBe(1);
    const markdown = await place.run(["sessions", "export", "--format", "md", id]);
    expect(markdown.stderr).not.toMatch(STACK);
    const dump = await place.run(["sessions", "export", id]);
    expect(dump.status).toBe(1);
    expect(dump.stderr).toContain("session.damaged");
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });
});

describe("files that are no sessions", () => {
  test("verify says so with status 2 and still checks the others", async () => {
    const noise = join(place.sessions, "01890a5d-ac96-774b-bcce-b302099a8057.smith");
    writeFileSync(noise, "nothing of the kind\n".repeat(100));
    const { status, stdout, stderr } = await place.run(["sessions", "verify", "--all"]);
    expect(status).toBe(2);
    expect(stdout).toContain(`${id.slice(-8)}: sound`);
    expect(stderr).toContain(noise);
    expect(stderr).not.toMatch(STACK);
    expect((await place.run(["sessions", "list", "--state", "damaged", "--json"])).stdout).toContain("01890a5d");
  });

  test("an import of something else makes nothing", async () => {
    for (const content of ["not json\n", '{"type":"session"}\n', "", "[1,2]\n"]) {
      place.file("x.jsonl", content);
      const { status, stdout, stderr } = await place.run(["sessions", "import", "x.jsonl"]);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^error\[/u);
      expect(stderr).not.toMatch(STACK);
    }
    expect(readdirSync(place.sessions).filter((name) => name.endsWith(".smith"))).toHaveLength(1);
  });
});

test("a suffix that fits two sessions is refused by every command, and names both", async () => {
  const twin = `${id.slice(0, 8)}-0000-7000-8000-00000000${id.slice(-4)}`;
  copyFileSync(file, join(place.sessions, `${twin}.smith`));
  for (const args of [["get"], ["export"], ["fork"], ["repair"], ["reconcile"], ["delete", "--yes"], ["rename"]]) {
    const { status, stdout, stderr } = await place.run(["sessions", ...args, id.slice(-4), ...(args[0] === "rename" ? ["name"] : [])]);
    expect([args[0], status, stdout]).toEqual([args[0], 1, ""]);
    expect(stderr).toContain("session.ambiguous");
    expect(stderr).toContain(twin);
  }
  expect(readdirSync(place.sessions).filter((name) => name.endsWith(".smith"))).toHaveLength(2);
});
