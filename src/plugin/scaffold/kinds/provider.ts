import { EXPORT, type KindFiles, type Naming } from "../types.js";

/** A provider for a server that streams plain text as server-sent events, with an answer of its own when none is configured. */
export const providerFiles = ({ id, name }: Naming): KindFiles => ({
  about: `A provider: pure functions from a request to one HTTP exchange and from its events to deltas. It works without a server,
then it repeats what it was told; set ${envName(name)}_URL to the base URL of one to use it. Try: \`smith --model ${name}/echo\`.`,
  manifest: `plugin "${id}" version="0.1.0" sdk=1 entry="src/main.ts" {
  description "Models of a server that streams words"
  // A provider never makes a request itself: the host makes the one it plans, within this grant.
  grants { net "*" methods="GET,POST" private=#true; }
  provider "${name}" title="${name}" {
    connection "${name}-url" rank=500 base-url-env="${envName(name)}_URL" needs="base-url" default-model="echo"
    connection "${name}" rank=900 needs="nothing" default-model="echo"
  }
}
`,
  code: { main: main(name), test: TEST },
});

const main = (name: string): string => `import { definePlugin, parseJson, type Provider, type ProviderRequest } from "smith-agent/plugin";

const lastWords = ({ messages }: ProviderRequest): string => messages.findLast(({ role }) => role === "user")?.text ?? "";

/** Every function is pure: what it needs to remember between two batches of events it returns as state. */
export const provider = {
  plan(request) {
    const { baseUrl } = request.endpoint;
    if (baseUrl === "") {
      return { type: "local", deltas: [{ type: "text", text: \`You said: \${lastWords(request)}\` }, { type: "end", stop: "stop" }] };
    }
    return {
      type: "http",
      method: "POST",
      url: \`\${baseUrl}/generate\`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: request.model, system: request.system, prompt: lastWords(request) }),
      framing: "sse",
    };
  },
  events(batch, state) {
    const deltas = batch.flatMap(({ data }) => {
      const event = parseJson(data);
      const text = typeof event === "object" && event !== null && "text" in event ? event.text : undefined;
      return typeof text === "string" ? [{ type: "text" as const, text }] : [];
    });
    return { deltas, state };
  },
  close(outcome) {
    return outcome === "complete" ? [{ type: "end", stop: "stop" }] : [];
  },
} satisfies Provider;

${EXPORT} definePlugin({ providers: { "${name}": provider } });
`;

const TEST = `import { type ProviderRequest, test } from "smith-agent/plugin";
import { provider } from "../src/main.js";

const request = (baseUrl: string): ProviderRequest => ({
  provider: "own",
  model: "echo",
  endpoint: { baseUrl },
  facts: {},
  stream: true,
  system: "",
  messages: [{ role: "user", text: "hello" }],
  tools: [],
  context: { cwd: "/work" },
});

test("without a server it repeats what it was told", (t) => {
  const plan = provider.plan(request(""));
  t.equal(plan, { type: "local", deltas: [{ type: "text", text: "You said: hello" }, { type: "end", stop: "stop" }] });
});

test("with a server it plans one request", (t) => {
  const plan = provider.plan(request("http://127.0.0.1:1"));
  t.ok(plan.type === "http" && plan.url === "http://127.0.0.1:1/generate");
});

test("events with text become text, others nothing, and a whole answer ends", (t) => {
  const { deltas } = provider.events([{ data: '{"text":"a"}' }, { data: "ping" }, { data: '{"text":"b"}' }], null);
  t.equal(deltas, [{ type: "text", text: "a" }, { type: "text", text: "b" }]);
  t.equal(provider.close("complete"), [{ type: "end", stop: "stop" }]);
  t.equal(provider.close("truncated"), []);
});
`;

const envName = (name: string): string => name.replaceAll("-", "_").toUpperCase();
