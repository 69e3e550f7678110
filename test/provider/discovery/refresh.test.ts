import { afterEach, describe, expect, test } from "vitest";
import { type ModelSnapshot, refreshModels, type RefreshReport, type RefreshTarget } from "../../../src/provider/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { testEngine } from "../support.js";
import { listing, serve, type Serving, type TextServer } from "./lister.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(paths: Serving): Promise<TextServer> {
  const server = await serve(paths);
  open.push(server);
  return server;
}

const target = (connection: string, baseUrl: string): RefreshTarget => ({
  adapter: listing(),
  provider: "p",
  connection,
  endpoint: { baseUrl },
});

const NOW = Date.UTC(2026, 0, 1);

function refresh(
  targets: readonly RefreshTarget[],
  previous?: ModelSnapshot,
  { signal = new AbortController().signal, reports = [] }: { readonly signal?: AbortSignal; readonly reports?: RefreshReport[] } = {},
): ReturnType<typeof refreshModels> {
  const clock = createManualClock(NOW);
  const engine = testEngine({ clock });
  open.push(engine);
  return refreshModels({ engine, clock }, { targets, previous, onReport: (report) => reports.push(report) }, signal);
}

const listed = (connection: string, url: string, models: readonly string[], takenAt = NOW): ModelSnapshot["lists"][number] => ({
  provider: "p",
  connection,
  url,
  takenAt,
  models: models.map((model) => ({ ref: { provider: "p", model } })),
});

describe("asking every connection for its models", () => {
  test("makes one snapshot of all, in their order, with what changed", async () => {
    const [one, two] = [await start({ "/models": "a\nb" }), await start({ "/models": "c" })];
    const previous = { startedAt: 1, lists: [listed("two", `${two.url}/`, ["c"], 1), listed("one", `${one.url}/`, ["b", "x"], 1)] };
    expect(await refresh([target("one", one.url), target("two", two.url)], previous)).toEqual({
      type: "done",
      snapshot: { startedAt: NOW, lists: [listed("one", `${one.url}/`, ["a", "b"]), listed("two", `${two.url}/`, ["c"])] },
      reports: [
        { provider: "p", connection: "one", url: `${one.url}/`, type: "changed", count: 2, added: 1, removed: 1 },
        { provider: "p", connection: "two", url: `${two.url}/`, type: "unchanged", count: 1 },
      ],
    });
  });

  test("a server that fails keeps its previous list, and the others are asked all the same", async () => {
    const [bad, good] = [await start({}), await start({ "/models": "a" })];
    const previous = { startedAt: 1, lists: [listed("bad", `${bad.url}/`, ["old"], 1)] };
    expect(await refresh([target("bad", bad.url), target("good", good.url)], previous)).toMatchObject({
      snapshot: { lists: [listed("bad", `${bad.url}/`, ["old"], 1), listed("good", `${good.url}/`, ["a"])] },
      reports: [
        { connection: "bad", type: "failed", kept: 1, diagnostic: { code: "provider.no-models" } },
        { connection: "good", type: "changed", count: 1, added: 1, removed: 0 },
      ],
    });
  });

  test.each([
    ["too large", "m\n".repeat(2 * 1024 * 1024 + 1), listing()],
    ["no JSON where that was asked for", "a page", listing("json")],
  ])("a list that is %s is none: the previous one stays", async (_name, text, adapter) => {
    const server = await start({ "/models": text });
    const previous = { startedAt: 1, lists: [listed("one", `${server.url}/`, ["old"], 1)] };
    expect(await refresh([{ ...target("one", server.url), adapter }], previous)).toMatchObject({
      snapshot: { lists: [listed("one", `${server.url}/`, ["old"], 1)] },
      reports: [{ type: "failed", kept: 1, diagnostic: { code: "provider.protocol" } }],
    });
  });

  test("the list of a server that was at another address is not kept for one that fails", async () => {
    const bad = await start({});
    const previous = { startedAt: 1, lists: [listed("bad", "http://elsewhere.test/", ["old"], 1)] };
    expect(await refresh([target("bad", bad.url)], previous)).toMatchObject({
      snapshot: { lists: [] },
      reports: [{ type: "failed", kept: 0 }],
    });
  });

  test("a connection that is not asked keeps its list for a month", async () => {
    const day = 24 * 60 * 60 * 1000;
    const previous = {
      startedAt: 1,
      lists: [listed("young", "http://y.test/", ["y"], NOW - 29 * day), listed("old", "http://o.test/", ["o"], NOW - 31 * day)],
    };
    expect(await refresh([], previous)).toMatchObject({ snapshot: { lists: [{ connection: "young" }] }, reports: [] });
  });

  test("it is aborted at once, with nothing to publish", async () => {
    const [slow, quick] = [await start({ "/models": "hang" }), await start({ "/models": "a" })];
    const controller = new AbortController();
    const reports: RefreshReport[] = [];
    const pending = refresh([target("slow", slow.url), target("quick", quick.url)], undefined, { signal: controller.signal, reports });
    await slow.arrived("/models");
    controller.abort();
    expect(await pending).toEqual({ type: "aborted" });
    expect(reports.filter(({ connection }) => connection === "slow")).toEqual([]);
  });

  test("at most eight servers are asked at one time", async () => {
    const servers = await Promise.all(Array.from({ length: 10 }, async () => start({ "/models": "hang" })));
    const controller = new AbortController();
    const pending = refresh(
      servers.map(({ url }, n) => target(`c${String(n)}`, url)),
      undefined,
      { signal: controller.signal },
    );
    await Promise.all(servers.slice(0, 8).map(async (server) => server.arrived("/models")));
    expect(servers.slice(8).map(({ asked }) => asked.length)).toEqual([0, 0]);
    controller.abort();
    await pending;
  });

  test("no password, key or query of an address is in it", async () => {
    const secret = { baseUrl: "http://user:geheim@127.0.0.1:1/v1", query: "key=geheim" };
    const outcome = await refresh([{ ...target("c", ""), endpoint: secret }]);
    expect(outcome).toMatchObject({ type: "done", reports: [{ type: "failed", url: "http://127.0.0.1:1/v1" }] });
    expect(JSON.stringify(outcome)).not.toContain("geheim");
  });
});
