import { type JsonObject, type Message, parseJson, type ProviderRequest, test, type ThinkingLevel } from "smith-agent/plugin";
import { plan } from "../src/request.js";

type Call = Extract<Message, { role: "assistant" }>["toolCalls"][number];

const request = (more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "ollama",
  model: "qwen3:8b",
  endpoint: { baseUrl: "http://127.0.0.1:11434" },
  facts: { images: true },
  system: "",
  messages: [{ role: "user", text: "hello" }],
  tools: [],
  stream: true,
  context: { cwd: "/work" },
  ...more,
});

/** Of the planned exchange. */
function bodyOf(more: Partial<ProviderRequest>): JsonObject {
  const planned = plan(request(more));
  return (planned.type === "http" ? parseJson(planned.body ?? "") : undefined) as JsonObject;
}

test("one exchange is planned, answered in lines", (t) => {
  t.equal(plan(request()), {
    type: "http",
    method: "POST",
    url: "http://127.0.0.1:11434/api/chat",
    headers: { "content-type": "application/json" },
    body: '{"model":"qwen3:8b","messages":[{"role":"user","content":"hello"}],"stream":true}',
    framing: "lines",
  });
});

test("a key goes by its name: its value never comes here", (t) => {
  const planned = plan(request({ endpoint: { baseUrl: "https://ollama.com", credential: "OLLAMA_API_KEY" } }));
  t.equal(planned.type === "http" && planned.headers["authorization"], "Bearer {secret:OLLAMA_API_KEY}");
});

test("calls, results and images are said in the server's words", (t) => {
  const call: Call = { call: "c" as Call["call"], providerId: "c", name: "read", argsText: '{"path":"a"}', args: { path: "a" } };
  const messages: readonly Message[] = [
    { role: "user", text: "look", images: [{ mediaType: "image/png", base64: "AAAA" }] },
    { role: "assistant", text: "", toolCalls: [call] },
    { role: "tool", call: call.call, providerId: "c", name: "read", text: "no such file", isError: true },
  ];
  t.equal(bodyOf({ system: "Be brief.", messages })["messages"], [
    { role: "system", content: "Be brief." },
    { role: "user", content: "look", images: ["AAAA"] },
    { role: "assistant", content: "", tool_calls: [{ function: { name: "read", arguments: { path: "a" } } }] },
    { role: "tool", tool_name: "read", content: "Error: no such file" },
  ]);
});

test("tools and limits are there when they are given, and only then", (t) => {
  const tool = { name: "read", description: "Reads", parameters: { type: "object" } };
  const full = bodyOf({
    tools: [tool],
    sampling: { temperature: 0, topP: 0.9, maxTokens: 100, stop: ["END"] },
    endpoint: { baseUrl: "", profile: "num_ctx=32768" },
  });
  t.equal(full["tools"], [{ type: "function", function: tool }]);
  t.equal(full["options"], { num_ctx: 32768, temperature: 0, top_p: 0.9, num_predict: 100, stop: ["END"] });
  t.ok(!("tools" in bodyOf({})) && !("options" in bodyOf({})));
});

test("how much a model thinks", (t) => {
  const think = (thinking?: ThinkingLevel) => bodyOf(thinking === undefined ? {} : { thinking })["think"] ?? null;
  t.equal([undefined, "off" as const, "minimal" as const, "high" as const, "max" as const].map(think), [
    null,
    false,
    "low",
    "high",
    "high",
  ]);
});

test("a model that is not known to see gets words for an image", (t) => {
  const messages: readonly Message[] = [{ role: "user", text: "look", images: [{ mediaType: "image/png", base64: "AAAA" }] }];
  t.equal(bodyOf({ messages, facts: {} })["messages"], [
    { role: "user", content: "look\n[an image left out: this model takes text only]" },
  ]);
});

test("a format is said in the server's words, and fields set by hand come last", (t) => {
  const schema = { type: "object", properties: { n: { type: "integer" } } };
  t.equal(bodyOf({ sampling: { responseFormat: { type: "json_schema", json_schema: { schema } } } })["format"], schema);
  t.equal(bodyOf({ sampling: { responseFormat: { type: "json_object" } } })["format"], "json");
  t.ok(!("format" in bodyOf({ sampling: { responseFormat: { type: "text" } } })));
  t.equal(bodyOf({ sampling: { temperature: 1, extra: { keep_alive: "1h", options: {} } } })["options"], {});
});

test("one whole answer is asked for when no stream is wanted", (t) => {
  t.equal(bodyOf({ stream: false })["stream"], false);
});
