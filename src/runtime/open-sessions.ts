import { join } from "node:path";
import { err, ok, type Result, type SessionId } from "../base/index.js";
import { createFileTracker } from "../effect/index.js";
import type { Generation } from "../plugin/index.js";
import type { AccessMode, Diagnostic, OwnerInfo } from "../schema/index.js";
import { createSessionStore, type SessionReader, type SessionStore } from "../session/index.js";
import { observerFailed, unknownTools } from "./diagnostics.js";
import { type InitialModel, type ModelChoice, NO_CHOICE } from "./models/index.js";
import {
  createSessionParts,
  initialModel,
  LiveSession,
  type ObserverSession,
  countingFrom,
  countingAnew,
  type Counting,
  recordedChoice,
  recordedStatus,
  recoverable,
  selectionOf,
  type SessionRequest,
  type SessionTarget,
} from "./session/index.js";
import { type Shared, storeDeps } from "./shared.js";
import { isWriter, unwritable } from "./records/stored.js";
import type { OpenOptions, Runtime, SessionStatus } from "./types.js";

type Session = LiveSession | ObserverSession;
type CreateOptions = NonNullable<Parameters<Runtime["create"]>[0]>;
type StoredOptions = NonNullable<Parameters<Runtime["open"]>[1]>;

/** The sessions of one runtime: makes them, and holds each until it is closed. */
export interface OpenSessions {
  create(options: CreateOptions): Result<LiveSession, Diagnostic>;
  open(id: SessionId, options: StoredOptions): Promise<Result<Session, Diagnostic>>;
  /** Closes all that are open. */
  close(): Promise<void>;
  readonly killNow: () => void;
}

export function createOpenSessions(shared: Shared): OpenSessions {
  const open = new Set<Session>();
  const keep = <One extends Session>(make: (onClosed: () => void) => One): One => {
    const session: One = make(() => open.delete(session));
    open.add(session);
    return session;
  };
  return {
    create(options) {
      const chosen = chooseTools(shared, options);
      if (!chosen.ok) return chosen;
      const target = newTarget(shared, options);
      const { model, chosen: choice } = shared;
      return ok(
        keep((onClosed) =>
          live(shared, { target, options, onClosed, chosen: chosen.value, known: { status: {}, counting: countingAnew() }, model, choice }),
        ),
      );
    },
    async open(id, options) {
      const chosen = chooseTools(shared, options);
      if (!chosen.ok) return chosen;
      const opened = await shared.store.open(id, "write");
      if (!opened.ok) return opened;
      const session = opened.value;
      if (!isWriter(session) && options.want !== "any") {
        await session.close();
        return err(unwritable(session));
      }
      const { choice, ...known } = await knownOf(session);
      const { model, problem } = initialModel(shared, session.id, choice);
      if (!isWriter(session)) {
        const { ObserverSession: Observer } = await import("./session/observer-session.js");
        return ok(keep((onClosed) => new Observer(observed(shared, { reader: session, options, onClosed, known, model }))));
      }
      const told = problem === undefined ? options : tellAtOpening(shared, options, problem);
      const target: SessionTarget = { type: "resumed", writer: session, store: shared.store };
      return ok(keep((onClosed) => live(shared, { target, options: told, onClosed, chosen: chosen.value, known, model, choice })));
    },
    async close() {
      await Promise.all(
        [...open].map(async (session) => {
          await session.close();
        }),
      );
    },
    killNow() {
      for (const session of open) session.killNow();
    },
  };
}

/** What a file says of a session before anything of it is read. */
interface Known {
  readonly status: Awaited<ReturnType<typeof recordedStatus>>;
  readonly counting: Counting;
}

interface Made {
  readonly options: OpenOptions;
  /** What the file says already. */
  readonly known: Known;
  readonly model: InitialModel;
  readonly onClosed: () => void;
}

/** Where the file cannot say it, its first page tells why. */
async function knownOf(reader: SessionReader): Promise<Known & { readonly choice: ModelChoice }> {
  const live = await recoverable(async () => await reader.live());
  if (!live.ok) return { status: {}, counting: countingAnew(), choice: NO_CHOICE };
  const status = await recoverable(async () => await recordedStatus(reader, live.value));
  const choice = await recoverable(async () => await recordedChoice(reader));
  return {
    status: status.ok ? status.value : {},
    counting: countingFrom(live.value),
    choice: choice.ok ? choice.value : NO_CHOICE,
  };
}

/** On the first page where there is one; a run without an interface shows none. */
function tellAtOpening({ deps }: Shared, options: StoredOptions, problem: Diagnostic): StoredOptions {
  if (options.interactive === true) return { ...options, notices: [...(options.notices ?? []), problem] };
  deps.onDiagnostic(problem);
  return options;
}

function newTarget({ deps, store }: Shared, options: CreateOptions): SessionTarget {
  const temporary = options.temporary === true;
  const dir = temporary ? join(deps.paths.state, "temporary") : deps.paths.sessions;
  const id = deps.ids.next<SessionId>();
  return {
    type: "new",
    id,
    store: temporary ? createSessionStore(storeDeps(deps, dir)) : store,
    path: join(dir, `${id}.smith`),
    temporary,
    name: options.name,
  };
}

function live(shared: Shared, { known, ...own }: Made & Pick<SessionRequest, "target" | "chosen" | "choice">): LiveSession {
  const status = { ...liveStatus(shared, own.model, own.options), ...known.status };
  return new LiveSession(createSessionParts(shared, { ...own, status, counting: known.counting, tracker: createFileTracker() }));
}

/** Where no writer keeps it out, it is told what does. */
function observed(
  shared: Shared,
  { reader, options, known, model, onClosed }: Made & { readonly reader: SessionReader },
): ConstructorParameters<typeof ObserverSession>[0] {
  const { deps, host, store } = shared;
  const { notices = [] } = options;
  return {
    reader,
    status: { ...observerStatus(shared, model, reader), ...known.status },
    counting: known.counting,
    toolDefinition: (name) => host.generation.tools.find((tool) => tool.name === name),
    clock: deps.clock,
    notices: reader.owner === undefined ? [...notices, unwritable(reader)] : notices,
    owner: async () => await ownerOf(store, reader.id),
    reopen: async () => await store.open(reader.id, "read"),
    onObserverFault: (error) => deps.onDiagnostic(observerFailed(error)),
    onClosed,
  };
}

async function ownerOf(store: SessionStore, id: SessionId): Promise<OwnerInfo | undefined> {
  const reader = await store.open(id, "read");
  if (!reader.ok) return undefined;
  await reader.value.close();
  return reader.value.owner;
}

/** The tools a person chose for one session, before anything is opened for it: all of them must be there. Undefined for all there are. */
function chooseTools(shared: Shared, options: OpenOptions): Result<readonly string[] | undefined, Diagnostic> {
  const chosen = options.tools ?? shared.deps.settings.tools.value;
  const refused = chosen === undefined ? undefined : refusedTools(shared.host.generation, chosen);
  return refused === undefined ? ok(chosen) : err(refused);
}

/** Why these cannot be chosen. */
export function refusedTools({ tools, plugins }: Generation, chosen: readonly string[]): Diagnostic | undefined {
  const known = tools.map((tool) => tool.name);
  // What a tool set offers may come later.
  const prefixes = plugins.flatMap(({ compiled }) => compiled.toolSets.map(({ prefix }) => prefix));
  const isKnown = (name: string): boolean => known.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  const unknown = chosen.filter((name) => !isKnown(name));
  return unknown.length === 0 ? undefined : unknownTools(unknown, known);
}

function liveStatus(shared: Shared, model: InitialModel, options: OpenOptions): SessionStatus {
  const fallback: AccessMode = options.interactive === true ? "ask-writes" : "auto";
  const dispatch = shared.models.latest(model.route.targets[0]);
  const { ref, facts, source, thinking } = dispatch;
  const selection = selectionOf(dispatch);
  return {
    running: false,
    access: "write",
    mode: options.mode ?? shared.deps.settings.mode.value ?? fallback,
    model: ref,
    modelSource: source,
    queue: [],
    statusItems: [],
    ...(thinking === undefined ? {} : { thinking }),
    ...(selection === undefined ? {} : { selection }),
    ...(facts.contextTokens === undefined ? {} : { contextLimit: facts.contextTokens }),
  };
}

function observerStatus(shared: Shared, model: InitialModel, reader: SessionReader): SessionStatus {
  const { owner } = reader;
  return { ...liveStatus(shared, model, { mode: "read-only" }), access: "read", ...(owner === undefined ? {} : { owner }) };
}
