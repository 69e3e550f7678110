/** Doubles for the tests of this folder: a toy provider plugin, a request, targets, an engine with real sockets. */
import { type Clock, ok } from "../../src/base/index.js";
import type { Provider } from "../../src/plugin/sdk.js";
import { createCooldowns } from "../../src/provider/cooldown.js";
import { createHttpEngine, type HttpEngineDeps } from "../../src/provider/http/engine.js";
import type { Asked, CredentialPort, Dispatch, HttpBounds, HttpEngine, ProviderAdapter, ProviderEvent } from "../../src/provider/index.js";
import { respond, type RespondDeps } from "../../src/provider/respond.js";
import type { ProviderDelta, ProviderError, ProviderRequest } from "../../src/schema/index.js";
import { createDirectAdapter } from "../support/direct-adapter.js";
import { createRealClock } from "../support/real-clock.js";
import { seqIds } from "../support/seq-ids.js";

export const requestTo = (baseUrl: string, more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  provider: "toy",
  model: "m",
  endpoint: { baseUrl },
  facts: {},
  system: "",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  stream: true,
  context: { cwd: "/" },
  ...more,
});

/** A target on the server at `baseUrl`. */
export const targetAt = (baseUrl: string, more: Partial<Dispatch> = {}): Dispatch => ({
  ref: { provider: "toy", model: "m" },
  endpoint: { baseUrl },
  facts: {},
  routing: { connection: "toy" },
  bucket: "toy",
  source: "TOY_URL",
  needsModel: false,
  ...more,
});

/** A response asked of targets in order, each by the same adapter. */
export const askedOf = (
  targets: readonly [Dispatch, ...Dispatch[]],
  {
    adapter = toyAdapter(),
    signal = new AbortController().signal,
  }: { readonly adapter?: ProviderAdapter; readonly signal?: AbortSignal } = {},
): Asked => ({
  targets,
  prepare: async (dispatch) =>
    ok({ adapter, dispatch, request: requestTo("", { endpoint: dispatch.endpoint, model: dispatch.ref.model }) }),
  signal,
});

/** The request as it is, sent by this adapter. */
export const askedWith = (adapter: ProviderAdapter, request: ProviderRequest, signal = new AbortController().signal): Asked => ({
  targets: [targetAt(request.endpoint.baseUrl, { endpoint: request.endpoint, ref: { provider: adapter.id, model: request.model } })],
  prepare: async (dispatch) => ok({ adapter, dispatch, request }),
  signal,
});

/**
 * The least a provider plugin can be. Event data is words: `end`, `whole`, `fail CLASS`, `call ID NAME ARGS`, anything else is
 * text. It knows nothing of how its events are delivered.
 */
export const toyProvider: Provider = {
  plan: ({ endpoint }) => ({
    type: "http",
    method: "POST",
    url: `${endpoint.baseUrl}/toy`,
    headers: endpoint.credential === undefined ? {} : { authorization: `Bearer {secret:${endpoint.credential}}` },
    body: "{}",
    framing: "sse",
  }),
  fail: (head, body) => ({
    class: TOY_CLASSES[head.status] ?? (head.status >= 500 ? "overloaded" : "invalid"),
    message: body,
    status: head.status,
  }),
  open: () => null,
  events: (batch, state) => ({ deltas: batch.map(({ data }) => toyDelta(data)), state }),
  close: () => [],
};

const TOY_CLASSES: { readonly [status: number]: ProviderError["class"] } = {
  401: "auth",
  402: "quota",
  404: "not-found",
  413: "context-overflow",
  429: "rate-limit",
};

function toyDelta(data: string): ProviderDelta {
  if (data === "end") return { type: "end", stop: "stop" };
  if (data === "whole") return { type: "whole" };
  const [word = "", id = "", name = "", args = ""] = data.split(" ");
  if (word === "fail")
    return { type: "error", error: { class: id === "overloaded" || id === "rate-limit" ? id : "protocol", message: data } };
  if (word === "think") return { type: "thinking", text: id };
  return word === "call" ? { type: "tool-call", key: id, id, name, args } : { type: "text", text: data };
}

export const toyAdapter = (): ProviderAdapter => createDirectAdapter("toy", toyProvider);

/** Body of a stream for {@link toyProvider}. */
export const toyEvents = (...data: readonly string[]): string => data.map((line) => `data: ${line}\n\n`).join("");

export interface EngineOptions {
  readonly clock?: Clock;
  readonly bounds?: Partial<HttpBounds>;
  readonly env?: { readonly [name: string]: string };
  readonly secrets?: { readonly [name: string]: string };
  /** Instead of `secrets`: keys that change. */
  readonly secret?: (name: string) => string | undefined;
  readonly onWire?: HttpEngineDeps["onWire"];
}

export const testEngine = (options: EngineOptions = {}): HttpEngine =>
  createHttpEngine({
    env: options.env ?? {},
    clock: options.clock ?? createRealClock(),
    version: "0.0.0-test",
    secret: options.secret ?? ((name) => options.secrets?.[name]),
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    ...(options.onWire === undefined ? {} : { onWire: options.onWire }),
  });

/** Keys that are there and stay what they are. */
export const fixedCredentials = (values: { readonly [name: string]: string } = {}): CredentialPort => ({
  has: (name) => values[name] !== undefined,
  ready: async () => ok(undefined),
  value: (name) => values[name],
  refused: () => undefined,
});

export const respondDeps = (engine: HttpEngine, clock: Clock, more: Partial<RespondDeps> = {}): RespondDeps => ({
  engine,
  clock,
  ids: seqIds(),
  random: () => 0.5,
  credentials: fixedCredentials(),
  cooldowns: createCooldowns(),
  ...more,
});

export async function collect(stream: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Everything one response says, with the clock of this machine. */
export async function ask(
  engine: HttpEngine,
  adapter: ProviderAdapter,
  request: ProviderRequest,
  more: Partial<RespondDeps> = {},
): Promise<readonly ProviderEvent[]> {
  return collect(respond(respondDeps(engine, createRealClock(), more), askedWith(adapter, request)));
}
