/** A forwarding proxy on loopback: tunnels and plain requests, a password if wanted. Every name leads to the ports it is given. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { connect, type Socket } from "node:net";

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly auth: string | undefined;
}

export interface LocalProxy {
  readonly host: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

export interface LocalProxyOptions {
  /** Where plain requests and tunnels lead. */
  readonly httpPort?: number;
  readonly tunnelPort?: number;
  /** `user:password` that is asked for with 407. */
  readonly login?: string;
}

export async function startProxy(options: LocalProxyOptions): Promise<LocalProxy> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const wanted = options.login === undefined ? undefined : `Basic ${Buffer.from(options.login).toString("base64")}`;
  const isAllowed = ({ method, url, headers }: IncomingMessage): boolean => {
    const auth = headers["proxy-authorization"];
    seen.push({ method, url, auth });
    return wanted === undefined || auth === wanted;
  };
  const server = createServer((req, res) => {
    if (!isAllowed(req)) {
      res.writeHead(407, { "proxy-authenticate": "Basic" }).end();
      return;
    }
    const { pathname, search } = new URL(req.url ?? "");
    const onward = request({ port: options.httpPort, host: "127.0.0.1", method: req.method, path: pathname + search }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  server.on("connect", (req: IncomingMessage, socket: Socket) => {
    socket.on("error", () => undefined);
    if (!isAllowed(req)) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n");
      return;
    }
    const onward = connect(options.tunnelPort ?? 0, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on("error", () => socket.destroy());
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${String(port)}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A free port on loopback. */
export async function listen(server: Pick<Server, "listen" | "address">): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
