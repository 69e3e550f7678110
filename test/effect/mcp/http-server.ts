/** A server of the protocol over HTTP on this machine, by the letter of it, with every step open to a test. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readAll } from "node:stream/consumers";
import type { JsonObject, JsonValue } from "../../../src/base/index.js";

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface TestServer {
  readonly origin: string;
  readonly url: string;
  /** `METHOD path`, or the method of the protocol, in order. */
  readonly seen: string[];
  readonly headers: Record<string, string | string[] | undefined>[];
  close(): Promise<void>;
}

/** What is asked goes to `on`: a result to send, or undefined where the response is dealt with. Everything else of HTTP goes to `other`. */
export interface TestHandlers {
  readonly on?: (asked: Asked) => JsonValue | undefined | Promise<JsonValue | undefined>;
  /** True: it is dealt with. */
  readonly first?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  readonly port?: number;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
}

export async function startServer({ on = () => undefined, first = () => false, port = 0 }: TestHandlers): Promise<TestServer> {
  const seen: string[] = [];
  const headers: TestServer["headers"] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    headers.push(request.headers);
    const message = body.startsWith("{") ? (JSON.parse(body) as Message) : undefined;
    seen.push(message?.method ?? `${request.method ?? ""} ${request.url ?? ""}`);
    if (first(request, response, body)) return;
    if (request.method !== "POST" || message?.method === undefined) response.writeHead(405).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else await answerMessage({ id: message.id, method: message.method, params: message.params ?? {}, request, response });
  };
  const answerMessage = async (asked: Asked): Promise<void> => {
    const result = (await on(asked)) ?? usual(asked.method, asked.params);
    const { id, response } = asked;
    if (!response.writableEnded && !response.headersSent) sendJson(response, { jsonrpc: "2.0", id, result });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    ...{ origin, url: `${origin}/mcp`, seen, headers },
    async close() {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

export function sendJson(response: ServerResponse, value: JsonValue, status = 200, headers: Record<string, string> = {}): true {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  return true;
}

export const textResult = (text: string): JsonObject => ({ content: [{ type: "text", text }] });

function usual(method: string, { protocolVersion = "" }: JsonObject): JsonValue {
  if (method === "initialize") return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } };
  if (method === "tools/list") return { tools: [{ name: "echo" }] };
  return textResult("ok");
}
