import { afterEach, describe, expect, test } from "vitest";
import {
  completeDispatch,
  createCatalog,
  type CredentialPort,
  type Dispatch,
  listModels,
  type ProviderAdapter,
} from "../../../src/provider/index.js";
import type { Diagnostic, ModelOverride } from "../../../src/schema/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { createRealClock } from "../../support/real-clock.js";
import { testEngine, toyAdapter } from "../support.js";
import { listing, serve, type Serving, type TextServer } from "./lister.js";

const containing = (text: string): unknown => expect.stringContaining(text);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(paths: Serving): Promise<TextServer> {
  const server = await serve(paths);
  open.push(server);
  return server;
}

const to = (baseUrl: string, more: Partial<Dispatch> = {}): Dispatch => ({
  ref: { provider: "p", model: "" },
  endpoint: { baseUrl, credential: "KEY" },
  facts: {},
  routing: { connection: "c", credential: "KEY" },
  bucket: "b",
  source: "BASE_URL",
  needsModel: true,
  ...more,
});

interface Using {
  readonly adapter?: ProviderAdapter;
  readonly clock?: ReturnType<typeof createManualClock>;
  readonly overrides?: readonly ModelOverride[];
  readonly notes?: Diagnostic[];
}

function complete(dispatch: Dispatch, { adapter = listing(), clock, overrides, notes }: Using = {}): ReturnType<typeof completeDispatch> {
  const used = clock ?? createRealClock();
  const engine = testEngine({ clock: used, secrets: { KEY: "sk-live-12345" } });
  open.push(engine);
  const catalog = overrides === undefined ? {} : { catalog: createCatalog({ offers: [], snapshot: undefined, overrides }) };
  return completeDispatch(
    { engine, clock: used },
    { adapter, dispatch, signal: new AbortController().signal, onNote: (note) => notes?.push(note), ...catalog },
  );
}

describe("asking a server for its first model", () => {
  test("the first of the list is taken, with the key it needs", async () => {
    const server = await start({ "/models": "one\ntwo" });
    const dispatch = to(server.url);
    const notes: Diagnostic[] = [];
    expect(await complete(dispatch, { notes })).toEqual({
      ok: true,
      value: { ...dispatch, ref: { provider: "p", model: "one" }, needsModel: false },
    });
    expect([...server.asked].sort((left, right) => (left.path < right.path ? -1 : 1))).toEqual([
      { path: "/models", authorization: "Bearer sk-live-12345" },
      { path: "/props", authorization: "Bearer sk-live-12345" },
    ]);
    expect(notes.map(({ code }) => code)).toEqual(["route.unknown-facts"]);
  });

  test("what the list says of it is known, and what a person said stays", async () => {
    const server = await start({ "/models": "big 32768" });
    const mine: ModelOverride = {
      ref: { provider: "p", model: "big" },
      facts: { contextTokens: 9, tools: true, thinking: ["low"] },
      source: { type: "flag", name: "--x" },
    };
    const notes: Diagnostic[] = [];
    expect(await complete(to(server.url))).toMatchObject({ ok: true, value: { facts: { contextTokens: 32_768 } } });
    expect(await complete(to(server.url, { thinking: "high" }), { overrides: [mine], notes })).toMatchObject({
      ok: true,
      value: { facts: { contextTokens: 9, tools: true }, thinking: "low" },
    });
    expect(notes.map(({ code }) => code)).toEqual(["route.thinking-degraded"]);
  });

  test("a level is not asked of a model that is not known to think", async () => {
    const server = await start({ "/models": "big 32768" });
    const found = await complete(to(server.url, { thinking: "high" }));
    expect(found.ok && found.value).not.toHaveProperty("thinking");
  });

  test("a known model is not asked for", async () => {
    const server = await start({});
    const dispatch = to(server.url, { ref: { provider: "p", model: "x" }, needsModel: false });
    expect(await complete(dispatch)).toEqual({ ok: true, value: dispatch });
    expect(server.asked).toEqual([]);
  });

  test.each<readonly [string, Serving[string], object]>([
    ["an empty list", "", { code: "provider.no-models", exit: 2, next: "Name it: --model p/MODEL." }],
    ["no such path", { status: 404, text: "nope" }, { code: "provider.no-models", exit: 2 }],
    ["a refused key", { status: 401, text: "bad key sk-live-12345" }, { code: "provider.auth", exit: 3, why: containing("KEY") }],
    ["a page", "<html><title>Login</title>", { code: "provider.protocol" }],
    ["a server fault", { status: 500, text: "x" }, { code: matching(/^provider\.(unreachable|overloaded)$/u) }],
  ])("%s is told", async (_name, answer, error) => {
    const server = await start({ "/models": answer });
    const result = await complete(to(server.url));
    expect(result).toMatchObject({ ok: false, error });
    expect(JSON.stringify(result)).not.toContain("sk-live-12345");
  });

  test("nobody there is told with the URL", async () => {
    const server = await serve({});
    await server.close();
    expect(await complete(to(server.url))).toMatchObject({
      ok: false,
      error: { code: "provider.unreachable", source: { url: `${server.url}/models` } },
    });
  });

  test("it waits at most 5 s", async () => {
    const clock = createManualClock();
    const server = await start({ "/models": "hang" });
    const pending = complete(to(server.url), { clock });
    await server.arrived("/models");
    await clock.advance(5000);
    expect(await pending).toMatchObject({
      ok: false,
      error: { code: "provider.unreachable", what: "No answer came: the list of models did not come within 5000 ms" },
    });
    expect(clock.pending).toEqual([]);
  });

  test("a plugin that never answers is not waited for", async () => {
    const clock = createManualClock();
    const adapter: ProviderAdapter = { ...listing(), models: () => new Promise(() => undefined) };
    const pending = complete(to("http://127.0.0.1:1"), { clock, adapter });
    await clock.sleeping();
    await clock.advance(5000);
    expect(await pending).toMatchObject({ ok: false, error: { code: "provider.unreachable" } });
  });

  test("a provider that cannot list says so", async () => {
    expect(await complete(to("http://127.0.0.1:1"), { adapter: toyAdapter() })).toMatchObject({
      ok: false,
      error: { code: "provider.no-models" },
    });
  });
});

describe("the models of one server", () => {
  const signal = new AbortController().signal;
  const ask = (
    baseUrl: string,
    more: { readonly adapter?: ProviderAdapter; readonly credentials?: CredentialPort } = {},
  ): ReturnType<typeof listModels> => {
    const clock = createRealClock();
    const engine = testEngine({ clock, secrets: { KEY: "sk-live-12345" } });
    open.push(engine);
    const { adapter = listing(), credentials } = more;
    return listModels(
      { engine, clock, ...(credentials === undefined ? {} : { credentials }) },
      { adapter, provider: "p", endpoint: { baseUrl, credential: "KEY" }, signal },
    );
  };

  test("a further exchange adds to the list, and may fail", async () => {
    const both = await start({ "/models": "a\nb", "/props": "Title" });
    expect(await ask(both.url)).toEqual({
      ok: true,
      value: [
        { ref: { provider: "p", model: "a" }, title: "Title" },
        { ref: { provider: "p", model: "b" }, title: "Title" },
      ],
    });
    const one = await start({ "/models": "a", "/props": { status: 500, text: "Title" } });
    expect(await ask(one.url)).toEqual({ ok: true, value: [{ ref: { provider: "p", model: "a" } }] });
  });

  test("a further exchange that hangs is not waited for longer than a second", async () => {
    const clock = createManualClock();
    const server = await start({ "/models": "a", "/props": "hang" });
    const engine = testEngine({ clock });
    open.push(engine);
    const pending = listModels({ engine, clock }, { adapter: listing(), provider: "p", endpoint: { baseUrl: server.url }, signal });
    await server.arrived("/props");
    while (!clock.pending.includes(1000)) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1000);
    expect(await pending).toEqual({ ok: true, value: [{ ref: { provider: "p", model: "a" } }] });
    expect(clock.pending).toEqual([]);
  });

  test("the first exchange has to succeed", async () => {
    const server = await start({ "/models": { status: 404, text: "" }, "/props": "Title" });
    expect(await ask(server.url)).toMatchObject({ ok: false, error: { code: "provider.no-models" } });
  });

  test("each id once, in the server's order, and only facts of the right kind", async () => {
    const server = await start({ "/models": "b -5\na 1e3\nb 7\na 8" });
    expect(await ask(server.url)).toEqual({
      ok: true,
      value: [{ ref: { provider: "p", model: "b" } }, { ref: { provider: "p", model: "a" }, contextTokens: 1000 }],
    });
  });

  test("a plugin that wants more than four exchanges or another origin gets neither", async () => {
    const server = await start({ "/models": "a" });
    const plan = { type: "http", method: "GET", headers: {}, framing: "lines" } as const;
    const adapterOf = (urls: readonly string[]): ProviderAdapter => ({
      ...listing(),
      models: () => Promise.resolve({ plans: urls.map((url) => ({ ...plan, url })), parse: () => Promise.resolve([]) }),
    });
    expect(await ask(server.url, { adapter: adapterOf(["http://127.0.0.1:1/x"]) })).toMatchObject({
      ok: false,
      error: { code: "provider.plugin" },
    });
    await ask(server.url, { adapter: adapterOf(["models", "1", "2", "3", "4", "5"].map((path) => `${server.url}/${path}`)) });
    expect(server.asked.map(({ path }) => path).sort()).toEqual(["/1", "/2", "/3", "/models"]);
  });

  test("a key is made ready before, and what was refused is said to its keeper", async () => {
    const server = await start({ "/models": { status: 401, text: "" } });
    const told: string[] = [];
    const credentials: CredentialPort = {
      has: () => true,
      value: () => "k",
      ready: (name) => {
        told.push(`ready ${name}`);
        return Promise.resolve({ ok: true, value: undefined });
      },
      refused: (name) => told.push(`refused ${name}`),
    };
    await ask(server.url, { credentials });
    expect(told).toEqual(["ready KEY", "refused KEY"]);
  });

  test("a key that cannot be made ready is the reason, and nothing is sent", async () => {
    const server = await start({ "/models": "a" });
    const error: Diagnostic = { code: "x.y", what: "w", why: "y", next: "n", severity: "error", retry: { type: "never" }, exit: 3 };
    const credentials: CredentialPort = {
      has: () => true,
      value: () => undefined,
      ready: () => Promise.resolve({ ok: false, error }),
      refused: () => undefined,
    };
    expect(await ask(server.url, { credentials })).toEqual({ ok: false, error });
    expect(server.asked).toEqual([]);
  });
});
