import { describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import { runCommandLine } from "../../../src/cli/commands.js";
import { renderEntry } from "../../../src/cli/sessions/entry-text.js";
import { localMinute } from "../../../src/cli/output/time.js";
import type { GrepMatch, Inspection } from "../../../src/runtime/index.js";
import type { Entry, SessionSummary } from "../../../src/schema/index.js";
import { createFakeHost, createFakeOutput, type FakeHostOptions } from "../fake-host.js";
import { createFakeRuntime, failure, SESSION } from "../fake-runtime.js";
import { each, match, smith as runSmith, summary, TIME } from "./support.js";

/** Where manual clocks begin. */
const NOW = Date.UTC(2026, 0, 1);
const WHEN = localMinute(TIME);

const smith = async (line: string, inspection: Partial<Inspection>, options: FakeHostOptions = {}) => {
  const { status, out, err: told } = await runSmith(line, { inspection }, options);
  return { status, out, err: told };
};

describe("sessions list", () => {
  const sessions = [
    summary("aaaaaaaa", { name: "Named", firstPrompt: "unused" }),
    summary("bbbbbbbb", { firstPrompt: "list\n\u001b[2J files", cwd: "/elsewhere/project", turns: 12, state: "busy" }),
    summary("cccccccc", { state: "damaged", updatedAt: TIME }),
  ];

  test("a table sized to its content, in the given order, titles made visible", async () => {
    const { status, out, err } = await smith("sessions list", { list: () => each(sessions) });
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out.replaceAll(WHEN, "2026-11-30 09:05")).toBe(
      [
        "ID        UPDATED           TURNS  FOLDER              TITLE",
        "aaaaaaaa  2026-11-30 09:05  3      ~/p                 Named",
        "bbbbbbbb  2026-11-30 09:05  12     /elsewhere/project  (busy) list ␛[2J files",
        "cccccccc  2026-11-30 09:05  3      ~/p                 (damaged)",
        "",
      ].join("\n"),
    );
  });

  test("on a terminal no line is longer than the terminal is wide", async () => {
    const stdout = createFakeOutput({ isTerminal: true, columns: 50 });
    const { out } = await smith("sessions list", { list: () => each(sessions) }, { stdout, env: { NO_COLOR: "1", HOME: "/home/a" } });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBe(50);
  });

  test("a deep folder leaves room for the title", async () => {
    const stdout = createFakeOutput({ isTerminal: true, columns: 80 });
    const deep = [summary("aaaaaaaa", { cwd: `/${"deep/".repeat(20)}project`, name: "Named" })];
    const {
      status,
      out,
      err: told,
    } = await smith("sessions list", { list: () => each(deep) }, { stdout, env: { NO_COLOR: "1", SMITH_HOME: "/nowhere" } });
    expect([status, told]).toEqual([0, ""]);
    expect(out).toMatch(/ {2}…[a-z/]*deep\/project {2}Named\n/u);
  });

  test("thousands of sessions are streamed in the columns of the first ones", async () => {
    const many = Array.from({ length: 3000 }, (_, index) => summary(String(index).padStart(8, "0")));
    const { out } = await smith("sessions list", { list: () => each(many) });
    expect(out.split("\n")).toHaveLength(3002);
  });

  test("--json is the summaries, one a line", async () => {
    const { out } = await smith("sessions list --json", { list: () => each(sessions) });
    expect(
      out
        .split("\n")
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(sessions);
    expect(out).not.toContain("\u001b");
  });

  test.each<[string, object]>([
    ["", {}],
    ["--here", { cwd: "/home/a/p" }],
    ["--cwd /link/p", { cwd: "/real/p" }],
    ["--state unreadable", { state: "unreadable" }],
    ["--cwd missing/now", { cwd: "/home/a/p/missing/now" }],
    ["--here --cwd /elsewhere/project", { cwd: "/elsewhere/project" }],
    ["--model opus --name fix --state damaged", { model: "opus", name: "fix", state: "damaged" }],
    ["--since 2h --until 1h", { since: NOW - 7_200_000, until: NOW - 3_600_000 }],
    ["--since 2026-11-30", { since: new Date(2026, 10, 30).getTime() }],
  ])("filters are the store's to apply: %s", async (flags, expected) => {
    const asked: unknown[] = [];
    const list: Inspection["list"] = (options) => {
      asked.push(options);
      return each(sessions);
    };
    const host = createFakeHost({ cwd: "/home/a/p" });
    await runCommandLine(`sessions list ${flags}`.trim().split(" "), host, createFakeRuntime({ inspection: { list } }));
    expect(asked).toEqual([{ detail: "summary", ...expected }]);
  });

  test("--limit reads no more sessions than it shows", async () => {
    let read = 0;
    const list = async function* (): AsyncIterable<SessionSummary> {
      for (const one of sessions) {
        read += 1;
        yield one;
      }
    };
    const { out } = await smith("sessions list --limit 2", { list });
    expect([out.split("\n").length, read]).toEqual([4, 2]);
  });

  test("a fork or an import says where it came from", async () => {
    const { out } = await smith("sessions list", { list: () => each([summary("dddddddd", { name: "Copy", origin: SESSION })]) });
    expect(out).toContain("(from 099a8057) Copy");
    const own = summary("dddddddd", { name: "Moved" });
    const imported = await smith("sessions list", { list: () => each([{ ...own, origin: own.id }]) });
    expect(imported.out).toContain("(imported) Moved");
  });

  test("what cannot be read is listed with the reason; an id is as long as it takes to tell it from others", async () => {
    const unread = summary("dddddddd", { state: "unreadable", damage: "EACCES: permission denied", short: "0-0000dddddddd" });
    const { out } = await smith("sessions list", { list: () => each([unread]) });
    expect(out).toMatch(/^0-0000dddddddd .*\(unreadable\) EACCES: permission denied$/mu);
    const lines = { inspection: { grep: () => each([ok(match({ short: "9099a8057" }))]) } };
    for (const flags of ["", "-l ", "-c "]) expect((await runSmith(`sessions grep ${flags}x`, lines)).out).toMatch(/^9099a8057\b/u);
  });

  test("a terminal of no width is one of unknown width", async () => {
    const stdout = createFakeOutput({ isTerminal: true, columns: 0 });
    const { out } = await smith("sessions list", { list: () => each(sessions) }, { stdout, env: { NO_COLOR: "1", HOME: "/home/a" } });
    expect(out).toContain("/elsewhere/project  (busy) list");
  });

  test("none at all is success; a terminal is told", async () => {
    expect(await smith("sessions list", {})).toEqual({ status: 0, out: "", err: "" });
    expect((await smith("sessions list", {}, { stderr: createFakeOutput({ isTerminal: true }) })).err).toBe("no sessions\n");
  });

  test("--resume without an id lists those of this folder and says how to go on", async () => {
    const list: Inspection["list"] = (options = {}) => each(sessions.filter(({ cwd }) => cwd === options.cwd));
    const { status, out, err } = await smith("--resume", { list }, { cwd: "/home/a/p" });
    expect(status).toBe(0);
    expect(out).toContain("aaaaaaaa");
    expect(out).not.toContain("bbbbbbbb");
    expect(err).toContain("smith --resume ID");
  });

  test("a reader who went away ends it quietly, without reading on", async () => {
    const stdout = createFakeOutput();
    stdout.fail("EPIPE");
    let read = 0;
    const list = async function* (): AsyncIterable<SessionSummary> {
      for (; read < 100_000; read += 1) {
        yield summary("aaaaaaaa");
        if (read % 10 === 0)
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
      }
    };
    expect(await smith("sessions list --json", { list }, { stdout })).toEqual({ status: 0, out: "", err: "" });
    expect(read).toBeLessThan(1000);
  });
});

describe("sessions grep", () => {
  const grep = (...found: readonly (GrepMatch | "damage")[]): Partial<Inspection> => ({
    grep: () => each(found.map((one) => (one === "damage" ? err(failure({ code: "session.damaged" })) : ok(one)))),
  });

  test("a match names session, entry, part and line; status 0", async () => {
    const { status, out, err } = await smith("sessions grep price", grep(match(), match({ text: "\u001b[2J  \tprice".padEnd(2000, "x") })));
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const [first, second] = out.split("\n");
    expect(first).toBe("099a8057:0000cafe:output:7: const price = 12;");
    expect(second).toMatch(/^099a8057:0000cafe:output:7: ␛\[2J {3}pricex+…$/u);
  });

  test("--json has the whole ids and the whole line", async () => {
    const { out } = await smith("sessions grep --json price", grep(match()));
    expect(JSON.parse(out)).toEqual(match());
  });

  test("nothing found is status 1 and silence", async () => {
    expect(await smith("sessions grep price", grep())).toEqual({ status: 1, out: "", err: "" });
  });

  test("damage is told, the rest is searched, and the status is 2", async () => {
    const { status, out, err } = await smith("sessions grep price", grep("damage", match()));
    expect([status, out]).toEqual([2, "099a8057:0000cafe:output:7: const price = 12;\n"]);
    expect(err).toContain("session.damaged");
  });

  test("the pattern and the session reach the search", async () => {
    const asked: unknown[] = [];
    const inspection: Partial<Inspection> = {
      grep: (pattern, options) => {
        asked.push(pattern, options);
        return each([]);
      },
    };
    await smith("sessions grep -F -i --session 8057 a.b", inspection);
    expect(asked).toEqual([/a\.b/iu, { sessions: [SESSION] }]);
    expect((await smith("sessions grep --session x a", inspection)).status).toBe(2);
  });
});

describe("sessions get", () => {
  const base = { id: "e", time: TIME, work: "w" };
  const entries = [
    { ...base, type: "user-message", source: "prompt", text: "list files\u0007" },
    {
      ...base,
      type: "assistant",
      request: "r",
      stop: "tool-use",
      text: "Looking.",
      thinking: [{ text: "hmm" }],
      dispatch: { provider: "p", model: "m" },
    },
    { ...base, type: "tool-call", call: "c", ordinal: 0, name: "list", providerId: "x", argsText: '{"path":"."}' },
    { ...base, type: "tool-result", call: "c", name: "list", text: "a.ts\n", isError: true, mutation: "unknown", omittedBytes: 5 },
  ] as unknown as readonly Entry[];
  const inspection: Partial<Inspection> = { entries: () => each(entries.map((entry) => ok(entry))) };

  test("entries in order, numbered, with their text", async () => {
    const { status, out, err } = await smith("sessions get 8057", inspection);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out.replaceAll(WHEN, "T")).toBe(
      [
        "#1 e T user",
        "list files␇",
        "",
        "#2 e T assistant p/m (tool-use)",
        "(thinking) hmm",
        "",
        "Looking.",
        "",
        '#3 e T tool call list {"path":"."}',
        "#4 e T tool result list (failed, outcome unknown, 5 bytes left out)",
        "a.ts",
        "",
        "",
      ].join("\n"),
    );
  });

  test("--json is the entries, one a line; --entries keeps a range", async () => {
    const all = await smith("sessions get --json 8057", inspection);
    expect(
      all.out
        .split("\n")
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(entries);
    const some = await smith("sessions get --json --entries 2..3 8057", inspection);
    expect(some.out).toBe(all.out.split("\n").slice(1, 3).join("\n") + "\n");
  });

  test("damage is told, the rest is shown, and the status is 1", async () => {
    const [first, , third] = entries.map((entry) => ok(entry));
    const damaged: Partial<Inspection> = {
      entries: () => each([first, err(failure({ code: "session.damaged" })), third].filter((one) => one !== undefined)),
    };
    const { status, out, err: told } = await smith("sessions get 8057", damaged);
    expect(status).toBe(1);
    expect(out).toContain("#2");
    expect(told).toContain("session.damaged");
  });

  test("no such session: status 1, a diagnostic, nothing on stdout", async () => {
    const { status, out, err: told } = await smith("sessions get x", inspection);
    expect([status, out]).toEqual([1, ""]);
    expect(told).toContain("session.unknown");
  });

  test("every kind of record has its words", () => {
    const records = [
      { type: "prompt", system: "S", tools: [], generation: 1 },
      { type: "session-info", name: "n", cwd: "/p" },
      { type: "compaction", firstKept: "e", summary: "sum", tokensBefore: 9 },
      { type: "context-edit", target: "12345678abcdefgh", operation: "replace", text: "t" },
      { type: "submission", submission: "s", work: "w", delivery: "turn", text: "x" },
      { type: "queue", submission: "12345678abcdefgh", operation: "withdraw" },
      { type: "work", work: "12345678abcdefgh", state: "running" },
      { type: "receipt", submission: "s", work: "w", status: "ok", reason: "done" },
      {
        type: "effect-intent",
        effect: "12345678abcdefgh",
        cause: "c",
        operation: "fs.write",
        plugin: "tool-write",
        generation: 1,
        input: {},
      },
      { type: "effect-done", effect: "12345678abcdefgh", outcome: "unknown", output: {} },
      { type: "reconciled", effect: "12345678abcdefgh", outcome: "applied", note: "seen" },
      {
        type: "request",
        request: "00001234abcd",
        work: "w",
        prompt: "p",
        selection: "s",
        dispatch: { provider: "p", model: "m" },
        attempt: 1,
        generation: 1,
        messageCount: 4,
      },
      { type: "unknown", kind: 99, flags: 0 },
    ].map((record) => ({ id: "e", time: TIME, ...record })) as unknown as readonly Entry[];
    expect(
      records.map((record) => renderEntry(record, { entry: 1, request: 3, session: SESSION }).split("\n")[0]?.replace(`#1 e ${WHEN} `, "")),
    ).toEqual([
      "prompt of 1 character, 0 tools",
      "session n in /p",
      "compaction of 9 tokens",
      "context edit: replace abcdefgh",
      "submission (turn)",
      "queue: withdraw abcdefgh",
      "work abcdefgh running",
      "receipt: ok (done)",
      "effect abcdefgh begins: fs.write for tool-write",
      "effect abcdefgh ended: unknown",
      "effect abcdefgh reconciled: applied, seen",
      "request 3 (1234abcd) to p/m, attempt 1, 4 messages",
      "record of the unknown kind 99",
    ]);
  });
});
