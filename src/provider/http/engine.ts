import type { ClientRequest, IncomingMessage } from "node:http";
import { type Clock, err, ok, type Result, utf8Length, redactUrl } from "../../base/index.js";
import { ResponseBody } from "./body.js";
import { wireHeaders } from "./headers.js";
import { redactor } from "./secrets.js";
import { createTracer, type Tracer } from "./trace.js";
import { createTransport, headersOf, MAX_KEPT, socketFailure, type Transport, whereTo, type Wire } from "./transport.js";
import type { EnvView, HttpBounds, HttpEngine, HttpFailure, HttpRequest, HttpResponse, WireEvent } from "./types.js";

export interface HttpEngineDeps {
  /** HTTP(S)_PROXY, ALL_PROXY, NO_PROXY. */
  readonly env: EnvView;
  readonly clock: Clock;
  /** Goes into `User-Agent`. */
  readonly version: string;
  /** Value of a secret by name; asked only for names the request allows. */
  secret(name: string): string | undefined;
  readonly bounds?: Partial<HttpBounds>;
  /** Told of everything that is sent and received, without secrets. Costs nothing when left out. */
  readonly onWire?: ((event: WireEvent) => void) | undefined;
}

const MIB = 1024 * 1024;

/** Specification, "Network transport". */
export const HTTP_BOUNDS: HttpBounds = {
  requestBytes: 16 * MIB,
  bodyBytes: 64 * MIB,
  headerBytes: 64 * 1024,
  connectMs: 20_000,
  headMs: 120_000,
  gapMs: 300_000,
};

interface EngineState {
  readonly deps: HttpEngineDeps;
  readonly bounds: HttpBounds;
  readonly transport: Transport;
  readonly closing: AbortController;
  readonly trace: Tracer | undefined;
}

/**
 * The one HTTP client of the process, on `node:http` and `node:https` with kept-alive connections; neither is loaded
 * before the first exchange. Redirects are responses, never followed: a POST with a key must not wander.
 */
export function createHttpEngine(deps: HttpEngineDeps): HttpEngine {
  const state: EngineState = {
    deps,
    bounds: { ...HTTP_BOUNDS, ...deps.bounds },
    transport: createTransport(deps.env),
    closing: new AbortController(),
    trace: deps.onWire === undefined ? undefined : createTracer(deps.onWire),
  };
  return {
    exchange: (request, signal) => exchange(state, request, signal),
    close: () => {
      state.closing.abort();
      state.transport.close();
    },
  };
}

async function exchange(state: EngineState, request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse, HttpFailure>> {
  const refused = refuse(request, state.bounds);
  if (refused !== undefined) return err(refused);
  const made = wireHeaders(request, state.deps.version, (name) => state.deps.secret(name));
  if (!made.ok) return made;
  const { headers } = made.value;
  const wire = await state.transport.wire(new URL(request.url), state.bounds.headerBytes);
  if (!wire.ok) return wire;
  const withoutProxy = redactor(wire.value.hidden);
  const redact = (text: string): string => made.value.redact(withoutProxy(text));
  if (signal.aborted || state.closing.signal.aborted) return err(ABORTED);
  const traced = state.trace?.begin({ ...request, headers }, redact);
  const answered = await sendFresh(state, { wire: wire.value, request, headers, signal });
  if (!answered.ok) {
    const failure: HttpFailure = { ...answered.error, message: redact(answered.error.message) };
    traced?.failure(failure);
    return err(failure);
  }
  const res = answered.value;
  const head = { status: res.statusCode ?? 0, headers: headersOf(res) };
  traced?.response(head);
  return ok({ head, body: bodyOf(state, res, signal), redact, ...(traced === undefined ? {} : { trace: traced.frame }) });
}

/** The server closed kept connections while they were idle: nothing was processed, so it is asked on the next, at last on a fresh one. */
async function sendFresh(state: EngineState, sending: Sending): Promise<Result<IncomingMessage, HttpFailure>> {
  for (let kept = 0; kept <= MAX_KEPT; kept += 1) {
    const answered = await send(state, sending);
    if (answered !== "stale") return answered;
  }
  return err({ reason: "reset", message: `${whereTo(sending.wire)} closed the connection before it answered` });
}

const ABORTED: HttpFailure = { reason: "aborted", message: "the request was aborted" };

function refuse(request: HttpRequest, bounds: HttpBounds): HttpFailure | undefined {
  if (!URL.canParse(request.url)) return { reason: "invalid-request", message: `not a URL: ${redactUrl(request.url)}` };
  const { protocol } = new URL(request.url);
  if (protocol !== "http:" && protocol !== "https:")
    return { reason: "invalid-request", message: `not an http URL: ${redactUrl(request.url)}` };
  const bytes = utf8Length(request.body ?? "");
  if (bytes <= bounds.requestBytes) return undefined;
  return { reason: "too-large", message: `the request is ${String(bytes)} bytes, more than the ${String(bounds.requestBytes)} allowed` };
}

const bodyOf = (state: EngineState, res: IncomingMessage, signal: AbortSignal): HttpResponse["body"] =>
  new ResponseBody(res, {
    clock: state.deps.clock,
    maxBytes: state.bounds.bodyBytes,
    gapMs: state.bounds.gapMs,
    signal,
    closing: state.closing.signal,
  });

interface Sending {
  readonly wire: Wire;
  readonly request: HttpRequest;
  readonly headers: { readonly [name: string]: string };
  readonly signal: AbortSignal;
}

/** Sends and waits for the head. `stale`: a reused connection was dead and nothing of an answer came. */
function send(state: EngineState, sending: Sending): Promise<Result<IncomingMessage, HttpFailure> | "stale"> {
  const { wire, request, signal } = sending;
  return new Promise((resolve) => {
    const opened = openRequest(sending);
    if (!opened.ok) {
      resolve(opened);
      return;
    }
    const req = opened.value;
    const over = new AbortController();
    let connected = false;
    const settle = (outcome: Result<IncomingMessage, HttpFailure> | "stale"): void => {
      if (over.signal.aborted) return;
      over.abort("over");
      signal.removeEventListener("abort", onAbort);
      if (outcome === "stale" || !outcome.ok) req.destroy();
      resolve(outcome);
    };
    const onAbort = (): void => {
      settle(err(ABORTED));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    onConnected(req, () => {
      connected = true;
    });
    req.once("proxyConnect", (answer: { readonly statusCode: number }) => {
      if (answer.statusCode !== 200) settle(err(proxyRefused(wire, answer.statusCode)));
    });
    req.once("response", (res: IncomingMessage) => {
      settle(res.statusCode === 407 && wire.proxy !== undefined ? err(proxyRefused(wire, 407)) : ok(res));
    });
    req.on("error", (error: NodeJS.ErrnoException) => {
      settle(req.reusedSocket && STALE.has(error.code ?? "") ? "stale" : err(socketFailure(error, wire, connected)));
    });
    const limit = (ms: number, expired: () => HttpFailure | undefined): void => {
      const check = (): void => {
        const failure = over.signal.aborted ? undefined : expired();
        if (failure !== undefined) settle(err(failure));
      };
      state.deps.clock.sleep(ms, over.signal).then(check, check);
    };
    limit(state.bounds.connectMs, () => (connected ? undefined : lateConnect(wire, state.bounds.connectMs)));
    limit(state.bounds.headMs, () => lateHead(wire, state.bounds.headMs));
    req.end(request.body);
  });
}

const STALE: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

function openRequest(sending: Sending): Result<ClientRequest, HttpFailure> {
  const { wire, request, headers } = sending;
  try {
    return ok(wire.open({ ...wire.options, method: request.method, headers: { ...headers, ...wire.options.headers } }));
  } catch (error) {
    // Node names the header, never its value.
    return err({ reason: "invalid-request", message: error instanceof Error ? error.message : "the request cannot be sent" });
  }
}

/** Calls back when the request has a connection that stands (TLS is still to come); at once for a reused one. */
function onConnected(req: ClientRequest, then: () => void): void {
  req.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", then);
    else then();
  });
}

const seconds = (ms: number): string => `${String(Math.round(ms / 1000))} s`;

const lateConnect = (wire: Wire, ms: number): HttpFailure => ({
  reason: wire.proxy === undefined ? "connect" : "proxy",
  message: `no connection to ${wire.proxy === undefined ? wire.target : `the proxy ${wire.proxy}`} within ${seconds(ms)}`,
});

const lateHead = (wire: Wire, ms: number): HttpFailure => ({
  reason: "timeout",
  message: `${whereTo(wire)} gave no answer within ${seconds(ms)}`,
});

const proxyRefused = (wire: Wire, status: number): HttpFailure => ({
  reason: "proxy",
  message:
    status === 407
      ? `the proxy ${wire.proxy ?? ""} wants a user name and password (407)`
      : `the proxy ${wire.proxy ?? ""} refused to connect to ${wire.target} (${String(status)})`,
});
