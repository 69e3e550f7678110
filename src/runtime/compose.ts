import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { err, ok, type Result, type SessionId } from "../base/index.js";
import { createFileTracker, createPathLocks, createSearch } from "../effect/index.js";
import { createPluginHost, loadPluginIndex } from "../plugin/index.js";
import { createHttpEngine } from "../provider/index.js";
import type { AccessMode, Diagnostic, OwnerInfo } from "../schema/index.js";
import { createSessionStore, sessionBusy, type SessionReader, type SessionStore, type SessionWriter } from "../session/index.js";
import { createRegistry } from "../tool/index.js";
import { noSessionHere, notWritable, pluginsOff, unknownTools } from "./diagnostics.js";
import { bindModel } from "./models.js";
import { createEffectRouter, createSessionParts, LiveSession, ObserverSession, type SessionTarget } from "./session/index.js";
import { type RuntimeDeps, type Shared, storeDeps } from "./shared.js";
import type { OpenOptions, Runtime, RuntimeSession, SessionStatus } from "./types.js";

/**
 * Builds the runtime: plugins, provider, session store behind one facade. The provider worker starts here, in parallel
 * with whatever the caller does next; nothing else is started before it is needed.
 */
export async function createRuntime(deps: RuntimeDeps): Promise<Result<Runtime, Diagnostic>> {
  const { plugins, disabledPlugins } = deps.settings;
  if (!plugins.value) return err(pluginsOff(plugins.source));
  const pluginDir = fileURLToPath(new URL("plugins/", deps.installDir));
  const index = await loadPluginIndex(pluginDir);
  if (!index.ok) return index;
  const router = createEffectRouter();
  const host = createPluginHost({
    dir: pluginDir,
    index: index.value,
    disabled: new Set(disabledPlugins.value),
    effects: router.gateway,
    clock: deps.clock,
    onDiagnostic: deps.onDiagnostic,
    workerUrl: new URL("plugin-worker.js", deps.installDir),
    wasmPath: fileURLToPath(new URL("quickjs.wasm", deps.installDir)),
  });
  host.warm("providers");
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
  };
  return ok(facade(shared, closing));
}

function facade(shared: Shared, closing: AbortController): Runtime {
  const { deps, host, store } = shared;
  const open = new Set<RuntimeSession>();
  const keep = (session: RuntimeSession): RuntimeSession => {
    open.add(session);
    return session;
  };
  return {
    cwd: deps.cwd,
    version: deps.version,
    tools: host.generation.tools,
    async create(options = {}) {
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
      return await Promise.resolve(live(shared, target, options, keep));
    },
    async open(id, options = {}) {
      const opened = await store.open(id, "write");
      if (!opened.ok) return opened;
      const session = opened.value;
      if (isWriter(session)) return live(shared, { type: "resumed", writer: session }, options, keep);
      if (options.want !== "any") {
        await session.close();
        return err(session.owner === undefined ? notWritable(id, session.damage?.() ?? []) : sessionBusy(id, session.owner));
      }
      return ok(keep(observer(shared, session)));
    },
    async newest() {
      for await (const summary of store.list()) if (summary.cwd === deps.cwd) return ok(summary.id);
      return err(noSessionHere(deps.cwd));
    },
    resolve: async (name) => await store.resolve(name),
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
  };
}

function observer(shared: Shared, reader: SessionReader): ObserverSession {
  const { deps, host, store } = shared;
  const registry = createRegistry(host.generation.tools);
  return new ObserverSession({
    reader,
    status: observerStatus(shared, reader),
    toolDefinition: (name) => registry.get(name),
    clock: deps.clock,
    owner: async () => await ownerOf(store, reader.id),
  });
}

async function ownerOf(store: SessionStore, id: SessionId): Promise<OwnerInfo | undefined> {
  const reader = await store.open(id, "read");
  if (!reader.ok) return undefined;
  await reader.value.close();
  return reader.value.owner;
}

const isWriter = (session: SessionReader | SessionWriter): session is SessionWriter => session.access === "write";

function live(
  shared: Shared,
  target: SessionTarget,
  options: OpenOptions,
  keep: (session: RuntimeSession) => RuntimeSession,
): Result<RuntimeSession, Diagnostic> {
  const chosen = options.tools ?? shared.deps.settings.tools.value;
  const registry = createRegistry(shared.host.generation.tools, chosen);
  const unknown = chosen?.filter((name) => registry.get(name) === undefined) ?? [];
  if (unknown.length > 0)
    return err(
      unknownTools(
        unknown,
        shared.host.generation.tools.map((tool) => tool.name),
      ),
    );
  return ok(
    keep(
      new LiveSession(
        createSessionParts(shared, { target, registry, options, status: liveStatus(shared, options), tracker: createFileTracker() }),
      ),
    ),
  );
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
