import { type DriverPorts, recover } from "../../agent/index.js";
import type { FileTracker } from "../../effect/index.js";
import type { ToolRegistry } from "../../tool/index.js";
import { observerFailed } from "../diagnostics.js";
import { runLimits, type Shared } from "../shared.js";
import type { OpenOptions, SessionStatus } from "../types.js";
import { createRoundPorts } from "./round-ports.js";
import { createSessionEffects, routedDispatcher } from "./session-effects.js";
import { openSession, type SessionFile, type SessionTarget } from "./session-file.js";
import { nothingRecovered, prepareSession, type SessionParts } from "./session-parts.js";

export interface SessionRequest {
  readonly target: SessionTarget;
  readonly registry: ToolRegistry;
  readonly options: OpenOptions;
  readonly status: SessionStatus;
  readonly tracker: FileTracker;
}

/** Joins what all sessions share with what this one has of its own. Opens nothing by itself. */
export function createSessionParts(shared: Shared, request: SessionRequest): SessionParts {
  const { clock, ids, cwd, version, settings } = shared.deps;
  const { target, registry, options } = request;
  const id = target.type === "new" ? target.id : target.writer.id;
  const file = openSession(target);
  const limits = runLimits(settings, options.limits);
  const effects = createSessionEffects(shared, { id, tracker: request.tracker, writer: () => file.current() });
  const dispatcher = routedDispatcher(shared, registry, effects);
  let given = target.type === "new" ? target.name : undefined;
  const naming = {
    name: () => given,
    setName: (name: string): void => {
      given = name;
    },
  };
  const isNew = target.type === "new";
  const recovered = once(async () => {
    const reader = file.reader();
    return isNew || reader === undefined ? nothingRecovered : await recover(reader);
  });
  const prepare = once(async () => {
    const writer = await file.writer();
    return prepareSession({ id, clock, ids, cwd, version, isNew, ...naming }, writer, await recovered());
  });
  return {
    id,
    isNew,
    path: isNew ? target.path : target.writer.path,
    cwd,
    clock,
    ids,
    ...naming,
    interactive: options.interactive === true,
    notices: options.notices ?? [],
    initialStatus: request.status,
    toolDefinition: (tool) => registry.get(tool),
    limits: () => limits,
    driverPorts: {
      clock,
      ids,
      cwd,
      limits: () => limits,
      commit: commitTo(file),
      dispatcher: () => dispatcher,
      ready: options.ready ?? atOnce,
      ...createRoundPorts(shared, registry, options),
    },
    reader: () => file.reader(),
    recovered,
    prepare,
    turnEnded: effects.drop,
    killNow: effects.killNow,
    onObserverFault: (error) => shared.deps.onDiagnostic(observerFailed(error)),
    async close(clean) {
      await effects.close();
      await file.close(clean);
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

const commitTo =
  (file: SessionFile): DriverPorts["commit"] =>
  async (entries, leaf) => {
    const ticket = file.current().commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
    await ticket.durable;
    return ticket.position;
  };
