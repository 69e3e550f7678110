import { err, ok, type Result } from "../../base/index.js";
import type { AttemptEnd, DriverPorts, RoundCall, RoundEvent } from "../../agent/index.js";
import type { Generation, GenerationLease } from "../../plugin/index.js";
import { connectionsOf, type Dispatch, fitRequest, type Prepared, providerDiagnostic, respond, type Route } from "../../provider/index.js";
import type {
  AssistantResult,
  AttemptFacts,
  Diagnostic,
  Message,
  ProviderError,
  ProviderRequest,
  Sampling,
  ToolDefinition,
} from "../../schema/index.js";
import { providerGone } from "../models/index.js";
import { concealEvents, concealRequest } from "../secrets/index.js";
import type { RoundDeps } from "./round-deps.js";

/** One response of a round, over all its attempts. */
export interface Exchange {
  /** Where the next response is asked for, and its first attempt. */
  begin(route: Route, generation: Generation, offered: readonly ToolDefinition[]): Result<AttemptFacts, Diagnostic>;
  readonly respond: DriverPorts["respond"];
  /** A failed response of the newest attempt in words. */
  diagnose(error: ProviderError, partial: AssistantResult): AttemptEnd;
}

const NOTHING: AssistantResult = { text: "", thinking: [], toolCalls: [], stop: "failed" };

export function createExchange(deps: RoundDeps): Exchange {
  const tell = toldOnce(deps.tell);
  const obstacles: Obstacles = new WeakMap();
  const ended = (dispatch: Dispatch, generation: Generation, failure: Failure): AttemptEnd => {
    const obstacle = obstacles.get(failure.error);
    if (obstacle !== undefined) return { error: obstacle, outcome: "not-applied" };
    return diagnose(dispatch, failure.error, failure.partial, lookedAt(deps, generation, dispatch));
  };
  let current: { readonly route: Route; readonly generation: Generation; asked: Dispatch } | undefined;
  return {
    begin(route, generation, offered) {
      const [asked] = route.targets;
      const facts = attemptOf(deps, generation, asked);
      if (!facts.ok) return facts;
      // What it cannot take at all is told before anything is recorded or sent.
      const fitted = fitRequest(requestOf(deps, asked, { system: "", messages: [], tools: offered }));
      if (!fitted.ok) return fitted;
      for (const note of route.notes) tell(note);
      current = { route, generation, asked };
      return facts;
    },
    async *respond(round) {
      if (current === undefined) throw new TypeError("a response belongs to a round");
      const open = current;
      for await (const event of exchanged(deps, { ...open, round, tell, obstacles })) {
        if (event.type === "retry" || event.type === "failover") {
          yield { ...event, ended: ended(open.asked, open.generation, { error: event.error, partial: NOTHING }) };
        } else if (event.type === "attempt") {
          open.asked = event.to;
          const facts = attemptOf(deps, open.generation, event.to);
          if (!facts.ok) throw new TypeError(`provider ${event.to.ref.provider} vanished within a round`);
          yield { type: "attempt", number: event.number, facts: facts.value } satisfies RoundEvent;
        } else yield event;
      }
    },
    diagnose(error, partial) {
      if (current === undefined) throw new TypeError("a failure belongs to a round");
      return ended(current.asked, current.generation, { error, partial });
    },
  };
}

interface Failure {
  readonly error: ProviderError;
  readonly partial: AssistantResult;
}

/** What stood in the way before anything was sent, by what was said of it instead of an answer: a person gets it as it is. */
type Obstacles = WeakMap<ProviderError, Diagnostic>;

/** Tells each thing once, however often it is found. */
export function toldOnce(tell: (note: Diagnostic) => void): (note: Diagnostic) => void {
  const told = new Set<string>();
  return (note) => {
    const key = `${note.code} ${note.what}`;
    if (told.has(key)) return;
    told.add(key);
    tell(note);
  };
}

function attemptOf({ sampling }: RoundDeps, generation: Generation, dispatch: Dispatch): Result<AttemptFacts, Diagnostic> {
  const { ref, thinking, routing, facts } = dispatch;
  const contribution = generation.providers.find((provider) => provider.id === ref.provider);
  if (contribution === undefined) return err(providerGone(ref.provider));
  return ok({
    dispatch: ref,
    plugin: contribution.plugin,
    routing,
    facts,
    ...(thinking === undefined ? {} : { thinking }),
    ...(sampling === undefined ? {} : { sampling }),
  });
}

interface Asking {
  readonly route: Route;
  readonly round: RoundCall;
  readonly tell: (note: Diagnostic) => void;
  readonly obstacles: Obstacles;
}

async function* exchanged(deps: RoundDeps, { route, round, tell, obstacles }: Asking): ReturnType<typeof respond> {
  const { shared, interactive, leases } = deps;
  const { deps: world, host, engine, credentials, cooldowns } = shared;
  const lease = leases.share();
  try {
    // A person's next request is likely to need them; a one-shot answer often does not, and memory is not free.
    if (interactive && round.facts.tools.length > 0) host.warm("tools");
    const { retryAttempts, retryMaxWaitMs } = world.settings;
    const events = respond(
      {
        engine,
        clock: world.clock,
        ids: world.ids,
        random: world.random,
        credentials,
        cooldowns,
        policy: { attempts: retryAttempts.value, maxWaitMs: retryMaxWaitMs.value },
      },
      {
        targets: route.targets,
        signal: round.signal,
        prepare: async (dispatch, signal) => {
          const prepared = await prepare(deps, { lease, dispatch, round, signal, tell });
          if (prepared.ok) return prepared;
          const error = errorOf(prepared.error);
          obstacles.set(error, prepared.error);
          return err(error);
        },
      },
    );
    yield* concealEvents(events, shared.secrets);
  } finally {
    lease.release();
  }
}

interface Preparing extends Pick<Asking, "round" | "tell"> {
  readonly lease: GenerationLease;
  readonly dispatch: Dispatch;
  readonly signal: AbortSignal;
}

/** The request as the dispatched model takes it. */
async function prepare(
  deps: RoundDeps,
  { lease, dispatch: wanted, round, signal, tell }: Preparing,
): Promise<Result<Prepared, Diagnostic>> {
  const { shared } = deps;
  const completed = await shared.models.complete(wanted, lease, { signal, onNote: tell });
  if (!completed.ok) return completed;
  const dispatch = completed.value;
  const adapter = lease.provider(dispatch.ref.provider);
  if (adapter === undefined) return err(providerGone(dispatch.ref.provider));
  const { system, tools } = round.facts;
  const request = concealRequest(requestOf(deps, dispatch, { system, messages: round.messages, tools }), shared.secrets);
  const fitted = fitRequest(request);
  if (!fitted.ok) return fitted;
  for (const note of fitted.value.notes) tell(note);
  return ok({ adapter, request: fitted.value.request, dispatch });
}

function requestOf(
  { shared, sampling, session }: RoundDeps,
  { ref, endpoint, facts, thinking }: Dispatch,
  said: { readonly system: string; readonly messages: readonly Message[]; readonly tools: readonly ToolDefinition[] },
): ProviderRequest {
  return {
    provider: ref.provider,
    model: ref.model,
    endpoint,
    facts,
    system: said.system,
    messages: said.messages,
    tools: said.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    stream: shared.deps.settings.stream.value,
    cacheKey: session,
    context: { cwd: shared.deps.cwd },
    ...(sampling === undefined ? {} : { sampling }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

/** What stands in the way before anything is sent. Exit status 3 is that of a key. */
const errorOf = ({ what, why, next, exit }: Diagnostic): ProviderError => ({
  class: exit === 3 ? "auth" : "invalid",
  message: [what, why, next].join(" "),
});

/** Names under which the key of a connection is looked for. */
function lookedAt({ shared }: RoundDeps, generation: Generation, { ref, routing }: Dispatch): readonly string[] {
  const connections = connectionsOf(shared.models.surroundings(generation));
  return connections.find(({ provider, connection }) => provider === ref.provider && connection === routing.connection)?.lookedAt ?? [];
}

/** Settings under what a caller said. Nothing where neither says anything. */
export function samplingOf(settings: RoundDeps["shared"]["deps"]["settings"], given: Sampling | undefined): Sampling | undefined {
  const { temperature, topP, maxOutput, stop, responseFormat, extra } = settings;
  const all: Sampling = {
    ...(temperature.value === undefined ? {} : { temperature: temperature.value }),
    ...(topP.value === undefined ? {} : { topP: topP.value }),
    ...(maxOutput.value === undefined ? {} : { maxTokens: maxOutput.value }),
    ...(stop.value === undefined ? {} : { stop: stop.value }),
    ...(responseFormat.value === undefined ? {} : { responseFormat: responseFormat.value }),
    ...(extra.value === undefined ? {} : { extra: extra.value }),
    ...given,
  };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** A failed response in words, and what is known of it: `unknown` when it may have been made and charged all the same. */
export function diagnose(
  { ref, endpoint }: Dispatch,
  error: ProviderError,
  partial: AssistantResult,
  names: readonly string[] = [],
): AttemptEnd {
  const { baseUrl: url, credential } = endpoint;
  const place = { provider: ref.provider, model: ref.model, url, lookedAt: names, ...(credential === undefined ? {} : { credential }) };
  const isEmpty = partial.text === "" && partial.thinking.length === 0 && partial.toolCalls.length === 0;
  // A plugin that fails after the exchange (its error has the URL) had an answer before it.
  const isRefusal = error.class === "plugin" ? error.url === undefined : REFUSALS.has(error.class);
  return { error: providerDiagnostic(error, place), outcome: isEmpty && isRefusal ? "not-applied" : "unknown" };
}

/** The provider said no: nothing was answered and nothing is charged. Any other end may have been both. */
const REFUSALS: ReadonlySet<ProviderError["class"]> = new Set<ProviderError["class"]>([
  "auth",
  "invalid",
  "not-found",
  "context-overflow",
  "rate-limit",
  "quota",
  "overloaded",
]);
