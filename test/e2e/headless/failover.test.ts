import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { hang, type RecordedRequest, type Reply } from "../../support/model-server.js";
import { refusalTo, type Turn } from "../../support/vendors/index.js";
import { ESCAPES, eventsOf, eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";
import { createVendors, type Vendors } from "../support/vendors.js";

let here: Vendors;
beforeAll(async () => {
  here = await createVendors({ ONE_KEY: KEYS.one, TWO_KEY: KEYS.two });
  const dead = await deadPort();
  here.config(`models {
  model "openai-compatible/big" { context 200000; tools #true; price input=1 output=2 }
  model "openai-compatible/small" { context 100000; tools #true; price input=10 output=20 }
  group "pair" "one/big" "two/small"
  group "sizes" "one/small" "two/big"
  group "grave" "dead/big" "grave/big"
  group "half" "dead/big" "two/small"
}
connections {
  connection "one" provider="openai-compatible" base-url="${here.origin}/one/v1" key-env="ONE_KEY"
  connection "two" provider="openai-compatible" base-url="${here.origin}/two/v1" key-env="TWO_KEY"
  connection "dead" provider="openai-compatible" base-url="http://127.0.0.1:${String(dead)}/v1" key="none"
  connection "grave" provider="openai-compatible" base-url="http://127.0.0.1:${String(dead)}/v2" key="none"
}
`);
});
afterAll(() => here.close());

const KEYS = { one: "sk-one-1f0c9a77", two: "sk-two-8ad24e10" };

/** A port of loopback on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What the two servers say, by their connection. */
function servers(
  one: (n: number, request: RecordedRequest) => Turn | Reply,
  two: (n: number, request: RecordedRequest) => Turn | Reply,
): void {
  const counts = { one: 0, two: 0 };
  here.script((request) => {
    const name = request.path.startsWith("/one/") ? "one" : "two";
    counts[name] += 1;
    return (name === "one" ? one : two)(counts[name] - 1, request);
  });
}

const answers =
  (text: string): (() => Turn) =>
  () => ({ text, usage: { input: 1000, output: 100 } });
const refuses =
  (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  (_n: number, request: RecordedRequest): Reply =>
    refusalTo(request, status, message, headers);

const asked = (): readonly string[] => here.asked().map(({ path }) => path.split("/")[1] ?? "");
const typesOf = (stdout: string): readonly string[] =>
  eventsOf(stdout)
    .map(({ type }) => textOf(type))
    .filter((type) => ["retry", "failover", "text", "error", "run_end"].includes(type));

/** Requests and effects of the newest session, as they are in its file. */
async function recorded(stdout: string): Promise<{ readonly requests: readonly JsonObject[]; readonly entries: readonly JsonObject[] }> {
  const session = textOf(eventsOf(stdout)[0]?.["session"]);
  const { stdout: told, stderr } = await here.run(["sessions", "get", "--json", session]);
  expect(stderr).toBe("");
  const entries = eventsOf(told);
  return { requests: entries.filter(({ type }) => type === "request"), entries };
}

const group = (name: string, ...words: readonly string[]): ReturnType<Vendors["run"]> =>
  here.run(["eval", "--json", "--model", name, ...words]);

describe("a group of two servers", () => {
  test("a rate limit goes to the other at once; both attempts are on record with their way; who served is paid", async () => {
    servers(refuses(429, "slow down", { "retry-after": "7" }), answers("from two"));
    const { status, stdout } = await group("pair", "hello");
    expect(status).toBe(0);
    expect(asked()).toEqual(["one", "two"]);
    expect(eventsOfType(stdout, "failover")).toMatchObject([
      { from: { model: "big" }, to: { model: "small" }, failure: "rate-limit", reason: "slow down" },
    ]);
    expect(lastEvent(stdout)).toMatchObject({ status: "ok", reply: "from two", cost: 0.012 });
    const { requests, entries } = await recorded(stdout);
    expect(requests).toMatchObject([{ routing: { connection: "one" } }, { routing: { connection: "two" } }]);
    expect(textOf((requests[1]?.["routing"] as JsonObject | undefined)?.["because"])).toContain("rate-limit");
    const effects = entries.filter(({ type, operation }) => type === "effect-intent" && operation === "provider.respond");
    expect(effects.map(({ cause }) => cause)).toEqual(requests.map(({ request }) => request));
  });

  test("a server that is overloaded is asked again, then the other answers", async () => {
    servers(refuses(503, "busy"), answers("from two"));
    const { status, stdout } = await group("pair", "hello");
    expect([status, asked()]).toEqual([0, ["one", "one", "one", "two"]]);
    expect(typesOf(stdout).filter((type) => type !== "text")).toEqual(["retry", "retry", "failover", "run_end"]);
    expect((await recorded(stdout)).requests).toHaveLength(4);
  });

  test("nobody at home: the other answers", async () => {
    servers(answers("never"), answers("from two"));
    const { status, stdout } = await group("half", "hello");
    expect(status).toBe(0);
    expect(eventsOfType(stdout, "failover")).toMatchObject([{ failure: "transport" }]);
    expect(lastEvent(stdout)).toMatchObject({ reply: "from two" });
  });

  test("nobody at home anywhere: one clear error, status 1, in text and in JSON", async () => {
    const [text, json] = [await here.run(["eval", "--no-session", "--model", "grave", "hello"]), await group("grave", "hello")];
    expect([text.status, text.stdout, json.status]).toEqual([1, "", 1]);
    expect(text.stderr.match(/^error\[/gmu)).toHaveLength(1);
    expect(text.stderr).toContain("error[provider.unreachable]");
    expect(text.stderr).not.toMatch(STACK);
    expect(text.stderr).not.toMatch(ESCAPES);
    expect(eventsOfType(json.stdout, "error")).toHaveLength(1);
    expect(lastEvent(json.stdout)).toMatchObject({ status: "error", error: { code: "provider.unreachable" } });
  });

  test("one that wants a day is not waited for; alone it ends the run and says until when", async () => {
    servers(refuses(429, "come back tomorrow", { "retry-after": "86400" }), answers("from two"));
    const both = await group("pair", "hello");
    expect([both.status, asked()]).toEqual([0, ["one", "two"]]);
    const until = Number(eventsOfType(both.stdout, "failover")[0]?.["until"]);
    expect(until - Date.now()).toBeGreaterThan(80_000_000);
    here.script((request) => refusalTo(request, 429, "come back tomorrow", { "retry-after": "86400" }));
    const none = await here.run(["eval", "--model", "pair", "hello"]);
    expect([none.status, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toMatch(/until \d{4}-\d\d-\d\dT/u);
    expect(asked()).toEqual(["one", "two"]);
  });

  test("what is used up is not asked again; the other answers", async () => {
    servers(
      refuses(429, "You exceeded your current quota, please check your plan and billing details (insufficient_quota)."),
      answers("from two"),
    );
    const { status, stdout } = await group("pair", "hello");
    expect([status, asked()]).toEqual([0, ["one", "two"]]);
    expect(eventsOfType(stdout, "failover")).toMatchObject([{ failure: "quota" }]);
  });

  test("a refused key goes to the other and says so; its value is nowhere", async () => {
    servers((_n, request) => refusalTo(request, 401, `bad key ${KEYS.one}`), answers("from two"));
    const json = await group("pair", "hello");
    expect(json.status).toBe(0);
    expect(eventsOfType(json.stdout, "failover")).toMatchObject([{ failure: "auth" }]);
    const text = await here.run(["eval", "--model", "pair", "hello"]);
    expect([text.status, text.stdout]).toEqual([0, "from two\n"]);
    expect(text.stderr).toMatch(/^smith: one\/big could not answer .*, continuing on two\/small\n$/u);
    for (const said of [json.stdout, json.stderr, text.stderr]) expect(said).not.toContain(KEYS.one);
  });

  test("a conversation too long for one goes to a model that has more room, not to one that has less", async () => {
    servers(refuses(400, "This model's maximum context length is 100000 tokens."), answers("from two"));
    expect((await group("sizes", "hello")).status).toBe(0);
    expect(asked()).toEqual(["one", "two"]);
    servers(refuses(400, "This model's maximum context length is 200000 tokens."), answers("from two"));
    expect((await group("pair", "hello")).status).toBe(1);
    expect(asked()).toEqual(["one"]);
  });

  test("what one began to say is not said again by the other", async () => {
    servers(() => ({ text: "half of the", cut: "destroy" }), answers("from two"));
    const { status, stdout } = await group("pair", "hello");
    expect([status, asked()]).toEqual([1, ["one"]]);
    expect(lastEvent(stdout)).toMatchObject({ reply: "half of the" });
  });

  test("a broken request is nobody else's to answer", async () => {
    servers(refuses(400, "unknown field"), answers("from two"));
    expect((await group("pair", "hello")).status).toBe(1);
    expect(asked()).toEqual(["one"]);
  });
});

describe("kill -9 between attempts", () => {
  test("during the wait: the failed attempt is over, and the next run begins with what was asked", async () => {
    here.script((request, n) => (n === 0 ? refusalTo(request, 503, "busy", { "retry-after": "50" }) : { text: "well again" }));
    const running = here.start(["eval", "--json", "--model", "one/big", "hello"], { input: "" });
    await running.says('"type":"retry"');
    running.kill("SIGKILL");
    await running.ended;
    const next = await here.run(["eval", "-c", "--json", "--model", "one/big", "go on"]);
    expect(next.status).toBe(0);
    expect(eventsOfType(next.stdout, "unknown_effect")).toEqual([]);
    expect(lastEvent(next.stdout)).toMatchObject({ status: "ok", reply: "well again" });
  });

  test("during the second attempt: it is told as unknown at most, never as an answer, and not paid", async () => {
    servers(refuses(429, "slow down"), (n) => (n === 0 ? hang() : { text: "whole", usage: { input: 1000, output: 100 } }));
    const running = here.start(["eval", "--json", "--model", "pair", "hello"], { input: "" });
    await running.says('"type":"failover"');
    await here.server.request(here.server.requests.length - here.asked().length + 1);
    running.kill("SIGKILL");
    await running.ended;
    const next = await here.run(["eval", "-c", "--json", "--model", "two/small", "go on"]);
    expect(next.status).toBe(0);
    expect(lastEvent(next.stdout)).toMatchObject({ status: "ok", reply: "whole", cost: 0.012 });
    const { requests, entries } = await recorded(next.stdout);
    expect(requests).toHaveLength(3);
    const intents = entries.filter(({ type }) => type === "effect-intent").map(({ effect }) => effect);
    const ends = entries.filter(({ type }) => type === "effect-done").map(({ effect }) => effect);
    expect(ends.toSorted()).toEqual(intents.toSorted());
  });
});
