/** Doubles for the tests of this folder: a toy provider plugin, a request, an engine with real sockets. */
import type { Clock } from "../../src/base/index.js";
import type { Provider } from "../../src/plugin/sdk.js";
import {
  createHttpEngine,
  type HttpBounds,
  type HttpEngine,
  type ProviderAdapter,
  type ProviderEvent,
  respond,
  type RespondDeps,
} from "../../src/provider/index.js";
import type { ProviderDelta, ProviderRequest } from "../../src/schema/index.js";
import { createDirectAdapter } from "../support/direct-adapter.js";
import { createRealClock } from "../support/real-clock.js";
import { seqIds } from "../support/seq-ids.js";

export const requestTo = (baseUrl: string, more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  model: "m",
  endpoint: { baseUrl },
  system: "",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  context: { cwd: "/" },
  ...more,
});

/**
 * The least a provider plugin can be. Event data is words: `end`, `fail CLASS`, `call ID NAME ARGS`, anything else is
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
    class: head.status === 429 ? "rate-limit" : head.status >= 500 ? "overloaded" : "invalid",
    message: body,
    status: head.status,
  }),
  open: () => null,
  events: (batch, state) => ({ deltas: batch.map(({ data }) => toyDelta(data)), state }),
  close: () => [],
};

function toyDelta(data: string): ProviderDelta {
  if (data === "end") return { type: "end", stop: "stop" };
  const [word = "", id = "", name = "", args = ""] = data.split(" ");
  if (word === "fail") return { type: "error", error: { class: id === "overloaded" ? "overloaded" : "protocol", message: data } };
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
}

export const testEngine = (options: EngineOptions = {}): HttpEngine =>
  createHttpEngine({
    env: options.env ?? {},
    clock: options.clock ?? createRealClock(),
    version: "0.0.0-test",
    secret: (name) => options.secrets?.[name],
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
  });

export const respondDeps = (engine: HttpEngine, clock: Clock): RespondDeps => ({ engine, clock, ids: seqIds(), random: () => 0.5 });

export async function collect(stream: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Everything one response says, with the clock of this machine. */
export async function ask(engine: HttpEngine, adapter: ProviderAdapter, request: ProviderRequest): Promise<readonly ProviderEvent[]> {
  return collect(respond(respondDeps(engine, createRealClock()), { adapter, request, signal: new AbortController().signal }));
}
