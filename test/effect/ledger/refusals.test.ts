import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Entry, SdkOperation, SdkOperations } from "../../../src/schema/index.js";
import { SDK_OPERATIONS } from "../../../src/schema/index.js";
import type { EffectContext, Facilities, FacilitySet, Grants, OwnedEffectGateway } from "../../../src/effect/index.js";
import { createEffectGateway } from "../../../src/effect/index.js";
import { serve, type TestServer } from "../net/server.js";
import { contextFor, EVERYTHING, makeFolder, NOTHING, realClock, removeFolder, testFacilities, testIds } from "../support.js";

const KEY = "sk-very-secret-value-1234567890";

let folder: string;
let server: TestServer;
let entries: Entry[];
let ran: SdkOperation[];
let reached: string[];
let gateway: OwnedEffectGateway;

/** One request of each operation that a grant must let through; those without one need none. */
const REQUESTS = (): {
  readonly [Op in SdkOperation]: { readonly input: SdkOperations[Op]["input"]; readonly grant?: Partial<Grants> };
} => ({
  "fs.read": { input: { path: "f" }, grant: { fsRead: [] } },
  "fs.write": { input: { path: "new", content: "x" }, grant: { fsWrite: [] } },
  "fs.edit": { input: { path: "f", edits: [{ old: "one", new: "two" }] }, grant: { fsWrite: [] } },
  "fs.patch": { input: { patch: "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n" }, grant: { fsWrite: [] } },
  "fs.list": { input: {}, grant: { fsRead: [] } },
  "fs.stat": { input: { path: "f" }, grant: { fsRead: [] } },
  "search.find": { input: { pattern: "*" }, grant: { search: [] } },
  "search.grep": { input: { pattern: "one" }, grant: { search: [] } },
  "process.run": { input: { program: "touch", args: ["made"] }, grant: { process: [] } },
  "process.start": { input: { command: "touch made" }, grant: { process: [] } },
  "process.jobs": { input: {}, grant: { process: [] } },
  "process.output": { input: { job: "job-1" }, grant: { process: [] } },
  "process.kill": { input: { job: "job-1" }, grant: { process: [] } },
  "net.fetch": { input: { url: `http://127.0.0.1:${server.port}/`, method: "POST" }, grant: { net: [] } },
  "evaluate.run": { input: { source: "1" }, grant: { evaluate: false } },
  "vcs.status": { input: {}, grant: { vcs: false } },
  "vcs.diff": { input: {}, grant: { vcs: false } },
  "state.get": { input: { key: "k", scope: "user" }, grant: { state: [] } },
  "state.put": { input: { key: "k", scope: "user", value: 1 }, grant: { state: [] } },
  "state.delete": { input: { key: "k", scope: "user" }, grant: { state: [] } },
  "ui.ask": { input: { text: "?" }, grant: { ui: [] } },
  "ui.choose": { input: { text: "?", options: [{ value: "a", label: "a" }] }, grant: { ui: [] } },
  "ui.confirm": { input: { text: "?" }, grant: { ui: [] } },
  "resource.read": { input: { kind: "skill", name: "one" } },
  "clock.sleep": { input: { ms: 0 } },
  "clock.now": { input: {} },
  "entropy.bytes": { input: { count: 8 } },
  "text.diff": { input: { before: "a", after: "b" } },
  "text.markdown": { input: { html: "<p>a</p>" } },
  "mcp.servers": { input: {}, grant: { mcp: [] } },
  "mcp.call": { input: { server: "docs", tool: "find", args: {} }, grant: { mcp: [] } },
  "mcp.read": { input: { server: "docs", uri: "doc:1" }, grant: { mcp: [] } },
  "mcp.resources": { input: { server: "docs" }, grant: { mcp: [] } },
  "mcp.prompt": { input: { server: "docs", prompt: "ask" }, grant: { mcp: [] } },
  "mcp.reconnect": { input: { server: "docs" }, grant: { mcp: [] } },
  "tools.searchable": { input: {} },
  "agent.run": { input: { prompt: "look" }, grant: { agent: false } },
  "secrets.keep": { input: { name: "made", value: "a-new-secret-1" } },
});

const OPERATIONS = Object.keys(SDK_OPERATIONS) as SdkOperation[];
const GRANTED = OPERATIONS.filter((op) => !/^(?:resource|clock|entropy|text|secrets|tools)\./u.test(op));

/** The same facilities, telling which were run. */
function watched(set: FacilitySet): FacilitySet {
  const table = Object.fromEntries(
    Object.entries(set.table).map(([op, facility]: [string, Facilities[SdkOperation]]) => [
      op,
      {
        ...facility,
        run: (input: never, context: EffectContext) => {
          ran.push(op as SdkOperation);
          return facility.run(input, context);
        },
      },
    ]),
  );
  // Made from the whole table.
  return { ...set, table: table as unknown as Facilities };
}

beforeEach(async () => {
  folder = await makeFolder();
  await mkdir(join(folder, ".git"));
  await writeFile(join(folder, "f"), "one\n");
  server = await serve((_seen, res) => res.writeHead(200, { "set-cookie": "session=abcdef123456" }).end("hi"));
  [entries, ran, reached] = [[], [], []];
  const touch = (name: string) => async (): Promise<never> => {
    reached.push(name);
    throw new Error("reached");
  };
  const facilities = watched(
    testFacilities({
      ui: { ask: touch("ui") },
      state: { get: touch("state"), put: touch("state"), delete: touch("state") },
      evaluate: { run: touch("evaluate") },
      search: { run: touch("search"), close: () => Promise.resolve() },
      secret: (name) => (name === "TEST_KEY" ? KEY : undefined),
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder },
    }),
  );
  gateway = createEffectGateway({
    commit: async (batch) => {
      entries.push(...batch);
    },
    ids: testIds(),
    clock: realClock,
    facilities,
  });
});
afterEach(async () => {
  await gateway.close();
  await server.close();
  await removeFolder(folder);
});

const call = (op: SdkOperation, input: SdkOperations[SdkOperation]["input"], grants: Grants, extra: Partial<EffectContext> = {}) =>
  gateway.call(op, input, contextFor(folder, { grants, ...extra }));

describe("without a grant nothing runs and the refusal is on record", () => {
  test.each(GRANTED)("%s", async (op) => {
    const { input } = REQUESTS()[op];
    const reply = await call(op, input, NOTHING);
    const error = reply.result.ok ? undefined : reply.result.error;
    expect(reply.outcome).toBe("not-applied");
    expect(error).toMatchObject({ code: "grant.denied", what: expect.stringContaining("acme.test may not") as string });
    expect(error?.next).toMatch(
      op.startsWith("state.") ? /its manifest asks with state "k" scope="user"\./u : /its manifest asks with grants \{ .+ \}/u,
    );
    expect([ran, reached, server.seen, await readdir(folder)]).toEqual([[], [], [], [".git", "f"]]);
    const [intent, done, ...more] = entries;
    expect(intent).toMatchObject({
      type: "effect-intent",
      operation: op,
      plugin: "acme.test",
      generation: 1,
      cause: "0198c0de-0000-7000-8000-000000000001",
      input,
    });
    expect(done).toMatchObject({ type: "effect-done", outcome: "not-applied", error: { code: "grant.denied" }, output: null });
    expect(more).toEqual([]);
  });

  test("also with every other grant there is", async () => {
    for (const op of GRANTED) {
      const { input, grant } = REQUESTS()[op];
      const reply = await call(op, input, { ...EVERYTHING, ...grant });
      expect([op, reply.result.ok ? "ran" : reply.result.error.code]).toEqual([op, "grant.denied"]);
    }
    expect([ran, reached, server.seen]).toEqual([[], [], []]);
    expect(entries).toHaveLength(GRANTED.length * 2);
  });

  test("in any order and any number, each call has one intent and one outcome, and nothing happens", async () => {
    const property = fc.asyncProperty(fc.array(fc.constantFrom(...GRANTED), { maxLength: 12 }), async (ops) => {
      entries.length = 0;
      await Promise.all(ops.map((op) => call(op, REQUESTS()[op].input, NOTHING)));
      const intents = entries.flatMap((entry) => (entry.type === "effect-intent" ? [entry] : []));
      const dones = entries.flatMap((entry) => (entry.type === "effect-done" ? [entry] : []));
      expect(intents.map(({ operation }) => operation).toSorted()).toEqual([...ops].toSorted());
      expect(dones.map(({ effect }) => effect).toSorted()).toEqual(intents.map(({ effect }) => effect).toSorted());
      expect([ran, reached, server.seen]).toEqual([[], [], []]);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

test("what needs no grant runs and is on record all the same", async () => {
  for (const op of OPERATIONS.filter((name) => !GRANTED.includes(name))) await call(op, REQUESTS()[op].input, NOTHING);
  expect(ran).toEqual(["clock.sleep", "clock.now", "entropy.bytes", "text.diff", "text.markdown", "tools.searchable", "secrets.keep"]);
  const told = entries.map((entry) =>
    entry.type === "effect-intent" ? entry.operation : entry.type === "effect-done" ? entry.error?.code : "",
  );
  expect(told).toContain("resource.unknown");
  expect(entries).toHaveLength(16);
});

test("a facility knows the effect on record it runs for", async () => {
  const known: unknown[] = [];
  const asking = testFacilities({
    ui: {
      ask: async (_question, { effect }) => {
        known.push(effect);
        return { type: "confirmed", yes: true };
      },
    },
  });
  const one = createEffectGateway({
    commit: async (batch) => {
      entries.push(...batch);
    },
    ids: testIds(),
    clock: realClock,
    facilities: asking,
  });
  await one.call("ui.confirm", { text: "go on?" }, contextFor(folder, { grants: EVERYTHING }));
  await one.close();
  expect(entries).toMatchObject([
    { type: "effect-intent", effect: known[0], input: { text: "go on?" } },
    { type: "effect-done", effect: known[0], outcome: "not-applied", output: { yes: true } },
  ]);
});

describe("no credential is on record", () => {
  const recorded = (): string => JSON.stringify(entries);

  test("of a request that is sent", async () => {
    const reply = await call(
      "net.fetch",
      {
        url: `http://127.0.0.1:${server.port}/?api_key=plainkey42&q=visible`,
        headers: { authorization: "Bearer {secret:TEST_KEY}", "x-api-key": "plainkey43", cookie: "a=plainkey44" },
      },
      EVERYTHING,
    );
    expect(reply.result.ok).toBe(true);
    expect(server.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-api-key": "plainkey43" });
    for (const value of [KEY, "plainkey", "abcdef123456"]) expect(recorded()).not.toContain(value);
    for (const value of ["{secret:TEST_KEY}", "visible"]) expect(recorded()).toContain(value);
  });

  test("of one that is refused", async () => {
    await call("net.fetch", { url: "https://me:plainkey42@a.org/?token=plainkey43" }, EVERYTHING);
    await call("net.fetch", { url: "https://me:plainkey44@[bad/" }, EVERYTHING);
    expect(recorded()).toContain("net.bad-url");
    expect(recorded()).not.toContain("plainkey");
  });

  test("of a process that is given one and says it", async () => {
    const { result } = await call("process.run", { command: 'echo "$K"; echo "$K" >&2', env: { K: "{secret:TEST_KEY}" } }, EVERYTHING);
    expect(result).toMatchObject({ ok: true, value: { output: "[redacted]\n[redacted]\n" } });
    expect(recorded()).not.toContain(KEY);
  });
});
