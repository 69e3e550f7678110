/** Small servers on the loopback for the suites of this folder. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LookupPort } from "../../../src/effect/index.js";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface TestServer {
  readonly port: number;
  readonly seen: Seen[];
  readonly server: Server;
  close(): Promise<void>;
}

export async function serve(answer: (seen: Seen, res: ServerResponse, req: IncomingMessage) => void): Promise<TestServer> {
  const seen: Seen[] = [];
  const listener: RequestListener = (req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const one = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(one, res, req);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Names that end in `.test` are this machine; names below `public.` are said to be public. */
export const lookup: LookupPort = async (host) => {
  if (host.endsWith(".test")) return [{ address: "127.0.0.1", family: 4 }];
  if (host.endsWith(".public")) return [{ address: "8.8.8.8", family: 4 }];
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
};
