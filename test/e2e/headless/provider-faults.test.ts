import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { answer, call, cut, delta, DONE, hang, refuse, type Reply, say, sse } from "../../support/model-server.js";
import { createPlace, type Place } from "../support/place.js";
import { createScripted, KEY, lastOf, type Scripted, serverVariables } from "../support/scripted.js";
import { type Ended, ESCAPES, eventsOfType, lastEvent, STACK, textOf } from "../support/smith.js";

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.close()));
});

async function scripted(
  script: Parameters<typeof createScripted>[0]["script"],
  variables: Readonly<Record<string, string>> = {},
): Promise<Scripted> {
  const place = await createScripted({ script }, variables);
  places.push(place);
  return place;
}

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

/** One diagnostic on standard error, no word of it on standard output, nothing of the inside, no key. */
function expectOneError({ stdout, stderr }: Ended, code: string): void {
  expect(stderr.match(/^error\[/gmu)).toHaveLength(1);
  expect(stderr).toContain(`error[${code}]`);
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(STACK);
    expect(text).not.toMatch(ESCAPES);
    expect(text).not.toContain(KEY);
  }
}

const html = answer(200, "<!doctype html><title>Sign in</title><p>hello</p>", { "content-type": "text/html" });
const garbage = sse(["data: {not json\n\n", "\u0000\u0001 junk\n\n", "data: 17\n\n"]);

interface Fault {
  readonly name: string;
  readonly reply: Reply;
  readonly status: number;
  readonly code: string;
  /** Requests the server sees. */
  readonly requests: number;
  /** Text the model had sent before. */
  readonly partial?: string;
}

const FAULTS: readonly Fault[] = [
  { name: "401", reply: refuse(401, "Incorrect API key provided"), status: 3, code: "provider.auth", requests: 1 },
  { name: "404", reply: refuse(404, "The model `scripted` does not exist"), status: 2, code: "provider.not-found", requests: 1 },
  {
    name: "429 that asks for a day",
    reply: refuse(429, "slow down", { "retry-after": "86400" }),
    status: 1,
    code: "provider.rate-limit",
    requests: 1,
  },
  { name: "429 again and again", reply: refuse(429, "slow down"), status: 1, code: "provider.rate-limit", requests: 3 },
  { name: "500 again and again", reply: refuse(500, "it broke"), status: 1, code: "provider.unreachable", requests: 3 },
  { name: "a page instead of an answer", reply: html, status: 1, code: "provider.protocol", requests: 1 },
  { name: "garbage in the stream", reply: garbage, status: 1, code: "provider.protocol", requests: 1 },
  {
    name: "a connection closed in mid-stream",
    reply: cut("half of the ans", "destroy"),
    status: 1,
    code: "provider.unreachable",
    requests: 1,
    partial: "half of the ans",
  },
  {
    name: "a stream that ends without its end",
    reply: cut("half of the ans"),
    status: 1,
    code: "provider.unreachable",
    requests: 1,
    partial: "half of the ans",
  },
  { name: "an empty body", reply: answer(200, ""), status: 1, code: "provider.unreachable", requests: 3 },
];

describe("a server that fails", () => {
  test.each(FAULTS)("$name: status $status, $code, in text and in JSON", async ({ reply, status, code, requests, partial = "" }) => {
    const place = await scripted(() => reply);
    const [text, json] = await Promise.all([
      place.run(["eval", "--no-session", "hello"]),
      place.run(["eval", "--no-session", "--json", "hello"]),
    ]);
    expect([text.status, json.status]).toEqual([status, status]);
    expectOneError(text, code);
    expect(text.stdout).toBe(partial === "" ? "" : `${partial}\n`);
    expect(json.stderr).not.toMatch(STACK);
    expect(lastEvent(json.stdout)).toMatchObject({ type: "run_end", status: "error", reason: "provider", reply: partial, error: { code } });
    expect(eventsOfType(json.stdout, "error")).toMatchObject([{ diagnostic: { code } }]);
    expect(eventsOfType(json.stdout, "retry")).toHaveLength(requests - 1);
    expect(place.server.requests).toHaveLength(2 * requests);
    await place.quiet();
  });

  test("the server's wait of more than a minute is told, and until when", async () => {
    const place = await scripted(() => refuse(429, "slow down", { "retry-after": "86400" }));
    const { stderr } = await place.run(["eval", "hello"]);
    expect(stderr).toMatch(/asks to wait 24 hours \(until \d{4}-\d\d-\d\dT/u);
  });

  test("a failed run can be continued when the server is well again", async () => {
    const place = await scripted((_request, n) => (n === 0 ? refuse(400, "not today") : say("now it works")));
    expect((await place.run(["eval", "hello"])).status).toBe(1);
    expect(await place.run(["eval", "-c", "once more"])).toMatchObject({ status: 0, stdout: "now it works\n", stderr: "" });
    expect(place.server.complaints).toEqual([]);
  });

  test("what failed once and then works is a success that tells its retry", async () => {
    const place = await scripted((_request, n) => (n === 0 ? refuse(503, "busy") : say("fine")));
    const { status, stdout } = await place.run(["eval", "--json", "hello"]);
    expect(status).toBe(0);
    expect(eventsOfType(stdout, "retry")).toMatchObject([{ attempt: 2, max: 3 }]);
    expect(lastEvent(stdout)).toMatchObject({ status: "ok", reply: "fine" });
  });
});

describe("nobody listens on the provider's port", () => {
  test("ends within the bounded retries with status 1 and one clear error", async () => {
    const port = await deadPort();
    const place = createPlace(serverVariables(`http://127.0.0.1:${String(port)}/v1`));
    places.push(place);
    const ended = await place.run(["eval", "hello"]);
    expect([ended.status, ended.stdout]).toEqual([1, ""]);
    expectOneError(ended, "provider.unreachable");
    expect(ended.stderr).toContain(`127.0.0.1:${String(port)}`);
    await place.quiet();
  });

  test("in JSON the last record is run_end with status error and the same reason everywhere", async () => {
    const place = createPlace(serverVariables(`http://127.0.0.1:${String(await deadPort())}/v1`));
    places.push(place);
    const { status, stdout, stderr } = await place.run(["eval", "--json", "hello"]);
    expect([status, stderr]).toEqual([1, ""]);
    expect(lastEvent(stdout)).toMatchObject({
      type: "run_end",
      status: "error",
      reason: "provider",
      reply: "",
      error: { code: "provider.unreachable" },
    });
  });

  test("also when the model's name has to be asked for first", async () => {
    const place = createPlace({ OPENAI_BASE_URL: `http://127.0.0.1:${String(await deadPort())}/v1` });
    places.push(place);
    const [text, json] = await Promise.all([place.run(["eval", "hello"]), place.run(["eval", "--json", "hello"])]);
    expect([text.status, json.status]).toEqual([1, 1]);
    expectOneError(text, "provider.unreachable");
    expect(lastEvent(json.stdout)).toMatchObject({ type: "run_end", status: "error", error: { code: "provider.unreachable" } });
  });
});

describe("a server that never answers", () => {
  test("is left at the deadline with status 124", async () => {
    const place = await scripted(() => hang());
    const { status, stdout, stderr } = await place.run(["eval", "--deadline", "1s", "hello"]);
    expect([status, stdout]).toEqual([124, ""]);
    expect(stderr).toContain("deadline");
    await (
      await place.server.request(0)
    ).closed;
  });
});

describe("a model that calls tools wrongly", () => {
  test("arguments that are never a JSON object reach no tool, are told each time, and end the run after a bounded number", async () => {
    const bad = ['{"path": "a.txt", "content": "line', "{path:'a'}", "[1]", '"str"', "{} {}"];
    const place = await scripted((_request, n) =>
      call(n % 2 === 0 ? "write" : "read", bad[n % bad.length] ?? "", { id: `call_${String(n)}` }),
    );
    const { status, stdout, stderr } = await place.run(["eval", "--json", "write it"]);
    expect(stderr).not.toMatch(STACK);
    expect(status).toBe(1);
    expect(place.server.requests).toHaveLength(5);
    const ends = eventsOfType(stdout, "tool_end");
    expect(ends.every(({ isError, mutation }) => isError === true && mutation === "not-applied")).toBe(true);
    expect(textOf(ends[0]?.["result"])).toContain("are not a JSON object");
    expect(place.server.complaints).toEqual([]);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "error" });
  });

  test.each([
    ["cut arguments", call("write", '{"path": "a.txt", "content": "line'), "are not a JSON object"],
    ["a missing field", call("write", { path: "a.txt" }), "content"],
    ["a field of the wrong type", call("read", { path: 7 }), "path"],
    ["a tool that does not exist", call("raed", { path: "a.txt" }), "Did you mean read?"],
    ["a file that does not exist", call("read", { path: "nope.txt" }), "nope.txt"],
  ])("%s: the model is told and answers", async (_name, wrong, words) => {
    const place = await scripted((request, n) => (n === 0 ? wrong : say(`I was told: ${lastOf(request, "tool")}`)));
    const { status, stdout, stderr } = await place.run(["eval", "do it"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(words);
    expect(place.server.complaints).toEqual([]);
  });

  test("calls of a response that never finished are not run", async () => {
    const open = {
      tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "shell", arguments: '{"command":"echo ran > ran"}' } }],
    };
    const place = await scripted((_request, n) => (n < 3 ? sse([delta({ role: "assistant", content: "" }), delta(open)]) : say("done")));
    const { status } = await place.run(["eval", "--json", "do it"]);
    expect(status).toBe(1);
    expect(() => place.read("ran")).toThrow();
  });

  test("a stream with its finish reason but without terminator is a success", async () => {
    const place = await scripted(() => sse([delta({ role: "assistant", content: "whole" }), delta({}, "stop")]));
    expect(await place.run(["eval", "hello"])).toMatchObject({ status: 0, stdout: "whole\n" });
  });

  test("a connection kept open after the terminator does not hold the run", async () => {
    const place = await scripted(() => sse([delta({ role: "assistant", content: "whole" }), delta({}, "stop"), DONE], "hang"));
    expect(await place.run(["eval", "hello"])).toMatchObject({ status: 0, stdout: "whole\n" });
  });
});
