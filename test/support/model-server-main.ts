/**
 * The scripted model server as a process (started by model-server-process.ts): prints its base URL and serves until
 * it is killed or its stdin ends. Its argument is a file: `{ "replies": [...], "strict"?: false, "models"?: [...] }`; a reply is
 * `{"say": TEXT}`, `{"call": {"name", "args"}}`, `{"calls": [...], "text"?}`, `{"status": N, "body", "headers"?}`,
 * `{"cut": TEXT}` or `{"hang": true}`. `"gate": NAME` holds it until `POST /__gates/NAME`; `"everyMs": N` paces a `say`.
 * `GET /__requests` tells what was asked.
 */
import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";
import { answer, calls, cut, hang, say, startModelServer, type ModelServer, type Reply, type ScriptedCall } from "./model-server.js";

function replyOf(item: JsonObject): Reply {
  const text = item["say"];
  if (typeof text === "string") return say(text, typeof item["everyMs"] === "number" ? { between: item["everyMs"] } : {});
  if (isJsonObject(item["call"])) return calls([callOf(item["call"])]);
  if (Array.isArray(item["calls"])) return calls(item["calls"].filter(isJsonObject).map(callOf), textOf(item["text"]));
  if (typeof item["status"] === "number") return answer(item["status"], item["body"] ?? "", headersOf(item["headers"]));
  if (typeof item["cut"] === "string") return cut(item["cut"]);
  if (item["hang"] === true) return hang();
  throw new Error(`not a reply: ${JSON.stringify(item)}`);
}

const callOf = (item: JsonObject): ScriptedCall => ({
  name: typeof item["name"] === "string" ? item["name"] : "",
  args: item["args"] ?? {},
  ...(typeof item["id"] === "string" ? { id: item["id"] } : {}),
});

const textOf = (value: JsonValue | undefined): { readonly text?: string } => (typeof value === "string" ? { text: value } : {});

const headersOf = (value: JsonValue | undefined): { readonly [name: string]: string } =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, typeof text === "string" ? text : JSON.stringify(text)]))
    : {};

async function serve(path: string): Promise<ModelServer> {
  const script: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isJsonObject(script) || !Array.isArray(script["replies"])) throw new Error(`${path}: no list "replies"`);
  const items = script["replies"].filter(isJsonObject);
  const models = script["models"];
  const server: ModelServer = await startModelServer({
    strict: script["strict"] !== false,
    ...(Array.isArray(models) ? { models: models.map(String) } : {}),
    script: async (_request, n) => {
      const item = items[n];
      if (item === undefined) return say("done");
      if (typeof item["gate"] === "string") await server.gate(item["gate"]);
      return replyOf(item);
    },
  });
  return server;
}

const server = await serve(process.argv[2] ?? "");
process.stdout.write(`${server.url}\n`);
process.stdin.resume().once("end", () => {
  server.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
});
