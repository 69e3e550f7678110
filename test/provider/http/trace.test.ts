import { afterEach, describe, expect, test } from "vitest";
import { createRealClock } from "../../support/real-clock.js";
import { answer, type ModelServer, type Reply, sse, startModelServer } from "../../support/model-server.js";
import type { WireEvent } from "../../../src/provider/http/types.js";
import { respond } from "../../../src/provider/respond.js";
import { askedWith, collect, fixedCredentials, requestTo, respondDeps, testEngine, toyAdapter, toyEvents } from "../support.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const KEY = "sk-live-AAA111";

async function traced(reply: Reply): Promise<{ readonly wire: readonly WireEvent[]; readonly server: ModelServer }> {
  const server = await startModelServer({ script: [reply] });
  const wire: WireEvent[] = [];
  const engine = testEngine({ secrets: { KEY }, onWire: (event) => void wire.push(event) });
  open.push(server, engine);
  const endpoint = { baseUrl: server.url, credential: "KEY", headers: { "X-Api-Key": "configured-1", "X-Title": "t" } };
  const deps = respondDeps(engine, createRealClock(), { credentials: fixedCredentials({ KEY }) });
  await collect(respond(deps, askedWith(toyAdapter(), requestTo("", { endpoint }))));
  return { wire, server };
}

describe("the wire as it is told", () => {
  test("request, response and frames in order, without secrets", async () => {
    const { wire, server } = await traced(sse([toyEvents("hello", '{"password":"geheim"}', `echo ${KEY}`, "end")]));
    expect(wire).toMatchObject([
      {
        type: "request",
        exchange: 1,
        method: "POST",
        url: `${server.url}/toy`,
        headers: { authorization: "<redacted>", "x-api-key": "<redacted>", "x-title": "t", "content-length": "2" },
        body: "{}",
      },
      { type: "response", exchange: 1, status: 200 },
      { type: "frame", exchange: 1, data: "hello" },
      { type: "frame", exchange: 1, data: '{"password":"<redacted>"}' },
      { type: "frame", exchange: 1, data: "echo [redacted]" },
      { type: "frame", exchange: 1, data: "end" },
    ]);
    for (const secret of [KEY, "geheim", "configured-1"]) expect(JSON.stringify(wire)).not.toContain(secret);
  });

  test("config-4: a refusal that echoes the key, in its body and in a header", async () => {
    const { wire } = await traced(answer(401, `wrong key ${KEY}`, { "set-cookie": "session=geheim", "x-echo": KEY }));
    expect(wire.slice(1)).toMatchObject([
      { type: "response", status: 401, headers: { "set-cookie": "<redacted>", "x-echo": "[redacted]" } },
      { type: "frame", data: "wrong key [redacted]" },
    ]);
    expect(JSON.stringify(wire)).not.toContain(KEY);
  });

  test("an exchange without a response", async () => {
    const { server } = await traced(sse([toyEvents("end")]));
    await server.close();
    const wire: WireEvent[] = [];
    const engine = testEngine({ onWire: (event) => void wire.push(event) });
    open.push(engine);
    await engine.exchange({ method: "GET", url: `${server.url}/x?key=geheim-99`, headers: {}, secrets: [] }, new AbortController().signal);
    expect(wire.map(({ type }) => type)).toEqual(["request", "failure"]);
    expect(JSON.stringify(wire)).not.toContain("geheim");
  });

  test("long texts are told in part", async () => {
    const { wire } = await traced(sse([toyEvents("x".repeat(100_000), "end")]));
    const [frame] = wire.filter(({ type }) => type === "frame");
    expect(frame).toMatchObject({ data: `${"x".repeat(65_536)}… (34464 bytes more)` });
  });

  test("nothing is told to nobody", async () => {
    const server = await startModelServer({ script: [sse([toyEvents("end")])] });
    const engine = testEngine();
    open.push(server, engine);
    const exchanged = await engine.exchange(
      { method: "POST", url: server.url, headers: {}, body: "{}", secrets: [] },
      new AbortController().signal,
    );
    expect(exchanged.ok && exchanged.value.trace).toBeUndefined();
  });
});
