import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { ESCAPES, eventsOf, eventsOfType, STACK, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

async function recorded(): Promise<{ readonly place: Scripted; readonly id: string }> {
  const place = await createScripted({ script: (_request, n) => say(`answer ${String(n)}`) });
  here = place;
  expect((await place.run(["eval", "first"])).status).toBe(0);
  const [summary] = eventsOf((await place.run(["sessions", "list", "--json"])).stdout);
  return { place, id: textOf(summary?.["id"]) };
}

describe("get --follow", () => {
  test("shows what is there, then what is committed, each once and in order, until it is interrupted", async () => {
    const { place, id } = await recorded();
    const follower = place.start(["sessions", "get", "--json", "--follow", id], { input: "" });
    await follower.says('"type":"receipt"');
    expect((await place.run(["eval", "-c", "second"])).status).toBe(0);
    await follower.says(/"type":"receipt"[\s\S]*"type":"receipt"/u);
    follower.kill("SIGINT");
    const { status, stdout, stderr } = await follower.ended;
    expect([status, stderr]).toEqual([130, ""]);
    expect(stdout).toBe((await place.run(["sessions", "get", "--json", id])).stdout);
  });

  test("with --kind shows only those, and with --entries ends at the last of them", async () => {
    const { place, id } = await recorded();
    const users = place.start(["sessions", "get", "--json", "--follow", "--kind", "user", id], { input: "" });
    await users.says("first");
    const count = eventsOf((await place.run(["sessions", "get", "--json", id])).stdout).length;
    const some = place.start(["sessions", "get", "--json", "--follow", "--entries", `${String(count)}..${String(count + 1)}`, id], {
      input: "",
    });
    await some.says("receipt");
    expect((await place.run(["eval", "-c", "second"])).status).toBe(0);
    const ended = await some.ended;
    expect([ended.status, eventsOf(ended.stdout).length]).toEqual([0, 2]);
    await users.says("second");
    users.kill("SIGTERM");
    const { status, stdout } = await users.ended;
    expect(status).toBe(143);
    expect(eventsOfType(stdout, "user-message").map(({ text }) => text)).toEqual(["first", "second"]);
    expect(eventsOf(stdout)).toHaveLength(2);
  });

  test("ends quietly with the next commit once the reader of the pipe is gone", async () => {
    const { place, id } = await recorded();
    const follower = place.start(["sessions", "get", "--follow", id], {
      input: "",
      script: '"$@" | { read -r line; echo "$line"; }; echo "over"',
    });
    await follower.says("#1 ");
    expect((await place.run(["eval", "-c", "second"])).status).toBe(0);
    const { status, stdout, stderr } = await follower.ended;
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^#1 [^\n]*\nover\n$/u);
  });

  test("a session that is removed meanwhile ends it with a message and status 1", async () => {
    const { place, id } = await recorded();
    const follower = place.start(["sessions", "get", "--follow", id], { input: "" });
    await follower.says("receipt");
    expect((await place.run(["sessions", "delete", "--yes", id])).status).toBe(0);
    const { status, stderr } = await follower.ended;
    expect(status).toBe(1);
    expect(stderr).toContain("session.removed");
    expect(stderr).not.toMatch(STACK);
  });

  test("a session that is repaired meanwhile ends it with a message and status 1", async () => {
    const { place, id } = await recorded();
    const follower = place.start(["sessions", "get", "--follow", id], { input: "" });
    await follower.says("receipt");
    const file = join(place.sessions, `${id}.smith`);
    const bytes = readFileSync(file);
    const at = bytes.indexOf("answer 0");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect((await place.run(["sessions", "repair", id])).status).toBe(0);
    const { status, stderr } = await follower.ended;
    expect(status).toBe(1);
    expect(stderr).toContain("session.replaced");
  });
});

describe("every command on sessions", () => {
  test("cut off by head ends quietly, and writes no escape byte into a pipe", async () => {
    const { place, id } = await recorded();
    expect((await place.run(["eval", "-c", "see \u001b]0;title\u0007 this"])).status).toBe(0);
    const dump = place.file("dump.jsonl", (await place.run(["sessions", "export", id])).stdout);
    const commands = [
      ["list"],
      ["list", "--json"],
      ["grep", "."],
      ["grep", "-C", "1", "--json", "."],
      ["get", id],
      ["get", "--json", id],
      ["get", "--request", "1", id],
      ["get", "--projected", id],
      ["export", id],
      ["export", "--format", "md", id],
      ["export", "--format", "html", id],
      ["verify", "--all"],
      ["reconcile", id],
      ["fork", id],
      ["import", "--as-new", dump],
      ["repair", id],
      ["rename", id, "n"],
      ["delete", "--yes", id],
      ["--help"],
      ["grep", "--help"],
    ];
    for (const args of commands) {
      const script = '{ "$@"; echo "status $?" >&2; } | head -n 1';
      const { stdout, stderr } = await place.run(["sessions", ...args], { script });
      expect([args.join(" "), stderr]).toEqual([args.join(" "), "status 0\n"]);
      expect(stdout).not.toMatch(ESCAPES);
    }
  });

  test("works without credentials, and a name that fits nothing is one clear error", async () => {
    const { place } = await recorded();
    const env = { OPENAI_API_KEY: "", OPENAI_BASE_URL: "", SMITH_MODEL: "" };
    const one: readonly (readonly string[])[] = [
      ["get"],
      ["export"],
      ["fork"],
      ["repair"],
      ["reconcile"],
      ["delete", "--yes"],
      ["grep", "--session"],
      ["verify"],
    ];
    for (const args of one) {
      const words = args[0] === "grep" ? [...args, "beefbeef", "x"] : [...args, "beefbeef"];
      const { status, stdout, stderr } = await place.run(["sessions", ...words], { env });
      expect([args[0], status, stdout]).toEqual([args[0], args[0] === "grep" || args[0] === "verify" ? 2 : 1, ""]);
      expect(stderr.match(/^error\[session\.unknown\]/gmu)).toHaveLength(1);
      expect(stderr).toContain("smith sessions list");
      expect(stderr).not.toMatch(STACK);
    }
  });
});
