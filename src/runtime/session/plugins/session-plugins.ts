import { err, ok, type Result, type SubmissionId } from "../../../base/index.js";
import { judgeCommand, type Speaker } from "../../../plugin/index.js";
import type {
  ActionsEntry,
  AttributedAction,
  Diagnostic,
  InvocationEntry,
  ModelRef,
  StatusItem,
  ThinkingLevel,
} from "../../../schema/index.js";
import type { ModelChoice } from "../../models/index.js";
import type { ToolCallEnd } from "../../types.js";
import type { Notice } from "../effects/index.js";
import { type RanCommand, runCommand } from "./commands.js";
import { compiledIn } from "./leases.js";
import { checkForRun, createLifecyclePort, type LifecyclePort, type Route } from "./lifecycle-port.js";
import type { PluginLinks, SessionPluginDeps } from "./links.js";
import { createNotices } from "./notices.js";
import { createRunActions, type RunActions } from "./run-actions.js";
import { callTool, type DirectCall } from "./tool-call.js";

/** What a command came to: how much was carried out, and the input it enqueued. */
export interface CommandEnd {
  readonly carriedOut: number;
  readonly submission?: SubmissionId;
}

/** The plugins of one session. */
export interface SessionPlugins {
  readonly lifecycle: LifecyclePort;
  runCommand(asked: {
    readonly name: string;
    readonly args: string;
    readonly signal: AbortSignal;
  }): Promise<Result<CommandEnd, Diagnostic>>;
  callTool(call: DirectCall): Promise<ToolCallEnd>;
  /** Resolves when the choice is on record, where the session has begun. */
  setModel(selection: string): Promise<Result<ModelRef, Diagnostic>>;
  setThinking(level: ThinkingLevel | undefined): Promise<Result<ThinkingLevel | undefined, Diagnostic>>;
  /** A plugin says something while it runs. */
  notify(notice: Notice, speaker: Speaker, trigger: ActionsEntry["trigger"]): void;
  showStatus(item: StatusItem): void;
  /** Another generation is current. */
  generationChanged(changed: readonly string[]): void;
  /** What was accepted and is still being stored. */
  settled(): Promise<void>;
}

export function createSessionPlugins(own: SessionPluginDeps, links: PluginLinks): SessionPlugins {
  const { shared, file, leases } = own;
  const { status, narrator } = links;
  const chooser = createChooser(own, links);
  const actions = createActions(own, links, chooser);
  const notices = createNotices({ ...shared.deps, file, begin: links.driver, narrator, generation: () => leases.generation().number });
  const route = routeTo(own);
  const check = checkOf(own);
  const { concealJson } = shared.secrets;
  const lifecycle = createLifecyclePort({
    conceal: concealJson,
    ...shared.deps,
    state: own.state,
    about: () => ({ trusted: shared.isTrusted(), interactive: own.interactive }),
    generation: () => leases.generation(),
    lease: () => leases.share(),
    route,
    isReadOnly: () => status.value.mode === "read-only" || status.value.mode === "plan",
    commit: async (entry) => await file.commit({ entries: [entry] }).durable,
    adopt: (action) => {
      actions.adopt(action);
    },
    stored: async () => await actions.settled(),
    check,
  });
  return {
    lifecycle,
    callTool: async (call) => await callTool({ own, links, lifecycle, route }, call),
    runCommand: async (asked) => await runAndCarryOut({ own, links, route, check }, asked),
    async setModel(selection) {
      const chosen = chooser.select(selection);
      await own.memory.settled();
      return chosen;
    },
    async setThinking(level) {
      const chosen = chooser.think(level);
      await own.memory.settled();
      return chosen;
    },
    notify: (notice, speaker, trigger) => {
      notices.say(concealJson(notice), speaker, trigger);
    },
    showStatus(given) {
      const item = concealJson(given);
      if (status.setItem(item)) narrator.emit({ type: "status", item });
    },
    generationChanged(changed) {
      const { generation } = shared.host;
      removeItems(links, new Set(generation.plugins.map((plugin) => plugin.compiled.id)));
      narrator.emit({ type: "generation", number: generation.number, changed });
    },
    settled: async () => {
      await Promise.all([actions.settled(), notices.settled(), own.memory.settled()]);
    },
  };
}

/** Another model or level from the next request on. */
interface Chooser {
  /** `by` is the plugin that wants it; absent: a person. */
  select(selection: string, by?: string): Result<ModelRef, Diagnostic>;
  think(level: ThinkingLevel | undefined): Result<ThinkingLevel | undefined, Diagnostic>;
}

function createChooser({ model, memory, leases }: SessionPluginDeps, { status, narrator, running, scoped }: PluginLinks): Chooser {
  const keep = (choice: ModelChoice): void => {
    memory.keep(choice, { scoped, tell: (problem) => narrator.emit({ type: "error", diagnostic: problem }) });
  };
  return {
    select(selection, by) {
      const from = status.value.model;
      const chosen = model.select(selection, leases.generation());
      if (!chosen.ok) return chosen;
      status.dispatched(chosen.value);
      const { ref } = chosen.value;
      narrator.emit({ type: "model", model: ref, ...(by === undefined ? {} : { by }) });
      keep({ model: selection });
      running()?.tell({ type: "model-changed", from, to: ref, by: by ?? "user" });
      return ok(ref);
    },
    think(level) {
      const chosen = model.think(level, leases.generation());
      if (!chosen.ok) return chosen;
      status.dispatched(chosen.value);
      keep({ thinking: level ?? null });
      return ok(chosen.value.thinking);
    },
  };
}

function createActions(
  { shared, leases, overlay, effects }: SessionPluginDeps,
  { status, narrator }: PluginLinks,
  chooser: Chooser,
): RunActions {
  return createRunActions({
    overlay,
    status,
    narrator,
    selectModel: (selection, by) => {
      const chosen = chooser.select(selection, by);
      if (!chosen.ok) narrator.emit({ type: "error", diagnostic: chosen.error });
    },
    think: (level) => {
      const chosen = chooser.think(level);
      if (!chosen.ok) narrator.emit({ type: "error", diagnostic: chosen.error });
    },
    setConfig: (plugin, { option, value }) => {
      shared.config.set(plugin, option, value);
    },
    plugin: (id) => compiledIn(leases, id),
    generation: () => leases.generation().number,
    cwd: shared.deps.cwd,
    dataDir: shared.dataDir,
    gateway: effects.gateway,
    signal: shared.closing,
  });
}

const routeTo =
  ({ effects }: SessionPluginDeps): Route =>
  (invocation, trigger) => {
    effects.route(invocation, trigger);
    return () => {
      effects.drop(invocation);
    };
  };

type Check = (batch: readonly AttributedAction[]) => Diagnostic | undefined;

const checkOf =
  ({ shared, leases, overlay }: SessionPluginDeps): Check =>
  (batch) =>
    checkForRun(batch, {
      overlay,
      modelProblem: (selection) => problemWith(shared.models.route({ selection, thinking: undefined }, leases.generation())),
    });

/** Items of plugins that are not there any more. */
function removeItems({ status, narrator }: PluginLinks, present: ReadonlySet<string>): void {
  for (const item of status.value.statusItems) {
    if (present.has(item.plugin)) continue;
    const gone = { ...item, text: "" };
    if (status.setItem(gone)) narrator.emit({ type: "status", item: gone });
  }
}

interface CommandSide {
  readonly own: SessionPluginDeps;
  readonly links: PluginLinks;
  readonly route: Route;
  readonly check: Check;
}

async function runAndCarryOut(
  { own: { shared, file, leases }, links, route, check }: CommandSide,
  asked: Parameters<SessionPlugins["runCommand"]>[0],
): Promise<Result<CommandEnd, Diagnostic>> {
  const { ids, cwd, clock } = shared.deps;
  const commit = async (entry: InvocationEntry): Promise<void> => {
    await links.driver();
    await file.commit({ entries: [entry] }).durable;
  };
  const ran = await runCommand({ ids, cwd, now: () => clock.now(), lease: () => leases.share(), route, commit }, asked);
  if (!ran.ok) return ran;
  try {
    return await carryOut({ ...ran.value, actions: shared.secrets.concealJson(ran.value.actions) }, links, check);
  } finally {
    ran.value.lease.release();
  }
}

const problemWith = (found: Result<unknown, Diagnostic>): Diagnostic | undefined => (found.ok ? undefined : found.error);

/** The batch is judged as that of a handler is, and carried out whole or not at all. */
async function carryOut(
  { lease, invocation: entry, isRecorded, actions }: RanCommand,
  links: PluginLinks,
  check: Check,
): Promise<Result<CommandEnd, Diagnostic>> {
  if (actions.length === 0) return ok({ carriedOut: 0 });
  const { plugin, invocation, generation, trigger } = entry;
  const { accepted, refused } = await judgeCommand({ generation: lease.generation, plugin, invocation, actions }, check);
  const [refusal] = refused;
  if (refusal !== undefined) return err(refusal.error);
  const driver = await links.driver();
  const command = isRecorded || trigger.type !== "command" ? undefined : { name: trigger.name, args: trigger.args, generation };
  const published = await driver.runActions(accepted, "command", command);
  if (!published.ok) return published;
  const { carriedOut, submissions } = published.value;
  const [submission] = submissions;
  return ok({ carriedOut, ...(submission === undefined ? {} : { submission }) });
}
