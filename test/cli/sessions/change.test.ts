import { describe, expect, test } from "vitest";
import { unknownEffects } from "../../../src/agent/index.js";
import { type EffectId, type EntryId, err, ok, type SessionId } from "../../../src/base/index.js";
import type { Inspection, Maintenance } from "../../../src/runtime/index.js";
import { unknownEffectOf } from "../../../src/runtime/records/unknown-effect.js";
import type { Entry } from "../../../src/schema/index.js";
import { createFakeHost, createFakeInput, createFakeOutput } from "../fake-host.js";
import { failure, SESSION } from "../fake-runtime.js";
import { each, entriesOf, recordsOf, smith, summary } from "./support.js";
import { localMinute } from "../../../src/cli/output/time.js";

const MADE = { id: `${SESSION.slice(0, -8)}dddddddd` as SessionId, path: "/s/d.smith", entries: 5 };
const ENTRY = "01890a5d-ac96-774b-bcce-00000000cafe";
const busy = err(failure({ code: "session.busy", exit: 4 }));
const onTerminal = () => ({ stderr: createFakeOutput({ isTerminal: true }) });

describe("sessions fork", () => {
  const stored = () => {
    const asked: unknown[] = [];
    const fork: Maintenance["fork"] = (id, { signal: _signal, ...options } = {}) => {
      asked.push([id, options]);
      return Promise.resolve(ok(MADE));
    };
    const inspection: Partial<Inspection> = { resolveEntry: () => Promise.resolve(ok(ENTRY as never)) };
    return { asked, inspection, maintenance: { fork } };
  };

  test("the new id alone is on stdout; a person is told how to open it", async () => {
    const piped = await smith("sessions fork 8057", stored());
    expect(piped).toMatchObject({ status: 0, out: `${MADE.id}\n`, err: "" });
    const watched = await smith("sessions fork 8057", stored(), onTerminal());
    expect(watched.out).toBe(`${MADE.id}\n`);
    expect(watched.err).toBe("smith: 5 entries; open it with: smith -r dddddddd\n");
  });

  test("entry and name reach the store", async () => {
    const where = stored();
    await smith("sessions fork 8057:cafe --name copy", where);
    await smith("sessions fork 8057", where);
    expect(where.asked).toEqual([
      [SESSION, { at: ENTRY, name: "copy" }],
      [SESSION, {}],
    ]);
  });

  test("--json says what was made of what", async () => {
    const { out } = await smith("sessions fork --json 8057:cafe", stored());
    expect(recordsOf(out)).toEqual([{ session: MADE.id, path: MADE.path, entries: 5, source: SESSION, at: ENTRY }]);
  });

  test("a failure is told with its status", async () => {
    const maintenance: Partial<Maintenance> = { fork: () => Promise.resolve(err(failure({ code: "session.branch-broken" }))) };
    const { status, out, err: told } = await smith("sessions fork 8057", { maintenance });
    expect([status, out]).toEqual([1, ""]);
    expect(told).toContain("session.branch-broken");
  });
});

describe("sessions import", () => {
  const taking = () => {
    const lines: string[] = [];
    const load: Maintenance["import"] = async (given) => {
      for await (const line of given) lines.push(line);
      return ok(MADE);
    };
    return { lines, maintenance: { import: load } };
  };

  test("what the exported session had lost is told, and no failure", async () => {
    const missing = [
      { firstSeq: 3, lastSeq: 3 },
      { firstSeq: 7, lastSeq: 9 },
    ];
    const maintenance: Partial<Maintenance> = { import: () => Promise.resolve(ok({ ...MADE, missing })) };
    const { status, out, err: told } = await smith("sessions import - --json", { maintenance });
    expect([status, recordsOf(out)]).toEqual([0, [{ session: MADE.id, path: MADE.path, entries: 5, missing }]]);
    expect(told).toContain("lacks what the exported one had lost: change 3; changes 7 to 9");
  });

  test.each([
    ["a\nb\n", ["a", "b"]],
    ["a\nb", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["ä€𝄞\n\n{}\n", ["ä€𝄞", "", "{}"]],
    ["\ufeffa\n", ["a"]],
    ["", []],
  ])("%j comes as its lines, however it was cut", async (content, expected) => {
    const where = taking();
    const result = await smith("sessions import a.jsonl", where, { files: { "/home/a/p/a.jsonl": content } });
    expect(result).toMatchObject({ status: 0, out: `${MADE.id}\n`, err: "" });
    expect(where.lines).toEqual(expected);
  });

  test("- is standard input, closed afterwards", async () => {
    const where = taking();
    const stdin = createFakeInput("idle-prone", "a\nb\n");
    const { out } = await smith("sessions import - --json", where, { stdin });
    expect(recordsOf(out)).toEqual([{ session: MADE.id, path: MADE.path, entries: 5 }]);
    expect([where.lines, stdin.closed]).toEqual([["a", "b"], true]);
  });

  test.each<[string, string | Uint8Array | { code: string }, string]>([
    ["a file that is not there", { code: "ENOENT" }, "input.file-unreadable"],
    ["bytes that are no UTF-8", new Uint8Array([0x61, 0xff, 0x0a]), "input.not-utf8"],
    ["a character cut at the end", new Uint8Array([0x61, 0x0a, 0xe2, 0x82]), "input.not-utf8"],
  ])("%s is status 1 and nothing is made", async (_name, content, code) => {
    const { status, out, err: told } = await smith("sessions import /a", taking(), { files: { "/a": content } });
    expect([status, out]).toEqual([1, ""]);
    expect(told).toContain(code);
  });

  test("an interrupt while standard input is silent ends it", async () => {
    const host = createFakeHost({ stdin: createFakeInput("idle-prone") });
    setImmediate(() => {
      host.signal("SIGINT");
    });
    const load: Maintenance["import"] = async (lines, { signal }) => {
      for await (const line of lines) throw new Error(line);
      return signal?.aborted === true ? err(failure({ code: "session.import-stopped" })) : ok(MADE);
    };
    const { status, out, err: told } = await smith("sessions import -", { maintenance: { import: load }, host });
    expect([status, out, told]).toEqual([130, "", ""]);
  });
});

describe("sessions repair", () => {
  test("says what was kept, what was lost and where the old file is", async () => {
    const report = {
      backup: "/s/x.damaged",
      commits: 9,
      lost: [
        { firstSeq: 3, lastSeq: 3 },
        { firstSeq: 6, lastSeq: 8 },
      ],
      dropped: { entries: [ENTRY as EntryId], frames: 2 },
    };
    const maintenance: Partial<Maintenance> = { repair: () => Promise.resolve(ok(report)) };
    expect((await smith("sessions repair 8057", { maintenance })).out).toBe(
      [
        "099a8057: repaired: 9 changes kept, lost: change 3; changes 6 to 8; 1 entry of a kept change; 2 frames of a later version",
        "099a8057: entry left out, its content is damaged: 0000cafe",
        "099a8057: the damaged file is kept as /s/x.damaged",
        "",
      ].join("\n"),
    );
    expect(recordsOf((await smith("sessions repair --json 8057", { maintenance })).out)).toEqual([
      { session: SESSION, repaired: true, ...report },
    ]);
  });

  test("a repair that lost nothing says so", async () => {
    const maintenance: Partial<Maintenance> = { repair: () => Promise.resolve(ok({ backup: "/s/x", commits: 1, lost: [] })) };
    expect((await smith("sessions repair 8057", { maintenance })).out).toContain("repaired: 1 change kept, nothing lost\n");
  });

  test("a sound session says so, status 0", async () => {
    const maintenance: Partial<Maintenance> = { repair: () => Promise.resolve(ok({ commits: 9, lost: [] })) };
    expect(await smith("sessions repair 8057", { maintenance })).toMatchObject({
      status: 0,
      out: "099a8057: sound, nothing to repair: 9 changes\n",
      err: "",
    });
  });

  test("one that is being written is status 4", async () => {
    expect((await smith("sessions repair 8057", { maintenance: { repair: () => Promise.resolve(busy) } })).status).toBe(4);
  });
});

describe("sessions rename", () => {
  test("gives the new name, made visible", async () => {
    const asked: unknown[] = [];
    const rename: Maintenance["rename"] = (...given) => {
      asked.push(given);
      return Promise.resolve(ok(undefined));
    };
    const { status, out } = await smith(["sessions", "rename", "8057", "a \u001b[2J name"], { maintenance: { rename } });
    expect([status, out, asked]).toEqual([0, "099a8057 a ␛[2J name\n", [[SESSION, "a \u001b[2J name"]]]);
  });
});

describe("sessions delete", () => {
  const OTHER = summary("bbbbbbbb").id;
  const stored = (results: readonly Awaited<ReturnType<Maintenance["remove"]>>[] = []) => {
    const removed: SessionId[] = [];
    const remove: Maintenance["remove"] = (id) => {
      removed.push(id);
      return Promise.resolve(results[removed.length - 1] ?? ok(undefined));
    };
    const inspection: Partial<Inspection> = {
      resolve: (name) =>
        Promise.resolve(name === "bbbb" ? ok(OTHER) : name === "8057" ? ok(SESSION) : err(failure({ code: "session.unknown" }))),
      list: () => each([summary("099a8057", { id: SESSION, name: "Named\u0007" }), summary("bbbbbbbb", { firstPrompt: "list" })]),
    };
    return { removed, inspection, maintenance: { remove } };
  };
  const asking = (answer?: string) => ({ ...onTerminal(), stdin: createFakeInput("terminal", answer) });

  test("--yes removes without asking, each once", async () => {
    const where = stored();
    const { status, out, err: told } = await smith("sessions delete 8057 bbbb 8057 --yes", where);
    expect([status, out, told]).toEqual([0, `deleted ${SESSION}\ndeleted ${OTHER}\n`, ""]);
    expect(where.removed).toEqual([SESSION, OTHER]);
  });

  test("without a terminal and without --yes it is status 2 and nothing is removed", async () => {
    const where = stored();
    const { status, err: told } = await smith("sessions delete 8057", where);
    expect([status, where.removed]).toEqual([2, []]);
    expect(told).toContain("--yes");
  });

  test.each([
    ["yes\n", 0, 1],
    [" Y \r", 0, 1],
    ["no\n", 1, 0],
    ["\n", 1, 0],
    ["yesterday\n", 1, 0],
    ["y", 0, 1],
    ["", 1, 0],
  ])("the answer %j is status %i", async (answer, status, count) => {
    const where = stored();
    const result = await smith("sessions delete 8057", where, asking(answer));
    expect([result.status, where.removed.length]).toEqual([status, count]);
    expect(result.err).toContain(`099a8057  ${localMinute(summary("x").updatedAt)}  Named␇`);
    expect(result.host.stdin.closed).toBe(true);
  });

  test("a name that fits nothing removes none of them", async () => {
    const where = stored();
    expect((await smith("sessions delete 8057 x --yes", where)).status).toBe(1);
    expect(where.removed).toEqual([]);
  });

  test("one that is being written is told, the others are removed, and the status is 4", async () => {
    const where = stored([busy]);
    const { status, out } = await smith("sessions delete 8057 bbbb --yes", where);
    expect([status, out]).toEqual([4, `deleted ${OTHER}\n`]);
  });
});

describe("sessions reconcile", () => {
  const id = (digit: string): string => `01890a5d-ac96-774b-bcce-00000000000${digit}`;
  const intent = (digit: string, more: object = {}) =>
    ({
      type: "effect-intent",
      effect: id(digit),
      cause: "c",
      operation: "process.run",
      plugin: "tool-shell",
      generation: 1,
      input: {},
      ...more,
    }) as const;
  const done = (digit: string, outcome: string) => ({ type: "effect-done", effect: id(digit), outcome, output: {} }) as const;
  const entries = entriesOf(
    intent("1"),
    done("1", "applied"),
    intent("2", { input: { command: "make \u001b[2J", cwd: "/p", timeoutMs: 5 } }),
    intent("3"),
    done("3", "unknown"),
    intent("4"),
    { type: "reconciled", effect: id("4"), outcome: "applied" },
    intent("5", { inherited: true }),
    intent("6", { operation: "provider.respond" }),
    done("6", "unknown"),
    intent("7", { operation: "fs.read" }),
  );
  const reader = { scan: (types: ReadonlySet<Entry["type"]>) => each(entries.filter(({ type }) => types.has(type))) };
  const inspection: Partial<Inspection> = {
    // The agent's own rule over the entries of the test.
    async *unknownEffects() {
      for (const facts of await unknownEffects(reader)) yield ok(unknownEffectOf(facts));
    },
  };

  test("without an effect lists those of this session that nobody knows the outcome of", async () => {
    const { status, out, err: told } = await smith("sessions reconcile 8057", { inspection });
    expect([status, told]).toEqual([0, ""]);
    const when = localMinute(entries[0]?.time ?? 0);
    expect(out).toBe([`00000002  ${when}  process.run  make ␛[2J`, `00000003  ${when}  process.run`, ""].join("\n"));
    const watched = await smith("sessions reconcile 8057", { inspection }, onTerminal());
    expect(watched.err).toContain("smith sessions reconcile 099a8057 EFFECT --as applied|not-applied");
  });

  test("while another process writes, an effect without an end may still be running", async () => {
    const writing = { ...inspection, list: () => each([summary("x", { id: SESSION })]) };
    const { out } = await smith("sessions reconcile 8057", { inspection: writing });
    expect(out.match(/may still be running/gu)).toHaveLength(1);
    expect(recordsOf((await smith("sessions reconcile 8057 --json", { inspection: writing })).out)).toMatchObject([
      { effect: id("2"), operation: "process.run", plugin: "tool-shell", running: true },
      { effect: id("3"), running: false },
    ]);
  });

  test("none at all is success; a person is told", async () => {
    const none = { inspection: { unknownEffects: () => each([]) } };
    expect(await smith("sessions reconcile 8057", none)).toMatchObject({ status: 0, out: "", err: "" });
    expect((await smith("sessions reconcile 8057", none, onTerminal())).err).toContain("no effect of this session");
  });

  test("records the word and says so", async () => {
    const asked: unknown[] = [];
    const reconcile: Maintenance["reconcile"] = (...given) => {
      asked.push(given);
      return Promise.resolve(ok({ effect: id("2") as EffectId, operation: "process.run" }));
    };
    const where = { inspection, maintenance: { reconcile } };
    const { status, out } = await smith("sessions reconcile 8057 0002 --as applied --note seen", where);
    expect([status, out]).toEqual([0, "00000002 process.run: applied\n"]);
    expect(asked).toEqual([[SESSION, "0002", { outcome: "applied", note: "seen" }]]);
    const json = await smith("sessions reconcile 8057 0002 --as not-applied --json", where);
    expect(recordsOf(json.out)).toEqual([{ session: SESSION, effect: id("2"), operation: "process.run", outcome: "not-applied" }]);
  });

  test("an effect that is not there is status 1", async () => {
    expect((await smith("sessions reconcile 8057 beef --as applied", { inspection })).status).toBe(1);
    const said = { reconcile: () => Promise.resolve(err(failure({ code: "agent.effect-said" }))) };
    const again = await smith("sessions reconcile 8057 0002 --as applied", { inspection, maintenance: said });
    expect([again.status, again.err.includes("agent.effect-said")]).toEqual([0, true]);
  });
});
