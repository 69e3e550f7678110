import { type JsonObject, type Message, parseJson, type ProviderRequest, test } from "smith-agent/plugin";
import { plan } from "../src/request.js";

type Call = Extract<Message, { role: "assistant" }>["toolCalls"][number];

const request = (more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  model: "qwen3:8b",
  endpoint: { baseUrl: "http://127.0.0.1:11434" },
  system: "",
  messages: [{ role: "user", text: "hello" }],
  tools: [],
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
    maxOutputTokens: 100,
    temperature: 0,
    endpoint: { baseUrl: "", profile: "num_ctx=32768" },
  });
  t.equal(full["tools"], [{ type: "function", function: tool }]);
  t.equal(full["options"], { num_ctx: 32768, temperature: 0, num_predict: 100 });
  t.ok(!("tools" in bodyOf({})) && !("options" in bodyOf({})));
});

test("how much a model thinks", (t) => {
  const think = (thinking?: string) => bodyOf(thinking === undefined ? {} : { thinking })["think"] ?? null;
  t.equal([undefined, "off", "minimal", "high", "very much"].map(think), [null, false, "low", "high", true]);
});
