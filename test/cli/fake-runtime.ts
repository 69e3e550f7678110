import { err, ok, type Result, type SessionId, type SubmissionId } from "../../src/base/index.js";
import type { AuthAdmin } from "../../src/runtime/index.js";
import type { OpenAuthAdmin, Prepared, RuntimePort } from "../../src/cli/context.js";
import type { CommandInfo, CommandOutcome } from "../../src/runtime/types.js";
import type {
  Inspection,
  Maintenance,
  ModelAdmin,
  OpenOptions,
  PluginAdmin,
  RunEnd,
  Runtime,
  RuntimeSession,
  SecretAdmin,
} from "../../src/runtime/index.js";
import { type Diagnostic, diagnostic, type SmithEvent } from "../../src/schema/index.js";

export const SESSION = "01890a5d-ac96-774b-bcce-b302099a8057" as SessionId;
export const SUBMISSION = "01890a5d-ac96-774b-bcce-b302099a8058" as SubmissionId;
export const MODEL = { provider: "test", model: "m" };

type EventFields = SmithEvent extends infer Event ? (Event extends SmithEvent ? Omit<Event, "session" | "time"> : never) : never;

export const event = (fields: EventFields): SmithEvent => ({ session: SESSION, time: 1, ...fields });

export const answer = (text: string): readonly SmithEvent[] => [
  event({ type: "assistant_start", request: "r", model: MODEL }),
  ...Array.from(text.matchAll(/.{1,4}/gsu), ([piece]) => event({ type: "assistant_delta", text: piece })),
  event({ type: "assistant", entry: "e" as never, text, stop: "stop", model: MODEL }),
];

export const failure = (fields: Partial<Diagnostic>): Diagnostic =>
  diagnostic({ code: "test.failed", what: "it failed", why: "because", next: "try", ...fields });

export interface Script {
  /** Sent after the prompt was submitted. */
  readonly events?: readonly SmithEvent[];
  readonly end?: Partial<RunEnd>;
  /** The run goes on until it is aborted. */
  readonly runsUntilAborted?: boolean;
  /** The run's own run_end event is left out. */
  readonly withoutRunEnd?: boolean;
  readonly openError?: Diagnostic;
  readonly createError?: Diagnostic;
  /** Told while the runtime is made. */
  readonly found?: readonly Diagnostic[];
  /** Given what tells of problems beside any run. */
  readonly onOpen?: (onDiagnostic: (problem: Diagnostic) => void) => void;
  readonly submitError?: Diagnostic;
  readonly throws?: Error;
  /** Called when the prompt has been submitted and the events were sent. */
  readonly onRunning?: () => void;
  readonly inspection?: Partial<Inspection>;
  readonly maintenance?: Partial<Maintenance>;
  /** Commands of plugins, and what running one comes to. */
  readonly commands?: readonly CommandInfo[];
  readonly command?: Result<Omit<CommandOutcome, "receipt">, Diagnostic>;
  /** The command enqueues input: the script's run. */
  readonly commandAsks?: boolean;
  readonly admin?: Partial<Omit<PluginAdmin, "trust">> & { readonly trust?: Partial<PluginAdmin["trust"]> };
  readonly auth?: Partial<AuthAdmin>;
  readonly secrets?: Partial<SecretAdmin>;
  readonly models?: Partial<ModelAdmin>;
}

export interface FakeRuntime extends RuntimePort {
  readonly prompts: string[];
  readonly calls: string[];
  readonly options: (OpenOptions & { readonly name?: string; readonly temporary?: boolean; readonly want?: string })[];
  readonly prepared: Prepared[];
}

/** A runtime that plays one script and writes down what was asked of it. */
export function createFakeRuntime(script: Script = {}): FakeRuntime {
  const prompts: string[] = [];
  const calls: string[] = [];
  const options: FakeRuntime["options"] = [];
  const prepared: Prepared[] = [];
  const session = createSession(script, prompts, calls);
  const give = (error: Diagnostic | undefined): Result<RuntimeSession, Diagnostic> => (error === undefined ? ok(session) : err(error));
  const runtime: Runtime = {
    cwd: "/nowhere/project",
    version: "0",
    tools: [],
    toolsReady: () => Promise.resolve(),
    callable: () => [],
    refusedTools: () => undefined,
    prompt: () => Promise.reject(new Error("no prompt is asked for here")),
    models: () => ({
      entries: () => [],
      find: (ref) => ({ ref, facts: {}, claims: {}, known: "unknown" }),
      connections: () => [],
      route: () => err(failure({})),
      names: [],
    }),
    contributions: () => ({ generation: 1, commands: script.commands ?? [], themes: [], keys: [], tools: [], resources: [], plugins: [] }),
    observeContributions: () => () => undefined,
    reload: () => Promise.resolve(ok([])),
    killNow: () => undefined,
    create: (given = {}) => {
      calls.push("create");
      options.push(given);
      return Promise.resolve(give(script.createError));
    },
    open: (id, given = {}) => {
      calls.push(`open ${id}`);
      options.push(given);
      return Promise.resolve(give(script.createError));
    },
    newest: () => Promise.resolve(ok(SESSION)),
    resolve: (name) => Promise.resolve(name.length >= 4 ? ok(SESSION) : err(failure({ code: "session.unknown" }))),
    fork: () => Promise.resolve(err(failure({ code: "session.unknown" }))),
    close: () => {
      calls.push("runtime closed");
      return Promise.resolve();
    },
  };
  return {
    prompts,
    calls,
    options,
    prepared,
    open: (given, _host, onDiagnostic) => {
      prepared.push(given);
      for (const problem of script.found ?? []) onDiagnostic(problem);
      script.onOpen?.(onDiagnostic);
      if (script.throws !== undefined) throw script.throws;
      return Promise.resolve(script.openError === undefined ? ok(runtime) : err(script.openError));
    },
    inspect: () => Promise.resolve({ ...createInspection((name) => runtime.resolve(name)), ...script.inspection }),
    maintain: () => Promise.resolve({ ...refusing, ...script.maintenance }),
    trust: () => Promise.resolve({ ...trustsNothing, ...script.admin?.trust }),
    auth: (given) => {
      prepared.push(given);
      return Promise.resolve(ok({ ...createAuth(calls), ...script.auth }));
    },
    servers: () => Promise.reject(new Error("no servers in this suite")),
    machine: () => Promise.reject(new Error("no machine in this suite")),
    secrets: (given) => {
      prepared.push(given);
      return Promise.resolve({ ...noSecrets, ...script.secrets });
    },
    models: (given) => {
      prepared.push(given);
      return Promise.resolve(ok({ ...createModels(calls), ...script.models }));
    },
    plugins: (given) => {
      prepared.push(given);
      return Promise.resolve({ ...createAdmin(calls), ...script.admin, trust: { ...trustsNothing, ...script.admin?.trust } });
    },
  };
}

const absent = <Value>(): Promise<Result<Value, Diagnostic>> => Promise.resolve(err(failure({ code: "session.unknown" })));

const createInspection = (resolve: Inspection["resolve"]): Inspection => ({
  list: none,
  resolve,
  resolveEntry: () => absent(),
  entries: none,
  unknownEffects: none,
  projected: () => absent(),
  request: () => absent(),
  cost: () => absent(),
  spend: () => absent(),
  verify: none,
  dump: none,
  grep: none,
});

const refusing: Maintenance = {
  fork: () => absent(),
  rename: () => absent(),
  remove: () => absent(),
  repair: () => absent(),
  reconcile: () => absent(),
  import: () => absent(),
};

const createAuth = (calls: string[]): OpenAuthAdmin => ({
  overview: () => Promise.resolve({ accounts: [], stored: [], file: "/home/a/smith/data/auth.json", problems: [] }),
  storeKey: () => absent(),
  startDeviceLogin: () => absent(),
  remove: () => absent(),
  check: () => Promise.resolve({ state: "not-set", problem: failure({}) }),
  close: () => {
    calls.push("auth closed");
    return Promise.resolve();
  },
});

const noSecrets: SecretAdmin = {
  list: () => Promise.resolve({ secrets: [], file: "/home/a/smith/data/secrets.json", problems: [] }),
  add: () => Promise.resolve(ok(false)),
  remove: () => Promise.resolve(ok(false)),
};

const createModels = (calls: string[]): ModelAdmin => ({
  entries: () => [],
  find: (ref) => ({ ref, facts: {}, claims: {}, known: "unknown" }),
  isMatch: (words, name) => name.includes(words),
  describe: () => [],
  connections: () => [],
  route: () => err(failure({ code: "provider.none" })),
  lookAround: () => Promise.resolve(),
  refreshedAt: undefined,
  names: [],
  refresh: () => absent(),
  auth: createAuth(calls),
  close: () => {
    calls.push("models closed");
    return Promise.resolve();
  },
});

const trustsNothing: PluginAdmin["trust"] = {
  look: () => Promise.resolve({ state: "nothing-to-trust" }),
  state: () => Promise.resolve({ state: "nothing-to-trust" }),
  trust: () => Promise.resolve(ok(undefined)),
  revoke: () => Promise.resolve(ok(false)),
};

const createAdmin = (calls: string[]): PluginAdmin => ({
  discover: () => Promise.resolve({ records: [], active: [], diagnostics: [] }),
  plan: () => Promise.resolve(err([failure({ code: "plugin.source" })])),
  remove: () => absent(),
  setEnabled: () => absent(),
  approval: () => Promise.resolve(err([failure({ code: "plugin.unknown" })])),
  approve: () => Promise.resolve(err([failure({ code: "plugin.unknown" })])),
  trust: trustsNothing,
  check: () => Promise.resolve({ isSound: true, tests: { passed: 0, failed: 0 } }),
  create: () => absent(),
  close: () => {
    calls.push("admin closed");
    return Promise.resolve();
  },
});

async function* none(): AsyncIterable<never> {
  // Nothing was recorded.
}

function createSession(script: Script, prompts: string[], calls: string[]): RuntimeSession {
  const listeners = new Set<(event: SmithEvent) => void>();
  let settle: (end: RunEnd) => void = () => undefined;
  const finish = (fields: Partial<RunEnd>): void => {
    const end: RunEnd = { status: "ok", reason: "done", reply: "", ...fields };
    if (script.withoutRunEnd !== true) for (const listener of listeners) listener(event({ type: "run_end", receipt: SUBMISSION, ...end }));
    settle(end);
  };
  const unused = (): never => {
    throw new Error("not part of a run without interface");
  };
  const session: RuntimeSession = {
    id: SESSION,
    path: "/nowhere/session.smith",
    status: unused,
    submit({ text }) {
      prompts.push(text);
      if (script.submitError !== undefined) return Promise.resolve(err(script.submitError));
      const settled = new Promise<RunEnd>((resolve) => {
        settle = resolve;
      });
      setImmediate(() => {
        for (const one of script.events ?? []) for (const listener of listeners) listener(one);
        if (script.runsUntilAborted !== true) finish(script.end ?? {});
        script.onRunning?.();
      });
      return Promise.resolve(ok({ submission: SUBMISSION, queued: false, settled }));
    },
    withdraw: unused,
    observe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    backlog: unused,
    abort() {
      calls.push("abort");
      finish({ status: "aborted", reason: "abort" });
      return Promise.resolve(ok([]));
    },
    receipt: unused,
    resumeWork: unused,
    navigate: unused,
    editContext: unused,
    reconcile: unused,
    unknownEffects: unused,
    attach: unused,
    changes: unused,
    answer: unused,
    answerQuestion: unused,
    callTool: () => Promise.reject(new Error("no tool is called here")),
    async runCommand(name, args) {
      calls.push(`/${name} ${args}`);
      if (script.command?.ok === false) return script.command;
      for (const one of script.commandAsks === true ? [] : (script.events ?? [])) for (const listener of listeners) listener(one);
      const asked = script.commandAsks === true ? await session.submit({ text: `${name}: ${args}` }) : undefined;
      return ok({ carriedOut: 1, ...(script.command?.value ?? {}), ...(asked?.ok === true ? { receipt: asked.value } : {}) });
    },
    setModel: unused,
    setThinking: unused,
    setMode: unused,
    rename: (name) => {
      calls.push(`rename ${name}`);
      return Promise.resolve(ok(undefined));
    },
    close: (given) => {
      calls.push(`session closed${given?.clean === true ? " clean" : ""}`);
      return Promise.resolve();
    },
  };
  return session;
}
