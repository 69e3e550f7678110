import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findAnswering, type HttpEngine, type ProviderOffer } from "../../../src/provider/index.js";
import { createManualClock, type ManualClock } from "../../support/manual-clock.js";
import { testEngine } from "../support.js";
import { listing, serve, type Serving, type TextServer } from "./lister.js";

const open: { close(): unknown }[] = [];
let dir = "";
let clock: ManualClock;
let engine: HttpEngine;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-answering-"));
  clock = createManualClock();
  engine = testEngine({ clock });
  open.push(engine);
});
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
  await rm(dir, { recursive: true, force: true });
});

async function start(paths: Serving): Promise<TextServer> {
  const server = await serve(paths);
  open.push(server);
  return server;
}

const offer = (servers: { readonly [name: string]: string }, needs: "answer" | "base-url" = "answer"): ProviderOffer => ({
  id: "p",
  title: "P",
  connections: Object.entries(servers).map(([name, defaultUrl]) => ({ name, rank: 1, credentialEnvs: [], needs, defaultUrl })),
});

async function find(offers: readonly ProviderOffer[], signal = new AbortController().signal): Promise<readonly string[]> {
  return [...(await findAnswering({ engine, clock, dir }, { offers, adapter: () => listing(), signal }))].sort();
}

describe("which servers of this machine answer", () => {
  test("those that list a model; not one that listens and is something else, has no model, or is not there", async () => {
    const [good, other, bare] = [await start({ "/models": "a" }), await start({ "/": "hello" }), await start({ "/models": "" })];
    const gone = await serve({});
    await gone.close();
    expect(await find([offer({ good: good.url, other: other.url, bare: bare.url, gone: gone.url })])).toEqual(["good"]);
  });

  test("no key is sent, and only what is to be found so is looked for", async () => {
    const [answering, named] = [await start({ "/models": "a" }), await start({ "/models": "a" })];
    expect(await find([offer({ answering: answering.url }), offer({ named: named.url }, "base-url")])).toEqual(["answering"]);
    expect(answering.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined, undefined]);
    expect(named.asked).toEqual([]);
  });

  test("no other machine is asked", async () => {
    const asked: string[] = [];
    const watched: HttpEngine = {
      exchange: (request) => {
        asked.push(request.url);
        return Promise.resolve({ ok: false, error: { reason: "connect", message: "" } });
      },
      close: () => undefined,
    };
    const offers = [offer({ far: "https://example.test/v1", near: "http://localhost:1/v1", six: "http://[::1]:1" })];
    await findAnswering({ engine: watched, clock, dir }, { offers, adapter: () => listing(), signal: new AbortController().signal });
    expect(asked.sort()).toEqual(["http://[::1]:1", "http://localhost:1/v1"]);
  });

  test("one that takes the connection and says nothing is given up after 150 ms", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const arrived = new Promise<void>((resolve) => {
      silent.once("connection", (socket) => {
        open.push({ close: () => socket.destroy() });
        resolve();
      });
    });
    open.push({ close: () => silent.close() });
    const address = silent.address();
    const pending = find([offer({ silent: `http://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}` })]);
    await arrived;
    await clock.advance(150);
    expect(await pending).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});

describe("what was found", () => {
  test("counts for five minutes when one answered, for one when none did", async () => {
    const good = await start({ "/models": "a" });
    const gone = await serve({});
    await gone.close();
    const offers = [offer({ good: good.url, gone: gone.url })];
    expect(await find(offers)).toEqual(["good"]);
    const first = good.asked.length;
    await clock.advance(59_000);
    expect(await find(offers)).toEqual(["good"]);
    expect(good.asked.length).toBe(first);
    const late = await start({ "/models": "a" });
    expect(await find([offer({ good: good.url, gone: late.url })])).toEqual(["gone", "good"]);
    await clock.advance(241_000);
    await find(offers);
    expect(good.asked.length).toBeGreaterThan(first);
  });

  test("is looked for again when its file is damaged, foreign or from the future", async () => {
    const good = await start({ "/models": "a" });
    const offers = [offer({ good: good.url })];
    const future = { format: 1, answers: [{ connection: "good", url: good.url, answers: false, at: clock.now() + 1 }] };
    for (const text of [
      "",
      "{",
      "null",
      JSON.stringify({ format: 2, answers: [] }),
      JSON.stringify({ format: 1, answers: [7] }),
      JSON.stringify(future),
    ]) {
      await writeFile(join(dir, "answering.json"), text);
      expect(await find(offers)).toEqual(["good"]);
    }
  });

  test("holds names, addresses and times alone", async () => {
    const good = await start({ "/models": "a" });
    await find([offer({ good: good.url })]);
    expect(JSON.parse(await readFile(join(dir, "answering.json"), "utf8"))).toEqual({
      format: 1,
      answers: [{ connection: "good", url: good.url, answers: true, at: clock.now() }],
    });
  });

  test("an aborted look finds nothing and keeps nothing", async () => {
    const slow = await start({ "/": "hang" });
    const controller = new AbortController();
    const pending = find([offer({ slow: slow.url })], controller.signal);
    await slow.arrived("/");
    controller.abort();
    expect(await pending).toEqual([]);
    await expect(readFile(join(dir, "answering.json"))).rejects.toThrow("ENOENT");
  });
});
