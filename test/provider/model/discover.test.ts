import { afterEach, describe, expect, test } from "vitest";
import plugin from "../../../plugins/provider-openai-compatible/index.js";
import { discoverModel, type Dispatch, type ProviderAdapter } from "../../../src/provider/index.js";
import { createDirectAdapter } from "../../support/direct-adapter.js";
import { createManualClock } from "../../support/manual-clock.js";
import { createRealClock } from "../../support/real-clock.js";
import { answer, hang, type ModelServer, type ModelServerOptions, startModelServer } from "../../support/model-server.js";
import { testEngine, toyAdapter } from "../support.js";

const containing = (text: string): unknown => expect.stringContaining(text);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function serve(options: Partial<ModelServerOptions>): Promise<ModelServer> {
  const server = await startModelServer({ script: [], ...options });
  open.push(server);
  return server;
}

function adapter(): ProviderAdapter {
  const provider = plugin.providers?.["openai-compatible"];
  if (provider === undefined) throw new Error("the plugin contributes no provider openai-compatible");
  return createDirectAdapter("p", provider);
}

const to = (baseUrl: string, more: Partial<Dispatch> = {}): Dispatch => ({
  ref: { provider: "p", model: "" },
  endpoint: { baseUrl, credential: "KEY" },
  source: "BASE_URL",
  needsModel: true,
  ...more,
});

function discover(dispatch: Dispatch, used = adapter(), clock = createRealClock()): ReturnType<typeof discoverModel> {
  const engine = testEngine({ clock, secrets: { KEY: "sk-live-1" } });
  open.push(engine);
  return discoverModel({ engine, clock }, { adapter: used, dispatch, signal: new AbortController().signal });
}

describe("asking a server for its models", () => {
  test("the first of the list is taken", async () => {
    const server = await serve({ models: ["one", "two"] });
    const dispatch = to(server.url);
    expect(await discover(dispatch)).toEqual({ ok: true, value: { ...dispatch, ref: { provider: "p", model: "one" }, needsModel: false } });
    expect(server.all).toMatchObject([{ method: "GET", path: "/v1/models", headers: { authorization: "Bearer sk-live-1" } }]);
  });

  test("what its window holds is known where the list says it", async () => {
    const server = await serve({ modelsReply: answer(200, { data: [{ id: "big", context_length: 32_768 }] }) });
    const dispatch = to(server.url);
    const ref = { provider: "p", model: "big" };
    expect(await discover(dispatch)).toEqual({ ok: true, value: { ...dispatch, ref, needsModel: false, contextLimit: 32_768 } });
  });

  test("a known model is not asked for", async () => {
    const server = await serve({});
    const dispatch = to(server.url, { ref: { provider: "p", model: "x" }, needsModel: false });
    expect(await discover(dispatch)).toEqual({ ok: true, value: dispatch });
    expect(server.all).toEqual([]);
  });

  test.each<readonly [string, ModelServerOptions["modelsReply"], object]>([
    ["an empty list", answer(200, { data: [] }), { code: "provider.no-models", exit: 2, next: "Name it: --model p/MODEL." }],
    ["no such path", answer(404, { error: { message: "nope" } }), { code: "provider.no-models", exit: 2 }],
    ["a refused key", answer(401, { error: { message: "bad key sk-live-1" } }), { code: "provider.auth", exit: 3, why: containing("KEY") }],
    ["a page", { headers: { "content-type": "text/html" }, pieces: ["<html><title>Login</title>"] }, { code: "provider.protocol" }],
    ["a server fault", answer(500, "x"), { code: matching(/^provider\.(unreachable|overloaded)$/) }],
  ])("%s is told", async (_name, modelsReply, error) => {
    const server = await serve(modelsReply === undefined ? {} : { modelsReply });
    const result = await discover(to(server.url));
    expect(result).toMatchObject({ ok: false, error });
    expect(JSON.stringify(result)).not.toContain("sk-live-1");
  });

  test("nobody there is told with the URL", async () => {
    const server = await startModelServer({ script: [] });
    await server.close();
    expect(await discover(to(server.url))).toMatchObject({
      ok: false,
      error: { code: "provider.unreachable", source: { url: `${server.url}/models` } },
    });
  });

  test("it waits at most 5 s", async () => {
    const clock = createManualClock();
    const server = await serve({ modelsReply: hang() });
    const pending = discover(to(server.url), adapter(), clock);
    while (server.all.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5000);
    expect(await pending).toMatchObject({
      ok: false,
      error: { code: "provider.unreachable", what: "No answer came: the list of models did not come within 5000 ms" },
    });
    expect(clock.pending).toEqual([]);
  });

  test("a provider that cannot list says so", async () => {
    expect(await discover(to("http://127.0.0.1:1"), toyAdapter())).toMatchObject({ ok: false, error: { code: "provider.no-models" } });
  });
});
