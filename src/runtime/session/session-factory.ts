import { err, type SessionId } from "../../base/index.js";
import { type DriverPorts, loadState, nothingRecovered, recover, type Recovered } from "../../agent/index.js";
import type { FileTracker } from "../../effect/index.js";
import type { ToolRegistry } from "../../tool/index.js";
import { sessionClosed } from "../../session/index.js";
import { observerFailed } from "../diagnostics.js";
import { sha256 } from "../digest.js";
import { runLimits, type Shared } from "../shared.js";
import type { OpenOptions, SessionStatus } from "../types.js";
import { createSessionEffects, routedDispatcher } from "./effects/index.js";
import { openSession, type SessionFile, type SessionTarget } from "./file/index.js";
import { createRoundPorts } from "./round-ports.js";
import { beginSession, type SessionParts } from "./session-parts.js";

export interface SessionRequest {
  readonly target: SessionTarget;
  readonly registry: ToolRegistry;
  readonly options: OpenOptions;
  readonly status: SessionStatus;
  readonly tracker: FileTracker;
  readonly onClosed: () => void;
}

/** Joins what all sessions share with what this one has of its own. Opens nothing by itself. */
export function createSessionParts(shared: Shared, request: SessionRequest): SessionParts {
  const { clock, ids, cwd, version, settings } = shared.deps;
  const { target, registry, options } = request;
  const id = target.type === "new" ? target.id : target.writer.id;
  const file = openSession(target);
  const limits = runLimits(settings, options.limits);
  const effects = createSessionEffects(shared, { id, tracker: request.tracker, commit: (change) => file.commit(change) });
  const dispatcher = routedDispatcher(shared, registry, effects);
  let given = target.type === "new" ? target.name : undefined;
  const naming = {
    name: () => given,
    setName: (name: string | undefined): void => {
      given = name;
    },
  };
  const readRecovered = async (): Promise<Recovered> => (await file.read(async (reader) => await recover(reader))) ?? nothingRecovered;
  let recovered = once(readRecovered);
  const prelude = { clock, ids, cwd, version, file, recovered: async () => await recovered(), ...naming };
  return {
    id,
    path: target.type === "new" ? target.path : target.writer.path,
    cwd,
    clock,
    ids,
    file,
    ...naming,
    interactive: options.interactive === true,
    notices: options.notices ?? [],
    initialStatus: request.status,
    toolDefinition: (tool) => registry.get(tool),
    limits: () => limits,
    available: () => ({ tools: registry.active, providers: availableProviders(shared) }),
    driverPorts: {
      clock,
      ids,
      cwd,
      limits: () => limits,
      commit: commitTo(file),
      load: loadFrom(file, id),
      sha256,
      dispatcher: () => dispatcher,
      ready: options.ready ?? atOnce,
      ...createRoundPorts(shared, registry, options),
    },
    recovered: prelude.recovered,
    prelude: async (firstText) => await beginSession(prelude, firstText),
    forget() {
      recovered = once(readRecovered);
    },
    quiesce: effects.quiesce,
    turnEnded: effects.drop,
    killNow: effects.killNow,
    onClosed: request.onClosed,
    onObserverFault: (error) => shared.deps.onDiagnostic(observerFailed(error)),
    async close(clean) {
      await effects.quiesce();
      await file.close(clean);
    },
  };
}

/** Providers of the running generation that can be asked, each with the plugin that brings it. */
const availableProviders = ({ host }: Shared): readonly { readonly id: string; readonly plugin: string }[] =>
  host.generation.providers.flatMap(({ id, plugin }) => (host.provider(id) === undefined ? [] : [{ id, plugin }]));

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

/** A branch to be selected: what is open belongs to the driver, not to it. */
export const loadFrom =
  (file: SessionFile, id: SessionId): DriverPorts["load"] =>
  async (leaf) =>
    (await file.read(async (reader) => await loadState(reader, nothingRecovered, leaf))) ?? err(sessionClosed(id));
