import { join } from "node:path";
import { err, ok, type Result, type SessionId } from "../base/index.js";
import { createFileTracker, createPathLocks, createSearch } from "../effect/index.js";
import { createPluginHost, pluginFiles } from "../plugin/index.js";
import { createHttpEngine } from "../provider/index.js";
import type { AccessMode, Diagnostic, OwnerInfo } from "../schema/index.js";
import { createSessionStore, type SessionReader, type SessionStore } from "../session/index.js";
import { createRegistry, type ToolRegistry } from "../tool/index.js";
import { noSessionHere, observerFailed, pluginsOff, unknownPlugin, unknownTools } from "./diagnostics.js";
import { beginPlugins } from "./early.js";
import { bindModel } from "./models.js";
import {
  createEffectRouter,
  createSessionParts,
  LiveSession,
  ObserverSession,
  type SessionRequest,
  type SessionTarget,
} from "./session/index.js";
import { createSecrets, declaredCredentials } from "./secrets.js";
import { type RuntimeDeps, type Shared, storeDeps } from "./shared.js";
import { isWriter, unwritable } from "./stored.js";
import type { OpenOptions, Runtime, SessionStatus } from "./types.js";

/**
 * Builds the runtime: plugins, provider, session store behind one facade. The provider worker starts here, in parallel
 * with whatever the caller does next; nothing else is started before it is needed.
 */
export async function createRuntime(deps: RuntimeDeps): Promise<Result<Runtime, Diagnostic>> {
  const { plugins, disabledPlugins } = deps.settings;
  if (!plugins.value) return err(pluginsOff(plugins.source));
  const started = await (deps.plugins ?? beginPlugins(deps.installDir));
  if (!started.ok) return started;
  const { index, providers } = started.value;
  for (const id of disabledPlugins.value) {
    if (!index.plugins.some((plugin) => plugin.id === id))
      deps.onDiagnostic(
        unknownPlugin(
          id,
          index.plugins.map((plugin) => plugin.id),
        ),
      );
  }
  const router = createEffectRouter();
  const host = createPluginHost({
    ...pluginFiles(deps.installDir),
    index,
    providers,
    disabled: new Set(disabledPlugins.value),
    effects: router.gateway,
    clock: deps.clock,
    onDiagnostic: deps.onDiagnostic,
  });
  const closing = new AbortController();
  const engine = createHttpEngine({ env: deps.env, clock: deps.clock, version: deps.version, secret: (name) => deps.env[name] });
  const model = bindModel(deps.settings.model.value, { host, engine, clock: deps.clock, env: deps.env, signal: closing.signal });
  if (!model.ok) {
    await host.close();
    return model;
  }
  const search = createSearch({ workerUrl: new URL("search-worker.js", deps.installDir), clock: deps.clock });
  const shared: Shared = {
    deps,
    host,
    engine,
    model: model.value,
    router,
    search,
    locks: createPathLocks(),
    store: createSessionStore(storeDeps(deps, deps.paths.sessions)),
    secrets: createSecrets(deps.env, declaredCredentials(index)),
  };
  return ok(facade(shared, closing));
}

function facade(shared: Shared, closing: AbortController): Runtime {
  const { deps, host, store } = shared;
  const open = new Set<LiveSession | ObserverSession>();
  const keep = <Session extends LiveSession | ObserverSession>(session: Session): Session => {
    open.add(session);
    return session;
  };
  return {
    cwd: deps.cwd,
    version: deps.version,
    tools: host.generation.tools,
    async create(options = {}) {
      const registry = chooseTools(shared, options);
      if (!registry.ok) return registry;
      const dir = options.temporary === true ? join(deps.paths.state, "temporary") : deps.paths.sessions;
      const id = deps.ids.next<SessionId>();
      const target: SessionTarget = {
        type: "new",
        id,
        store: options.temporary === true ? createSessionStore(storeDeps(deps, dir)) : store,
        path: join(dir, `${id}.smith`),
        temporary: options.temporary === true,
        name: options.name,
      };
      return await Promise.resolve(ok(keep(live(shared, { target, options, registry: registry.value }))));
    },
    async open(id, options = {}) {
      const opened = await openStored(shared, id, options);
      return opened.ok ? ok(keep(opened.value)) : opened;
    },
    async newest() {
      for await (const { id } of store.list({ cwd: deps.cwd })) return ok(id);
      return err(noSessionHere(deps.cwd));
    },
    resolve: async (name) => await store.resolve(name),
    fork: async (source, at) => await store.fork(source, at === undefined ? {} : { at }),
    async close() {
      closing.abort();
      await Promise.all(
        [...open].map(async (session) => {
          await session.close();
        }),
      );
      shared.engine.close();
      await Promise.all([host.close(), shared.search.close()]);
    },
    killNow() {
      for (const session of open) session.killNow();
    },
  };
}

/** A session that is there: as its writer, or as an observer where that is wanted. */
async function openStored(
  shared: Shared,
  id: SessionId,
  options: OpenOptions & { readonly want?: "write" | "any" },
): Promise<Result<LiveSession | ObserverSession, Diagnostic>> {
  const { store } = shared;
  const registry = chooseTools(shared, options);
  if (!registry.ok) return registry;
  const opened = await store.open(id, "write");
  if (!opened.ok) return opened;
  const session = opened.value;
  if (isWriter(session))
    return ok(live(shared, { target: { type: "resumed", writer: session, store }, options, registry: registry.value }));
  if (options.want === "any") return ok(observer(shared, session, options));
  await session.close();
  return err(unwritable(session));
}

/** Where no writer keeps it out, it is told what does. */
function observer(shared: Shared, reader: SessionReader, { notices = [] }: OpenOptions): ObserverSession {
  const { deps, host, store } = shared;
  const registry = createRegistry(host.generation.tools);
  return new ObserverSession({
    reader,
    status: observerStatus(shared, reader),
    toolDefinition: (name) => registry.get(name),
    clock: deps.clock,
    notices: reader.owner === undefined ? [...notices, unwritable(reader)] : notices,
    owner: async () => await ownerOf(store, reader.id),
    reopen: async () => await store.open(reader.id, "read"),
    onObserverFault: (error) => deps.onDiagnostic(observerFailed(error)),
  });
}

async function ownerOf(store: SessionStore, id: SessionId): Promise<OwnerInfo | undefined> {
  const reader = await store.open(id, "read");
  if (!reader.ok) return undefined;
  await reader.value.close();
  return reader.value.owner;
}

/** The tools of one session, before anything is opened for it. */
function chooseTools(shared: Shared, options: OpenOptions): Result<ToolRegistry, Diagnostic> {
  const all = shared.host.generation.tools;
  const chosen = options.tools ?? shared.deps.settings.tools.value;
  const registry = createRegistry(all, chosen);
  const unknown = chosen?.filter((name) => registry.get(name) === undefined) ?? [];
  if (unknown.length === 0) return ok(registry);
  const known = all.map((tool) => tool.name);
  return err(unknownTools(unknown, known));
}

function live(shared: Shared, own: Pick<SessionRequest, "target" | "options" | "registry">): LiveSession {
  return new LiveSession(createSessionParts(shared, { ...own, status: liveStatus(shared, own.options), tracker: createFileTracker() }));
}

function liveStatus(shared: Shared, options: OpenOptions): SessionStatus {
  const fallback: AccessMode = options.interactive === true ? "ask-writes" : "auto";
  return {
    running: false,
    access: "write",
    mode: options.mode ?? shared.deps.settings.mode.value ?? fallback,
    model: shared.model.resolved.ref,
    modelSource: shared.model.resolved.source,
    queue: [],
  };
}

function observerStatus(shared: Shared, reader: SessionReader): SessionStatus {
  const { owner } = reader;
  return { ...liveStatus(shared, { mode: "read-only" }), access: "read", ...(owner === undefined ? {} : { owner }) };
}
