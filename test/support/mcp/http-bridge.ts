/**
 * A server of standard input and output reached over HTTP: each session has a process of its own, and messages pass as they are. For judges
 * that speak HTTP only. On loopback.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { StdioClientTransport, type StdioServerParameters } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

export interface HttpBridge {
  /** `http://127.0.0.1:PORT/mcp` */
  readonly url: string;
  /** Ends every process that was started, too. */
  close(): Promise<void>;
}

interface BridgeSession {
  readonly http: StreamableHTTPServerTransport;
  readonly child: StdioClientTransport;
}

/** Starts the bridge; the first request of a session starts the server. */
export async function startHttpBridge(server: StdioServerParameters): Promise<HttpBridge> {
  const sessions = new Map<string, BridgeSession>();
  const opened: BridgeSession[] = [];
  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const session = known ?? (await openSession(server, sessions));
    if (known === undefined) opened.push(session);
    await session.http.handleRequest(request, response);
  }
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    async close() {
      await Promise.all(opened.map(async ({ child }) => await child.close()));
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

async function openSession(server: StdioServerParameters, sessions: Map<string, BridgeSession>): Promise<BridgeSession> {
  const child = new StdioClientTransport(server);
  const http: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      sessions.set(id, { http, child });
    },
    onsessionclosed: (id) => {
      sessions.delete(id);
    },
  });
  const asked = new Map<string | number, string | number>();
  http.onmessage = (message) => {
    const token = progressTokenOf(message);
    if (token !== undefined && "id" in message && message.id !== undefined) asked.set(token, message.id);
    pass(child.send(message));
  };
  child.onmessage = (message) => {
    const token = progressTokenOf(message);
    const relatedRequestId = token === undefined ? undefined : asked.get(token);
    pass(http.send(message, relatedRequestId === undefined ? {} : { relatedRequestId }));
  };
  http.onclose = () => {
    pass(child.close());
  };
  await child.start();
  await http.start();
  return { http, child };
}

/** Of a request that wants progress, and of progress itself. */
function progressTokenOf(message: JSONRPCMessage): string | number | undefined {
  if (!("params" in message) || message.params === undefined) return undefined;
  const { _meta: meta, progressToken } = message.params;
  const token = progressToken ?? meta?.progressToken;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

/** What cannot be passed on any more has nobody left who waits for it. */
function pass(sending: Promise<void>): void {
  sending.catch(() => undefined);
}
