import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/base/index.js";
import { err, ok } from "../../../src/base/index.js";
import type { EvaluateInput, Question, QuestionAnswer, SdkOperation, SdkOperations } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import type { Grants, UiPort } from "../../../src/effect/index.js";
import { type Bench, createBench, EVERYTHING, errorOf, makeFolder, NOTHING, removeFolder, valueOf } from "../support.js";

const all = { grants: EVERYTHING };
const options = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];
const never = (): Promise<never> => new Promise(() => undefined);

describe("questions", () => {
  let asked: { question: Question; plugin: string; effect: string }[];
  let reply: QuestionAnswer | "unavailable";
  const ui: UiPort = {
    ask: async (question, { plugin, effect }) => {
      asked.push({ question, plugin, effect });
      return reply;
    },
  };
  let bench: Bench;
  beforeEach(() => {
    asked = [];
    bench = createBench("/", { ui });
  });
  afterEach(() => bench.close());

  test.each<readonly [string, SdkOperation, object, QuestionAnswer, unknown]>([
    ["text", "ui.ask", { text: "?" }, { type: "text", text: "yes" }, { text: "yes" }],
    ["no text", "ui.ask", { text: "?" }, { type: "dismissed" }, { text: null }],
    ["one", "ui.choose", { text: "?", options }, { type: "chosen", values: ["b"] }, { values: ["b"] }],
    ["several", "ui.choose", { text: "?", options, many: true }, { type: "chosen", values: ["a", "b"] }, { values: ["a", "b"] }],
    ["none of several", "ui.choose", { text: "?", options, many: true }, { type: "chosen", values: [] }, { values: [] }],
    ["no choice", "ui.choose", { text: "?", options }, { type: "dismissed" }, { values: null }],
    ["yes", "ui.confirm", { text: "?" }, { type: "confirmed", yes: true }, { yes: true }],
    ["neither", "ui.confirm", { text: "?" }, { type: "dismissed" }, { yes: null }],
  ])("%s", async (_name, op, ...row) => {
    const [input, answer, expected] = row;
    reply = answer;
    const { outcome, result } = await bench.call(op, input, all);
    expect([outcome, valueOf(result)]).toEqual(["not-applied", expected]);
    expect(asked).toEqual([{ question: { type: op.slice(3), ...input }, plugin: "acme.test", effect: expect.any(String) as string }]);
  });

  test.each<readonly [string, SdkOperation, object, QuestionAnswer]>([
    ["another kind", "ui.ask", { text: "?" }, { type: "confirmed", yes: true }],
    ["a value nobody offered", "ui.choose", { text: "?", options }, { type: "chosen", values: ["c"] }],
    ["two where one was asked for", "ui.choose", { text: "?", options }, { type: "chosen", values: ["a", "b"] }],
    ["text for yes or no", "ui.confirm", { text: "?" }, { type: "text", text: "yes" }],
  ])("an answer of %s is not handed on", async (_name, op, input, answer) => {
    reply = answer;
    expect((await bench.error(op, input as SdkOperations[typeof op]["input"], all)).code).toBe("ui.bad-answer");
  });

  test.each(["ask", "choose", "confirm"] as const)("ui.%s without its grant, or where nobody can be asked, is refused", async (intent) => {
    const input = { text: "?", options } as SdkOperations["ui.choose"]["input"];
    const others: Grants = { ...EVERYTHING, ui: EVERYTHING.ui.filter((one) => one !== intent) };
    const error = await bench.error(`ui.${intent}`, input, { grants: others });
    expect([error.code, error.next]).toEqual(["grant.denied", expect.stringContaining(`ui "${intent}"`)]);
    expect(asked).toEqual([]);
    reply = "unavailable";
    expect((await bench.error(`ui.${intent}`, input, all)).code).toBe("ui.unavailable");
  });

  test.each<readonly [string, SdkOperation, object]>([
    ["a text too long", "ui.ask", { text: "x".repeat(4001) }],
    ["a placeholder too long", "ui.ask", { text: "?", placeholder: "x".repeat(201) }],
    ["no options", "ui.choose", { text: "?", options: [] }],
    ["too many options", "ui.choose", { text: "?", options: Array.from({ length: 101 }, (_, at) => ({ value: String(at), label: "" })) }],
    ["a value twice", "ui.choose", { text: "?", options: [options[0], options[0]] }],
    ["a label too long", "ui.choose", { text: "?", options: [{ value: "a", label: "x".repeat(201) }] }],
    ["a word for yes too long", "ui.confirm", { text: "?", yes: "x".repeat(201) }],
  ])("%s is not asked", async (_name, op, input) => {
    expect((await bench.error(op, input as SdkOperations[typeof op]["input"], all)).code).toBe("ui.bad-question");
    expect(asked).toEqual([]);
  });

  test("control characters are replaced in everything shown, and values stay", async () => {
    reply = { type: "chosen", values: ["a\u001b"] };
    const input = { text: "a\u001b[2Jb\r\nc\u202e", options: [{ value: "a\u001b", label: "l\u0007", hint: "h\u009b" }] };
    expect(await bench.value("ui.choose", input, all)).toEqual({ values: ["a\u001b"] });
    expect(asked[0]?.question).toEqual({
      type: "choose",
      text: "a\ufffd[2Jb\nc\ufffd",
      options: [{ value: "a\u001b", label: "l\ufffd", hint: "h\ufffd" }],
    });
  });
});

describe("an abort is felt at once, whatever the other side does", () => {
  const inputs = {
    "ui.ask": { text: "?" },
    "evaluate.run": { source: "" },
    "state.get": { key: "k", scope: "user" },
  } as const;
  test.each(["ui.ask", "evaluate.run", "state.get"] as const)("%s", async (op) => {
    const stop = new AbortController();
    const begin = (): Promise<never> => {
      queueMicrotask(() => {
        stop.abort();
      });
      return never();
    };
    const bench = createBench("/", { ui: { ask: begin }, evaluate: { run: begin }, state: { get: begin, put: never, delete: never } });
    const { outcome, result } = await bench.call(op, inputs[op], { ...all, signal: stop.signal });
    expect([outcome, errorOf(result).code, errorOf(result).what]).toEqual(["not-applied", "effect.stopped", `${op} was stopped.`]);
    await bench.close();
  });
});

describe("state", () => {
  let stored: Map<string, JsonValue>;
  let bench: Bench;
  const failure = diagnostic({ code: "state.undeclared", what: "no", why: "no", next: "no" });
  beforeEach(() => {
    stored = new Map();
    const name = (plugin: string, { scope, key }: { scope: string; key: string }): string => `${plugin} ${scope} ${key}`;
    bench = createBench("/", {
      state: {
        get: async (plugin, input) => (input.key === "undeclared" ? err(failure) : ok({ value: stored.get(name(plugin, input)) ?? null })),
        put: async (plugin, input, value) => {
          if (input.key === "undeclared") return err(failure);
          stored.set(name(plugin, input), value);
          return ok(undefined);
        },
        delete: async (plugin, input) => (input.key === "undeclared" ? err(failure) : ok(stored.delete(name(plugin, input)))),
      },
    });
  });
  afterEach(() => bench.close());

  test("is kept under its plugin, and each call says what it did", async () => {
    const at = { key: "k", scope: "user" } as const;
    expect(await bench.call("state.get", at, all)).toEqual({ outcome: "not-applied", result: ok({ value: null }) });
    expect(await bench.call("state.put", { ...at, value: { a: [1] } }, all)).toEqual({ outcome: "applied", result: ok({ stored: true }) });
    expect([...stored]).toEqual([["acme.test user k", { a: [1] }]]);
    expect(await bench.value("state.get", at, all)).toEqual({ value: { a: [1] } });
    expect(await bench.call("state.delete", at, all)).toEqual({ outcome: "applied", result: ok({ existed: true }) });
    expect(await bench.call("state.delete", at, all)).toEqual({ outcome: "not-applied", result: ok({ existed: false }) });
  });

  test("what the store refuses is not applied", async () => {
    const at = { key: "undeclared", scope: "user" } as const;
    for (const reply of [
      await bench.call("state.get", at, all),
      await bench.call("state.put", { ...at, value: 1 }, all),
      await bench.call("state.delete", at, all),
    ])
      expect(reply).toEqual({ outcome: "not-applied", result: err(failure) });
  });

  test.each<readonly [string, Partial<Grants>, SdkOperations["state.put"]["input"], string, RegExp]>([
    ["no grant", {}, { key: "k", scope: "user", value: 1 }, "grant.denied", /asks with state "k" scope="user"/u],
    [
      "another scope",
      { state: [{ scope: "session", maxBytes: 100 }] },
      { key: "k", scope: "user", value: 1 },
      "grant.denied",
      /asks with state "k" scope="user"/u,
    ],
    [
      "a value too large",
      { state: [{ scope: "user", maxBytes: 10 }] },
      { key: "k", scope: "user", value: "ääää" + "x" },
      "state.value-too-large",
      /plugin-data/u,
    ],
    [
      "an empty key",
      { state: [{ scope: "user", maxBytes: 10 }] },
      { key: "", scope: "user", value: 1 },
      "state.bad-key",
      /manifest declares/u,
    ],
    [
      "a key too long",
      { state: [{ scope: "user", maxBytes: 10 }] },
      { key: "ä".repeat(129), scope: "user", value: 1 },
      "state.bad-key",
      /manifest declares/u,
    ],
    [
      "a key with a control character",
      { state: [{ scope: "user", maxBytes: 10 }] },
      { key: "a\nb", scope: "user", value: 1 },
      "state.bad-key",
      /manifest declares/u,
    ],
  ])("is refused: %s", async (_name, grants, ...row) => {
    const [input, code, words] = row;
    const error = await bench.error("state.put", input, { grants: { ...NOTHING, ...grants } });
    expect([error.code, error.next]).toEqual([code, expect.stringMatching(words)]);
    expect(stored.size).toBe(0);
  });

  test("of several grants for one scope the widest counts, to the byte", async () => {
    const grants: Grants = {
      ...NOTHING,
      state: [
        { scope: "user", maxBytes: 1 },
        { scope: "user", maxBytes: 10 },
      ],
    };
    expect(await bench.value("state.put", { key: "k", scope: "user", value: "ääää" }, { grants })).toEqual({ stored: true });
  });
});

describe("evaluate.run", () => {
  let ran: EvaluateInput[];
  let bench: Bench;
  beforeEach(() => {
    ran = [];
    bench = createBench("/", {
      evaluate: {
        run: async (input) => {
          ran.push(input);
          return input.source === "bad" ? err(diagnostic({ code: "evaluate.threw", what: "no", why: "no", next: "no" })) : ok([1, null]);
        },
      },
    });
  });
  afterEach(() => bench.close());

  test("hands over source and input with a limit, and brings back the value", async () => {
    expect(await bench.value("evaluate.run", { source: "return 1", input: { a: 1 } }, all)).toEqual({ value: [1, null] });
    await bench.value("evaluate.run", { source: "x", timeoutMs: 99_999 }, all);
    expect(ran).toEqual([
      { source: "return 1", input: { a: 1 }, timeoutMs: 2000 },
      { source: "x", timeoutMs: 10_000 },
    ]);
  });

  test("a failure is handed on; without the grant, or too large, nothing runs", async () => {
    expect((await bench.error("evaluate.run", { source: "bad" }, all)).code).toBe("evaluate.threw");
    expect((await bench.error("evaluate.run", { source: "x" }, { grants: NOTHING })).next).toContain("grants { evaluate }");
    expect((await bench.error("evaluate.run", { source: "x".repeat(2 ** 21), input: "y" }, all)).code).toBe("evaluate.too-large");
    expect(ran).toHaveLength(1);
  });
});

describe("resource.read", () => {
  let top: string;
  let bench: Bench;
  beforeEach(async () => {
    top = await makeFolder();
    const skill = join(top, "skills", "one");
    await mkdir(join(skill, "more"), { recursive: true });
    await writeFile(join(skill, "SKILL.md"), "---\nname: one\n---\nbody\n");
    await writeFile(join(skill, "more", "ä b.md"), "beside\n");
    await writeFile(join(skill, "big"), "x".repeat(256 * 1024 + 1));
    await writeFile(join(skill, "fits"), "x".repeat(256 * 1024));
    await writeFile(join(skill, "binary"), Buffer.from([1, 0, 2]));
    await writeFile(join(top, "skills", "secret"), "s\n");
    await symlink("../secret", join(skill, "link"));
    await symlink("..", join(skill, "up"));
    await symlink("more", join(skill, "inner"));
    const path = join(skill, "SKILL.md");
    bench = createBench(top, {
      denied: [join(skill, "more", "denied")],
      resources: {
        find: (plugin, kind, name) =>
          plugin === "acme.test" && kind === "skill" && (name === "one" || name === "alone")
            ? { path, text: "body\n", isFolder: name === "one" }
            : undefined,
      },
    });
    await writeFile(join(skill, "more", "denied"), "d\n");
  });
  afterEach(async () => {
    await bench.close();
    await removeFolder(top);
  });
  const one = { kind: "skill", name: "one" };
  const nothing = { grants: NOTHING };

  test("gives the text that was collected, and files in its folder, without a grant", async () => {
    expect(await bench.value("resource.read", one, nothing)).toEqual({ path: "skills/one/SKILL.md", text: "body\n" });
    const beside = { path: "skills/one/more/ä b.md", text: "beside\n" };
    for (const path of ["more/ä b.md", "./more/../more/ä b.md", "inner/ä b.md"])
      expect(await bench.value("resource.read", { ...one, path }, nothing)).toEqual(beside);
    expect((await bench.value("resource.read", { ...one, path: "fits" }, nothing)).text).toHaveLength(256 * 1024);
  });

  test.each([
    { name: "of another plugin", input: one, plugin: "other", code: "resource.unknown" },
    { name: "of another kind", input: { kind: "prompt", name: "one" }, code: "resource.unknown" },
    { name: "beside a file of its own", input: { kind: "skill", name: "alone", path: "more/ä b.md" }, code: "resource.alone" },
    { name: "that was not collected", input: { kind: "skill", name: "two" }, code: "resource.unknown" },
    { name: "outside by ..", input: { ...one, path: "../secret" }, code: "resource.outside" },
    { name: "outside by a link", input: { ...one, path: "link" }, code: "resource.outside" },
    { name: "outside by a linked folder", input: { ...one, path: "up/secret" }, code: "resource.outside" },
    { name: "absolute", input: { ...one, path: "/etc/hosts" }, code: "resource.outside" },
    { name: "empty", input: { ...one, path: "" }, code: "resource.outside" },
    { name: "the folder itself", input: { ...one, path: "." }, code: "resource.outside" },
    { name: "with a NUL", input: { ...one, path: "a\0b" }, code: "resource.outside" },
    { name: "denied to plugins", input: { ...one, path: "more/denied" }, code: "resource.outside" },
    { name: "a folder", input: { ...one, path: "more" }, code: "fs.not-regular" },
    { name: "missing", input: { ...one, path: "none" }, code: "fs.not-found" },
    { name: "too large", input: { ...one, path: "big" }, code: "resource.too-large" },
    { name: "binary", input: { ...one, path: "binary" }, code: "resource.binary" },
  ])("$name is refused", async ({ input, plugin, code }) => {
    const error = await bench.error("resource.read", input, { ...nothing, ...(plugin === undefined ? {} : { plugin }) });
    expect(error.code).toBe(code);
  });
});
