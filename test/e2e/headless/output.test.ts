import { openSync, closeSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { call, delta, DONE, hang, say, sse } from "../../support/model-server.js";
import { createPlace, type Place } from "../support/place.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { ESCAPES, eventsOf, eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.close()));
});

async function scripted(script: Parameters<typeof createScripted>[0]["script"]): Promise<Scripted> {
  const place = await createScripted({ script });
  places.push(place);
  return place;
}

/** 300 kB in lines, with characters of one to four bytes so that a cut anywhere shows. */
const LONG = "straße 漢字 🙂 line\n".repeat(12_000);

/** One answer as few large deltas. */
const long = (text: string) =>
  sse([
    delta({ role: "assistant", content: "" }),
    ...(text.match(/[\s\S]{1,20000}/gu) ?? []).map((part) => delta({ content: part })),
    delta({}, "stop"),
    DONE,
  ]);

test("a run of many rounds says nothing of its own on standard error", async () => {
  const place = await scripted((_request, n) => (n < 15 ? call("read", { path: "f.txt", offset: n + 1 }) : say("Done.")));
  place.file("f.txt", "line\n".repeat(20));
  expect(await place.run(["eval", "read it line by line"])).toMatchObject({ status: 0, stdout: "Done.\n", stderr: "" });
});

describe("every command with its streams in pipes", () => {
  const env = { TERM: "xterm-256color", COLORTERM: "truecolor" };

  test("writes not one escape byte, in help, errors, lists, searches and runs", async () => {
    const hostile = "model \u001b]0;t\u0007\u001b[2J \u009b31m \u202e end";
    const place = await scripted((_request, n) =>
      n === 0 ? call("shell", { command: "printf 'out \\033[31mred\\033[0m \\007'" }) : say(hostile),
    );
    place.file("f.txt", "text\n");
    const first = [
      await place.run(["eval", "--name", "na\u001b[31mme", "say \u001b[31m something"], { env }),
      await place.run(["eval", "--json", "-c", "more"], { env }),
    ];
    const id = textOf(lastEvent(first[1]?.stdout ?? "")["session"]);
    const lines: readonly (readonly string[])[] = [
      ["--help"],
      ["--version"],
      ["eval", "--help"],
      ["sessions"],
      ["sessions", "--help"],
      ["sessions", "list", "--help"],
      ["sessions", "grep", "--help"],
      ["sessions", "get", "--help"],
      ["sessions", "list"],
      ["sessions", "list", "--json"],
      ["sessions", "grep", "."],
      ["sessions", "grep", "--json", "."],
      ["sessions", "grep", "("],
      ["sessions", "grep", "never-there"],
      ["sessions", "get", id],
      ["sessions", "get", "--json", id],
      ["sessions", "get", "ffff"],
      ["eval", "--no-such-flag", "x"],
      ["eval", "--\u001b[31mred", "x"],
      ["evla"],
      [],
      ["eval", ""],
      ["eval", "@\u001b[31mnope"],
      ["eval", "--cwd", "/nowhere/\u001b[31m", "x"],
    ];
    const all = [...first];
    // Few at a time: each is a process of its own.
    for (let at = 0; at < lines.length; at += 6)
      all.push(...(await Promise.all(lines.slice(at, at + 6).map((args) => place.run(args, { env })))));
    for (const { stdout, stderr } of all) {
      expect(stdout).not.toMatch(ESCAPES);
      expect(stderr).not.toMatch(ESCAPES);
      expect(stderr).not.toMatch(STACK);
    }
    expect(first[0]?.stdout).toContain("model ␛]0;t␇␛[2J");
    expect(all.every(({ status }) => status !== null && [0, 1, 2].includes(status))).toBe(true);
  });

  test("FORCE_COLOR asks for colour in a pipe, NO_COLOR takes nothing away from it", async () => {
    const place = createPlace();
    places.push(place);
    const coloured = await place.run(["evla"], { env: { FORCE_COLOR: "1" } });
    expect(coloured.stderr).toMatch(ESCAPES);
    expect((await place.run(["evla"], { env: { FORCE_COLOR: "0" } })).stderr).not.toMatch(ESCAPES);
  });
});

describe("all of the output arrives", () => {
  test("300 kB of text through a reader that begins late, with every byte", async () => {
    const place = await scripted(() => long(LONG));
    const running = place.start(["eval", "tell me everything"], { input: "" });
    running.stopReading();
    await place.server.request(0).then((request) => request.closed);
    running.read();
    const { status, stdout } = await running.ended;
    expect(status).toBe(0);
    expect(stdout.length).toBe(LONG.length);
    expect(stdout === LONG).toBe(true);
  });

  test("300 kB of text into a file and through a slow shell pipe have the same count of bytes", async () => {
    const place = await scripted(() => long(LONG));
    const bytes = Buffer.byteLength(LONG);
    const [piped, filed] = await Promise.all([
      place.run(["eval", "tell me"], { script: '"$@" | { read -r first; sleep 0.3; printf "%s\\n" "$first"; cat; } | wc -c' }),
      place.run(["eval", "tell me"], { script: '"$@" > out.txt; echo status=$?; wc -c < out.txt' }),
    ]);
    expect(Number(piped.stdout.trim())).toBe(bytes);
    expect(filed.stdout.split("\n").slice(0, 2)).toEqual(["status=0", String(bytes)]);
  });

  test("5 MB of JSON events parse line by line, deltas merged or not, and end with run_end", async () => {
    const text = "0123456789abcdef".repeat(100_000);
    const place = await scripted((_request, n) =>
      n === 0 ? call("shell", { command: "head -c 60000 /dev/zero | tr '\\0' x" }) : long(text),
    );
    const running = place.start(["eval", "--json", "tell me"], { input: "" });
    running.stopReading();
    await place.server.request(1).then((request) => request.closed);
    running.read();
    const { status, stdout } = await running.ended;
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(4_800_000);
    const deltas = eventsOfType(stdout, "assistant_delta").map((event) => textOf(event["text"]));
    expect(deltas.join("") === text).toBe(true);
    expect(lastEvent(stdout)["reply"] === text).toBe(true);
  });

  test("an error exit loses no text that came before it", async () => {
    const place = await scripted(() => sse([delta({ role: "assistant", content: "" }), delta({ content: LONG })], "destroy"));
    const { status, stdout, stderr } = await place.run(["eval", "tell me"]);
    expect(status).toBe(1);
    expect(stdout === LONG).toBe(true);
    expect(stderr).toContain("provider.unreachable");
  });

  test("SIGTERM in the middle leaves whole JSON lines and run_end as the last", async () => {
    const place = await scripted(() => sse([delta({ role: "assistant", content: "" }), delta({ content: LONG })], "hang"));
    const running = place.start(["eval", "--json", "tell me"], { input: "" });
    await running.says('"assistant_delta"');
    running.kill("SIGTERM");
    const { status, stdout } = await running.ended;
    expect(status).toBe(143);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "aborted", reason: "abort" });
    expect(eventsOf(stdout).length).toBeGreaterThan(3);
  });
});

describe("output that cannot be written", () => {
  test.each([["eval", "hello"], ["eval", "--json", "hello"], ["--help"], ["--version"], ["sessions", "list", "--json"]])(
    "%s %s to a full device fails with a status that is not 0",
    async (...args) => {
      const place = await scripted(() => say("some text"));
      if (args[0] === "sessions") await place.run(["eval", "hello"]);
      const full = openSync("/dev/full", "w");
      try {
        const { status, stderr } = await place.run(args, { stdio: ["ignore", full, "pipe"] });
        expect(status).toBe(1);
        expect(stderr).not.toMatch(STACK);
      } finally {
        closeSync(full);
      }
    },
  );

  test("a reader who goes away ends the run quietly, and the server is left", async () => {
    const place = await scripted((_request, n) =>
      n === 0
        ? sse(
            [
              delta({ role: "assistant", content: "" }),
              delta({ content: "first line\nsecond\n" }),
              5,
              ...Array.from({ length: 2000 }, () => delta({ content: `${"x".repeat(400)}\n` })),
            ],
            "hang",
          )
        : say("later"),
    );
    const { stdout, stderr } = await place.run(["eval", "talk"], { script: '{ "$@"; echo status=$? >&2; } | head -n 1' });
    expect([stdout, stderr]).toEqual(["first line\n", "status=0\n"]);
    await (
      await place.server.request(0)
    ).closed;
    expect(await place.run(["eval", "-c", "go on"])).toMatchObject({ status: 0, stdout: "later\n" });
    expect(place.server.complaints).toEqual([]);
  });

  test("a reader of events who goes away ends the run quietly too", async () => {
    const place = await scripted((_request, n) => (n === 0 ? call("shell", { command: "echo ran >> ran" }) : hang()));
    const { stderr } = await place.run(["eval", "--json", "talk"], { script: '{ "$@"; echo status=$? >&2; } | head -n 1' });
    expect(stderr).toBe("status=0\n");
    await place.quiet();
  });
});
