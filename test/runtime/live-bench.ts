import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EntryId, ok, type Result, type SessionId } from "../../src/base/index.js";
import { type Available, nothingRecovered, recover, type Recovered, type RoundEvent, type RoundFacts } from "../../src/agent/index.js";
import { LiveSession, type SessionTarget } from "../../src/runtime/session/index.js";
import { openSession } from "../../src/runtime/session/file/index.js";
import { commitTo, loadFrom } from "../../src/runtime/session/session-factory.js";
import { createModelMemory, type ModelMemory } from "../../src/runtime/session/model/index.js";
import type { ModelChoice } from "../../src/runtime/models/index.js";
import { countingAnew } from "../../src/runtime/session/view/index.js";
import { beginSession, type SessionParts } from "../../src/runtime/session/session-parts.js";
import { type Diagnostic, diagnostic, type Entry, type RunLimits, type SmithEvent } from "../../src/schema/index.js";
import {
  createLocker,
  type Change,
  createSessionStore,
  SessionStorageError,
  type SessionStore,
  type SessionReader,
  type SessionWriter,
} from "../../src/session/index.js";
import type { Dispatcher, DispatchOutcome } from "../../src/tool/index.js";
import { answer, dispatch, noLimits, outcome, sha256 } from "../agent/fixtures.js";
import { collect, depsFor, openedReader, openedWriter } from "../session/support/store.js";
import { createManualClock, type ManualClock } from "../support/manual-clock.js";
import type { FileOperations } from "../../src/session/log/index.js";
import { createStoreOn } from "../../src/session/store.js";

export const facts: RoundFacts = {
  ...{ system: "be good", tools: [], generation: 1, dispatch, selection: "toy/toy-1", plugin: "toy" },
  routing: { connection: "toy" },
  facts: {},
};

/** What submitting gives. */
type Submitted = Extract<Awaited<ReturnType<LiveSession["submit"]>>, { readonly ok: true }>["value"];

export interface Gate {
  /** Resolves once somebody waits at it. */
  readonly reached: Promise<void>;
  readonly open: () => void;
  /** Waits until it is opened. */
  readonly pass: () => Promise<void>;
}

export function gate(): Gate {
  let open = (): void => undefined;
  let reach = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    reached,
    open,
    pass: async () => {
      reach();
      await opened;
    },
  };
}

export interface HeldRound {
  readonly end: (event: RoundEvent) => void;
  readonly texts: readonly string[];
}

type DispatchRequest = Parameters<Dispatcher["dispatch"]>[0];

/** What a test may turn while sessions of the bench run. */
export interface Knobs {
  limits: RunLimits;
  facts: (signal: AbortSignal) => Promise<Result<RoundFacts, Diagnostic>>;
  dispatch: (signal: AbortSignal, request: DispatchRequest) => Promise<DispatchOutcome>;
  /** Awaited before a change of the driver is written; without it a change is queued at once, as outside of tests. */
  beforeCommit: ((entries: readonly Entry[]) => Promise<void>) | undefined;
  /** A bound that refuses a change at once, with nothing queued. */
  refuse: (entries: readonly Entry[]) => SessionStorageError | undefined;
  /** Awaited before a file is made. */
  beforeCreate: () => Promise<void>;
  /** Awaited before a file is opened again. */
  beforeOpen: () => Promise<void>;
  /** What the process could go on with. */
  available: Available;
  /** Number of the first change that fails, the prelude's included; all after it fail too. */
  failFrom: number;
}

/** One live session over a real file, with a provider and tools that the test plays. */
export interface Live {
  readonly session: LiveSession;
  readonly knobs: Knobs;
  readonly clock: ManualClock;
  readonly events: SmithEvent[];
  readonly faults: unknown[];
  /** Signals of the rounds so far, in order. */
  readonly signals: readonly AbortSignal[];
  /** The next round the provider is asked for, waiting for it when there is none yet. */
  readonly nextRound: () => Promise<HeldRound>;
  readonly rounds: () => number;
  /** Changes asked for so far. */
  readonly changes: () => number;
  /** It was told to be closed. */
  readonly isClosed: () => boolean;
  readonly submit: (
    text: string,
    extra?: { readonly key?: string; readonly delivery?: "steer" | "follow-up"; readonly destination?: EntryId },
  ) => Promise<Submitted>;
  /** Submits and answers. */
  readonly turn: (text: string, reply: string) => Promise<Submitted>;
  /** The process ends without a word: the file is let go, whatever runs. */
  readonly crash: () => Promise<void>;
}

export interface LiveBench {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly dir: string;
  readonly create: (extra?: LiveExtra) => Live;
  /** `id`: another session of the folder, a fork for one. */
  readonly reopen: (id?: SessionId, extra?: LiveExtra) => Promise<Live>;
  readonly entries: () => Promise<readonly Entry[]>;
}

export interface LiveExtra {
  readonly interactive?: boolean;
  /** Plugins of the session; none when left out. */
  readonly connect?: (own: Pick<SessionParts, "file" | "ids" | "clock"> & { readonly memory: ModelMemory }) => SessionParts["connect"];
  /** What was chosen, on record or for the beginning; nothing when left out. */
  readonly choice?: ModelChoice;
  /** What of it is counted; all of it when left out. */
  readonly counting?: SessionParts["counting"];
}

/** Runs with a directory of its own; what is left open of its sessions is closed. `operations`: file operations that may fail. */
export async function withLive(run: (bench: LiveBench) => Promise<void>, operations?: FileOperations): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "smith-live-"));
  const deps = depsFor(dir);
  const store = operations === undefined ? createSessionStore(deps) : createStoreOn(deps, operations, createLocker());
  const id = deps.ids.next<SessionId>();
  const crashes: (() => Promise<void>)[] = [];
  const keep = (live: Live): Live => {
    crashes.push(live.crash);
    return live;
  };
  try {
    await run({
      store,
      id,
      dir,
      create: (extra = {}) => {
        const target: SessionTarget = { type: "new", id, store, path: join(dir, `${id}.smith`), temporary: false, name: undefined };
        return keep(createLive({ ids: deps.ids, store, extra }, target));
      },
      reopen: async (other = id, extra = {}) => {
        const writer = await openedWriter(store, other);
        return keep(createLive({ ids: deps.ids, store, extra }, { type: "resumed", store, writer }));
      },
      entries: async () => {
        const reader = await openedReader(store, id);
        const changes = await collect(reader.changes());
        await reader.close();
        return changes.flatMap((change) => change.entries);
      },
    });
  } finally {
    for (const crash of crashes) await crash();
    await rm(dir, { recursive: true, force: true });
  }
}

interface World {
  readonly ids: SessionParts["ids"];
  readonly store: SessionStore;
  readonly extra: LiveExtra;
}

function createLive({ ids, store, extra }: World, target: SessionTarget): Live {
  const clock = createManualClock();
  const rounds: HeldRound[] = [];
  const waiting: ((round: HeldRound) => void)[] = [];
  const events: SmithEvent[] = [];
  const faults: unknown[] = [];
  const signals: AbortSignal[] = [];
  const count = { rounds: 0, changes: 0 };
  let isClosed = false;
  const knobs: Knobs = {
    limits: noLimits,
    facts: async () => await Promise.resolve(ok(facts)),
    dispatch: async () => await Promise.resolve(outcome("content")),
    beforeCommit: undefined,
    refuse: () => undefined,
    beforeCreate: async () => {
      await Promise.resolve();
    },
    beforeOpen: async () => {
      await Promise.resolve();
    },
    available: { tools: [], providers: [{ id: dispatch.provider, plugin: "toy" }] },
    failFrom: Number.POSITIVE_INFINITY,
  };
  const checked = (writer: SessionWriter): SessionWriter =>
    withCommit(writer, (change) => {
      const index = count.changes;
      count.changes += 1;
      if (index >= knobs.failFrom) throw full();
      const refused = knobs.refuse(change.entries);
      if (refused !== undefined) throw refused;
      return writer.commit(change);
    });
  const checkedStore: SessionStore = {
    ...through(store),
    create: async (options) => {
      await knobs.beforeCreate();
      const made = await store.create(options);
      return made.ok ? ok(checked(made.value)) : made;
    },
    open: async (wanted, want) => {
      await knobs.beforeOpen();
      const opened = await store.open(wanted, want);
      return opened.ok && isWriter(opened.value) ? ok(checked(opened.value)) : opened;
    },
  };
  const file = openSession(
    target.type === "resumed"
      ? { type: "resumed", store: checkedStore, writer: checked(target.writer) }
      : { ...target, store: checkedStore },
  );
  const id = target.type === "new" ? target.id : target.writer.id;
  let name: string | undefined;
  const naming = {
    name: () => name,
    setName: (given: string | undefined): void => {
      name = given;
    },
  };
  const readRecovered = async (): Promise<Recovered> => (await file.read(async (reader) => await recover(reader))) ?? nothingRecovered;
  let recovered = once(readRecovered);
  const memory = createModelMemory({ choice: extra.choice ?? {}, hasBegun: target.type === "resumed" });
  const prelude = {
    clock,
    ids,
    cwd: "/project",
    version: "0",
    file,
    recovered: async () => await recovered(),
    choice: memory.begin,
    ...naming,
  };
  const parts: SessionParts = {
    id,
    path: target.type === "new" ? target.path : target.writer.path,
    file,
    available: () => knobs.available,
    cwd: "/project",
    clock,
    ids,
    ...naming,
    conceal: (value) => value,
    interactive: extra.interactive === true,
    notices: [],
    initialStatus: { running: false, access: "write", mode: "auto", model: dispatch, modelSource: "toy", queue: [], statusItems: [] },
    counting: extra.counting ?? countingAnew(),
    toolDefinition: () => undefined,
    limits: () => knobs.limits,
    driverPorts: {
      clock,
      ids,
      cwd: "/project",
      limits: () => knobs.limits,
      commit: (entries, leaf) => {
        const { beforeCommit } = knobs;
        if (beforeCommit === undefined) return commitTo(file)(entries, leaf);
        return beforeCommit(entries).then(async () => await commitTo(file)(entries, leaf));
      },
      load: loadFrom(file, id),
      sha256,
      facts: async (signal) => await knobs.facts(signal),
      ready: async () => {
        await Promise.resolve();
      },
      respond: async function* ({ messages, signal }) {
        count.rounds += 1;
        signals.push(signal);
        yield await new Promise<RoundEvent>((resolve) => {
          const end = (event: RoundEvent): void => {
            signal.removeEventListener("abort", cut);
            resolve(event);
          };
          const cut = (): void => {
            end({ type: "aborted", partial: { ...answer(""), stop: "aborted" } });
          };
          signal.addEventListener("abort", cut);
          if (signal.aborted) cut();
          const round = { end, texts: messages.flatMap((message) => (message.role === "user" ? [message.text] : [])) };
          const first = waiting.shift();
          if (first === undefined) rounds.push(round);
          else first(round);
        });
      },
      dispatcher: () => ({ dispatch: async (request) => await knobs.dispatch(request.signal, request) }),
      diagnose: ({ error }) => ({
        error: diagnostic({ code: "provider.failed", what: error.message, why: "It failed.", next: "Try again." }),
        outcome: "unknown",
      }),
    },
    connect:
      extra.connect?.({ file, ids, clock, memory }) ??
      (() => ({
        lifecycle: { listens: () => false, run: async () => await Promise.resolve({ accepted: [], refused: [] }), adopt: () => undefined },
        callTool: () => Promise.reject(new Error("no tool is called here")),
        runCommand: async () => await Promise.resolve(ok({ carriedOut: 0 })),
        setModel: async () => await Promise.resolve(ok(dispatch)),
        setThinking: async () => await Promise.resolve(ok(undefined)),
        notify: () => undefined,
        showStatus: () => undefined,
        generationChanged: () => undefined,
        settled: async () => {
          await Promise.resolve();
        },
      })),
    onServer: () => () => undefined,
    onGeneration: () => () => undefined,
    idle: () => undefined,
    recovered: prelude.recovered,
    prelude: async (firstText) => await beginSession(prelude, firstText),
    forget: () => {
      recovered = once(readRecovered);
    },
    quiesce: async () => {
      await Promise.resolve();
    },
    turnEnded: () => undefined,
    killNow: () => undefined,
    onObserverFault: (error) => faults.push(error),
    onClosed: () => {
      isClosed = true;
    },
    close: async (clean) => {
      await file.close(clean);
    },
  };
  const session = new LiveSession(parts);
  session.observe((event) => events.push(event));
  const nextRound = async (): Promise<HeldRound> => rounds.shift() ?? (await new Promise<HeldRound>((resolve) => waiting.push(resolve)));
  const submit: Live["submit"] = async (text, given = {}) => {
    const receipt = await session.submit({ text, ...given });
    if (!receipt.ok) throw new Error(receipt.error.what);
    return receipt.value;
  };
  return {
    session,
    knobs,
    clock,
    events,
    faults,
    signals,
    rounds: () => count.rounds,
    changes: () => count.changes,
    isClosed: () => isClosed,
    nextRound,
    submit,
    turn: async (text, reply) => {
      const receipt = await submit(text);
      (await nextRound()).end({ type: "done", result: answer(reply) });
      await receipt.settled;
      return receipt;
    },
    crash: async () => {
      await file.close(false);
    },
  };
}

export const bound = (code = "session.limit"): SessionStorageError =>
  new SessionStorageError(diagnostic({ code, what: "Too many live works.", why: "513 of 512.", next: "Wait." }));

export const full = (): SessionStorageError =>
  new SessionStorageError(
    diagnostic({ code: "session.storage-full", what: "The disk is full.", why: "No space is left.", next: "Make room." }),
  );

const through = (store: SessionStore): SessionStore => ({
  create: async (options) => await store.create(options),
  open: async (id, want) => await store.open(id, want),
  list: (options) => store.list(options),
  resolve: async (name) => await store.resolve(name),
  grep: (pattern, options) => store.grep(pattern, options),
  remove: async (id) => await store.remove(id),
  fork: async (source, options) => await store.fork(source, options),
  import: async (items, options) => await store.import(items, options),
  verify: (id, options) => store.verify(id, options),
  repair: async (id, options) => await store.repair(id, options),
});

const isWriter = (session: SessionReader | SessionWriter): session is SessionWriter => session.access === "write";

/** The writer with other commits; everything else is its own. */
const withCommit = (writer: SessionWriter, commit: (change: Change) => ReturnType<SessionWriter["commit"]>): SessionWriter =>
  new Proxy(writer, {
    get(target, member) {
      if (member === "commit") return commit;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return async () => await (made ??= make());
}
