import { join } from "node:path";
import type { Result, SessionId, WorkId } from "../base/index.js";
import { type DriverPorts, recover, type RoundFacts } from "../agent/index.js";
import { createEffectGateway, createFacilities, type FileTracker, type OwnedEffectGateway } from "../effect/index.js";
import { type Dispatch, providerDiagnostic, respond } from "../provider/index.js";
import type { Diagnostic, ProviderRequest } from "../schema/index.js";
import { type SessionReader, SessionStorageError, type SessionStore, type SessionWriter } from "../session/index.js";
import { createDispatcher, type Dispatcher, type ToolRegistry } from "../tool/index.js";
import { childEnvironment } from "./child-environment.js";
import { providerGone } from "./models.js";
import { composePrompt } from "./prompt.js";
import { prepareSession, type Prepared, type SessionParts, unknownEffectEvents } from "./session-parts.js";
import { runLimits, type Shared } from "./shared.js";
import type { OpenOptions, SessionStatus } from "./types.js";

export type SessionTarget =
  | {
      readonly type: "new";
      readonly id: SessionId;
      readonly store: SessionStore;
      readonly path: string;
      /** Removed at a clean end. */
      readonly temporary: boolean;
      readonly name: string | undefined;
    }
  | { readonly type: "resumed"; readonly writer: SessionWriter };

export interface SessionRequest {
  readonly target: SessionTarget;
  readonly registry: ToolRegistry;
  readonly options: OpenOptions;
  readonly status: SessionStatus;
  readonly tracker: FileTracker;
}

/** Joins what all sessions share with what this one has of its own. Opens nothing by itself. */
export function createSessionParts(shared: Shared, request: SessionRequest): SessionParts {
  const { deps } = shared;
  const { target, registry } = request;
  const id = target.type === "new" ? target.id : target.writer.id;
  const file = openSession(target);
  let name = target.type === "new" ? target.name : undefined;
  const effects = createSessionEffects(shared, { id, tracker: request.tracker, writer: file.current });
  const limits = runLimits(deps.settings, request.options.limits);
  const dispatch = createDispatch(shared, registry);
  const dispatcher = routedDispatcher(shared, registry, effects);
  const prelude = { id, clock: deps.clock, ids: deps.ids, cwd: deps.cwd, version: deps.version, name: () => name, setName: (given: string) => (name = given) };
  let prepared: Promise<Prepared> | undefined;
  return {
    id,
    path: target.type === "new" ? target.path : target.writer.path,
    cwd: deps.cwd,
    clock: deps.clock,
    ids: deps.ids,
    interactive: request.options.interactive === true,
    initialStatus: request.status,
    toolDefinition: (tool) => registry.get(tool),
    limits: () => limits,
    driverPorts: {
      clock: deps.clock,
      ids: deps.ids,
      cwd: deps.cwd,
      limits: () => limits,
      commit: async (entries, leaf) => {
        const ticket = file.current().commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
        await ticket.durable;
        return ticket.position;
      },
      dispatcher: () => dispatcher,
      ...dispatch,
    },
    reader: async () => await Promise.resolve(file.reader()),
    async unknownEffects() {
      const reader = file.reader();
      return reader === undefined || prepared !== undefined ? [] : unknownEffectEvents(id, await recover(reader));
    },
    async prepare() {
      prepared ??= file.writer().then(async (writer) => await prepareSession(prelude, writer, target.type === "new"));
      return await prepared;
    },
    name: () => name,
    setName: (given) => {
      name = given;
    },
    async close(clean) {
      await effects.close();
      await file.close(clean);
    },
  };
}

interface SessionFile {
  /** Makes the file at the first call. Throws SessionStorageError when that fails. */
  writer(): Promise<SessionWriter>;
  /** The writer once it is there; only called after `writer`. */
  current(): SessionWriter;
  reader(): SessionReader | undefined;
  close(clean: boolean): Promise<void>;
}

function openSession(target: SessionTarget): SessionFile {
  let writer = target.type === "resumed" ? target.writer : undefined;
  return {
    async writer() {
      if (writer === undefined && target.type === "new") {
        const created = await target.store.create({ id: target.id });
        if (!created.ok) throw new SessionStorageError(created.error);
        writer = created.value;
      }
      return current(writer);
    },
    current: () => current(writer),
    reader: () => writer,
    async close(clean) {
      await writer?.close();
      if (writer !== undefined && target.type === "new" && target.temporary && clean) await target.store.remove(target.id);
    },
  };
}

function current(writer: SessionWriter | undefined): SessionWriter {
  if (writer === undefined) throw new TypeError("the session file is used before it was made");
  return writer;
}

interface SessionEffects {
  route(work: WorkId): void;
  close(): Promise<void>;
}

/** The ledger and the facilities of one session, made at its first tool call. */
function createSessionEffects(shared: Shared, own: { readonly id: SessionId; readonly tracker: FileTracker; readonly writer: () => SessionWriter }): SessionEffects {
  const { deps, host, search, locks, router, model } = shared;
  let gateway: OwnedEffectGateway | undefined;
  const routed = new Set<WorkId>();
  const make = (): OwnedEffectGateway => {
    const credentials = host.generation.providers.flatMap((provider) => provider.connections.flatMap(({ credentialEnv }) => credentialEnv ?? []));
    const facilities = createFacilities({
      clock: deps.clock,
      ids: deps.ids,
      env: childEnvironment(deps.env, credentials, { id: own.id, model: model.resolved.ref.model }),
      policy: { tempDir: deps.process.tempDir, denied: [deps.paths.sessions, join(deps.paths.state, "temporary"), join(deps.paths.data, "auth.json")] },
      search,
      locks,
      tracker: own.tracker,
    });
    return createEffectGateway({ commit: async (entries) => await own.writer().commit({ entries }).durable, ids: deps.ids, clock: deps.clock, facilities });
  };
  return {
    route(work) {
      gateway ??= make();
      router.route(work, gateway);
      routed.add(work);
    },
    async close() {
      for (const work of routed) router.drop(work);
      await gateway?.close();
    },
  };
}

/** Tool calls of this session's works reach this session's ledger. */
function routedDispatcher(shared: Shared, registry: ToolRegistry, effects: SessionEffects): Dispatcher {
  return createDispatcher(registry, {
    run: async (invocation) => {
      effects.route(invocation.work);
      return await shared.host.tools.run(invocation);
    },
  });
}

/** Prompt, tools and model of each round, and the provider round itself. */
function createDispatch(shared: Shared, registry: ToolRegistry): Pick<DriverPorts, "facts" | "respond" | "diagnose"> {
  const { deps, host, model, engine } = shared;
  let last: Dispatch = model.resolved;
  const system = composePrompt(host.generation.prompts, registry.active, {
    facts: { cwd: deps.cwd, date: new Date(deps.clock.now()).toISOString().slice(0, 10), platform: deps.process.platform, shell: deps.process.shell },
    system: deps.settings.system.value,
    append: deps.settings.appendSystem.value,
  });
  const thinking = deps.settings.thinking.value;
  return {
    async facts(): Promise<Result<RoundFacts, Diagnostic>> {
      const dispatch = await model.dispatch();
      if (!dispatch.ok) return dispatch;
      last = dispatch.value;
      const contribution = host.generation.providers.find((provider) => provider.id === last.ref.provider);
      if (contribution === undefined || host.provider(last.ref.provider) === undefined) return { ok: false, error: providerGone(last.ref.provider) };
      return {
        ok: true,
        value: {
          system,
          tools: registry.active,
          generation: host.generation.number,
          dispatch: last.ref,
          selection: model.selection,
          plugin: contribution.plugin,
          ...(thinking === undefined ? {} : { thinking }),
        },
      };
    },
    async *respond({ facts, messages, signal }) {
      const adapter = host.provider(facts.dispatch.provider);
      if (adapter === undefined) throw new TypeError(`provider ${facts.dispatch.provider} vanished within a round`);
      const asked: ProviderRequest = {
        model: facts.dispatch.model,
        endpoint: last.endpoint,
        system: facts.system,
        messages,
        tools: facts.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
        context: { cwd: deps.cwd },
        ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
      };
      yield* respond({ engine, clock: deps.clock, ids: deps.ids, random: deps.random }, { adapter, request: asked, signal });
    },
    diagnose: ({ error }) => {
      const { baseUrl, credential } = last.endpoint;
      return providerDiagnostic(error, { provider: last.ref.provider, model: last.ref.model, url: baseUrl, ...(credential === undefined ? {} : { credential }) });
    },
  };
}
