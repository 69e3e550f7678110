import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A package registry of this machine. What it answers is told by path; it records what it was asked. */
export interface RegistryServer {
  readonly url: string;
  readonly asked: readonly string[];
  /** A published version: its document and its archive, right unless told otherwise. */
  publish(name: string, version: string, archive: Uint8Array, document?: object): void;
  answer(path: string, reply: (response: ServerResponse, request: IncomingMessage) => void): void;
  close(): Promise<void>;
}

export async function openRegistry(integrity: (archive: Uint8Array) => string): Promise<RegistryServer> {
  const replies = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const reply = replies.get(request.url ?? "");
    if (reply !== undefined) return reply(response, request);
    response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}/`;
  return {
    url,
    asked,
    publish(name, version, archive, document = {}) {
      const path = `/files/${name}-${version}.tgz`;
      const dist = { tarball: new URL(path, url).href, integrity: integrity(archive), shasum: "0".repeat(40) };
      const body = JSON.stringify({ name, version, dist, ...document });
      for (const tag of [version, "latest"])
        replies.set(`/${name.replace("/", "%2f")}/${tag}`, (response) =>
          response.writeHead(200, { "content-type": "application/json" }).end(body),
        );
      replies.set(path, (response) => response.writeHead(200).end(archive));
    },
    answer: (path, reply) => {
      replies.set(path, reply);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
