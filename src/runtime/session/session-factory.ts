import { err, invariant, type SessionId } from "../../base/index.js";
import { type Available, type DriverPorts, loadState, nothingRecovered, recover, type Recovered } from "../../agent/index.js";
import type { FileTracker } from "../../effect/index.js";
import type { Generation } from "../../plugin/index.js";
import type { RunLimits } from "../../schema/index.js";
import { sessionClosed } from "../../session/index.js";
import { observerFailed } from "../diagnostics.js";
import { sha256 } from "../digest.js";
import { bindModel, type InitialModel, type ModelChoice } from "../models/index.js";
import { runLimits, type Shared } from "../shared.js";
import type { OpenOptions, SessionStatus } from "../types.js";
import { createSessionAgents, type SubAgents } from "./agents/index.js";
import { createSessionEffects, type SessionEffects, type Voice } from "./effects/index.js";
import { openSession, type SessionFile, type SessionTarget } from "./file/index.js";
import { createModelMemory, type ModelMemory } from "./model/index.js";
import {
  compiledIn,
  createOverlay,
  createPluginState,
  createSessionPlugins,
  findResource,
  Leases,
  type Overlay,
  type PluginLinks,
  type SessionPlugins,
} from "./plugins/index.js";
import { samplingOf, toldOnce } from "./exchange.js";
import type { Counting } from "./view/index.js";
import { createRounds, type Rounds } from "./round-ports.js";
import { beginSession, type SessionParts } from "./session-parts.js";

export interface SessionRequest {
  readonly target: SessionTarget;
  /** Only these tools, as a person chose them. */
  readonly chosen: readonly string[] | undefined;
  readonly options: OpenOptions;
  readonly status: SessionStatus;
  readonly counting: Counting;
  readonly model: InitialModel;
  /** What was chosen: on record in a resumed session, to be recorded in a new one. */
  readonly choice: ModelChoice;
  readonly tracker: FileTracker;
  readonly onClosed: () => void;
}

/** Joins what all sessions share with what this one has of its own. Opens nothing by itself. */
export function createSessionParts(shared: Shared, request: SessionRequest): SessionParts {
  const { clock, ids, cwd, version, settings } = shared.deps;
  const { target, options } = request;
  const id = target.type === "new" ? target.id : target.writer.id;
  const file = openSession(target);
  const limits = runLimits(settings, options.limits);
  const memory = createModelMemory({ choice: request.choice, hasBegun: hasBegun(target) });
  const side = createPluginSide(shared, { id, file, request, memory, limits: () => limits });
  const conceal = shared.secrets.concealJson;
  let given = conceal(target.type === "new" ? target.name : undefined);
  const naming = {
    name: () => given,
    setName: (name: string | undefined): void => {
      given = conceal(name);
    },
  };
  const readRecovered = async (): Promise<Recovered> => (await file.read(async (reader) => await recover(reader))) ?? nothingRecovered;
  let recovered = once(readRecovered);
  const prelude = { clock, ids, cwd, version, file, recovered: async () => await recovered(), choice: memory.begin, ...naming };
  return {
    ...{ id, cwd, clock, ids, file },
    path: target.type === "new" ? target.path : target.writer.path,
    conceal,
    ...naming,
    interactive: options.interactive === true,
    notices: options.notices ?? [],
    ...{ initialStatus: request.status, counting: request.counting },
    toolDefinition: (tool) => side.leases.generation().tools.find(({ name }) => name === tool),
    limits: () => limits,
    available: side.available,
    driverPorts: {
      ...{ clock, ids, cwd, sha256, limits: () => limits },
      commit: commitAfter(side.agents, commitTo(file)),
      load: loadFrom(file, id),
      ready: options.ready ?? atOnce,
      ...roundPorts(side.rounds),
    },
    connect: side.connect,
    onGeneration: shared.onGeneration,
    onServer: (listener) => shared.servers.observe(listener),
    recovered: prelude.recovered,
    prelude: async (firstText) => await beginSession(prelude, firstText),
    forget() {
      recovered = once(readRecovered);
    },
    ...{ quiesce: side.quiesce, isAtWork: side.agents.isAtWork },
    turnEnded: side.effects.drop,
    idle: () => {
      side.leases.end();
    },
    killNow: side.effects.killNow,
    onClosed: request.onClosed,
    onObserverFault: (error) => shared.deps.onDiagnostic(observerFailed(error)),
    async close(clean) {
      await side.quiesce();
      side.leases.end();
      await file.close(clean);
    },
  };
}

const hasBegun = (target: SessionTarget): boolean => target.type === "resumed" && target.writer.position().seq > 0;

const roundPorts = ({ facts, respond, dispatcher, diagnose }: Rounds): Omit<Rounds, "offer"> => ({ facts, respond, dispatcher, diagnose });

interface PluginSide {
  readonly leases: Leases;
  readonly rounds: Rounds;
  readonly effects: SessionEffects;
  readonly agents: SubAgents;
  readonly quiesce: () => Promise<void>;
  readonly available: SessionParts["available"];
  readonly connect: (links: PluginLinks) => SessionPlugins;
}

interface PluginSideParts {
  readonly id: SessionId;
  readonly file: SessionFile;
  readonly request: SessionRequest;
  readonly memory: ModelMemory;
  readonly limits: () => RunLimits;
}

/** A session and its plugins, connected once both are there. */
class Joint {
  linked: PluginLinks | undefined;
  plugins: SessionPlugins | undefined;

  readonly heard = (): SessionPlugins => {
    invariant(this.plugins !== undefined, "a plugin speaks before its session is there");
    return this.plugins;
  };

  readonly links = (): PluginLinks => {
    invariant(this.linked !== undefined, "a session's plugins are used before they are connected");
    return this.linked;
  };
}

/** What a turn could go on with: a tool that was found before this process can be found again. */
function availableIn(
  { tools, providers }: Generation,
  { offer }: Pick<Rounds, "offer">,
  searchable: ReturnType<Overlay["searchable"]>,
): Available {
  const waiting = new Set(searchable.map(({ name }) => name));
  return { tools: [...offer().registry.active, ...tools.filter(({ name }) => waiting.has(name))], providers };
}

const voiceOf =
  (heard: () => SessionPlugins) =>
  (trigger: Parameters<SessionPlugins["notify"]>[2]): Voice => ({
    notify: (notice, speaker) => {
      heard().notify(notice, speaker, trigger);
    },
    status: (item) => {
      heard().showStatus(item);
    },
  });

/** What the session and its plugins need of each other: its effects can only be asked for once both are there. */
function createPluginSide(shared: Shared, { id, file, request, memory, limits }: PluginSideParts): PluginSide {
  const joint = new Joint();
  const { heard, links } = joint;
  const interactive = request.options.interactive === true;
  const leases = new Leases(shared.host);
  const overlay = createOverlay({ chosen: request.chosen });
  const searchable = () => overlay.searchable(leases.generation().tools, shared);
  const model = bindModel({ ...shared, now: () => shared.deps.clock.now() }, request.model);
  const state = createPluginState({
    plugin: (plugin) => compiledIn(leases, plugin),
    scoped: () => links().scoped(),
    files: shared.values,
    project: shared.project,
  });
  const sampling = samplingOf(shared.deps.settings, request.options.sampling);
  const tell = toldOnce((note) => {
    links().narrator.emit({ type: "error", diagnostic: note });
  });
  const agents = createSessionAgents(shared, {
    ...{ id, file, limits, overlay, model, leases, sampling, interactive, links },
    ready: request.options.ready ?? atOnce,
    tell,
    rounds: () => rounds,
    effects: () => effects,
    lifecycle: () => heard().lifecycle,
  });
  const effects = createSessionEffects(shared, {
    id,
    tracker: request.tracker,
    commit: (change) => file.commit(change),
    model: () => model.latest().ref.model,
    ui: { ask: async (question, asker) => await links().ui.ask(question, asker) },
    state: { ...state, put: async (plugin, input, value) => await state.put(plugin, input, shared.secrets.concealJson(value)) },
    resources: { find: (plugin, kind, name) => findResource(leases.generation(), { plugin, kind, name }) },
    agents,
    tools: { searchable },
    voice: voiceOf(heard),
  });
  const rounds = createRounds({
    ...{ shared, session: id, interactive, leases, overlay, model, effects, sampling, tell },
  });
  return {
    leases,
    rounds,
    effects,
    agents,
    available: () => availableIn(leases.generation(), rounds, searchable()),
    quiesce: async () => {
      agents.close();
      await effects.quiesce();
    },
    connect(given) {
      joint.linked = given;
      return (joint.plugins = createSessionPlugins({ shared, file, leases, overlay, model, memory, state, effects, interactive }, given));
    },
  };
}

/** Runs at the first call; a failure is forgotten, so that the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}

const atOnce = async (): Promise<void> => await Promise.resolve();

/** Throws at once when the session refuses the change, as the driver expects. */
export const commitTo =
  (file: SessionFile): DriverPorts["commit"] =>
  (entries, leaf) => {
    const ticket = file.commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
    return ticket.durable.then(() => ticket.position);
  };

/** No work of a sub-agent outlives the work it belongs to. Throws at once, as the commit does. */
const commitAfter =
  (agents: Pick<SubAgents, "settling">, commit: DriverPorts["commit"]): DriverPorts["commit"] =>
  (entries, leaf) => {
    agents.settling(entries);
    return commit(entries, leaf);
  };

/** A branch to be selected: what is open belongs to the driver, not to it. */
export const loadFrom =
  (file: SessionFile, id: SessionId): DriverPorts["load"] =>
  async (leaf) =>
    (await file.read(async (reader) => await loadState(reader, nothingRecovered, leaf))) ?? err(sessionClosed(id));
