import { err, ok, type Result, type SubmissionId } from "../../../base/index.js";
import type { Driver } from "../../../agent/index.js";
import type { UiPort } from "../../../effect/index.js";
import { type CompiledPlugin, judgeCommand, type Speaker } from "../../../plugin/index.js";
import type { ActionsEntry, AttributedAction, Diagnostic, ModelRef, StatusItem } from "../../../schema/index.js";
import type { ModelBinding } from "../../models.js";
import type { Shared } from "../../shared.js";
import type { Notice, SessionEffects } from "../effects/index.js";
import type { SessionFile } from "../file/index.js";
import type { ScopedState } from "../scoped-state.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import { type RanCommand, runCommand } from "./commands.js";
import { compiledIn, type Leases } from "./leases.js";
import { checkForRun, createLifecyclePort, type LifecyclePort, type Route } from "./lifecycle-port.js";
import { createNotices } from "./notices.js";
import type { Overlay } from "./overlay.js";
import { createRunActions } from "./run-actions.js";
import type { PluginState } from "./state-port.js";

/** What the session has for its plugins once it is there. */
export interface PluginLinks {
  readonly status: StatusBoard;
  readonly narrator: Narrator;
  readonly ui: UiPort;
  /** A new set of declarations over the session's state. */
  readonly scoped: () => ScopedState;
  /** The driver, started if need be; makes the session's file. */
  readonly driver: () => Promise<Driver>;
  /** The driver that runs, if any. */
  readonly running: () => Driver | undefined;
}

/** What of the runtime its plugins need in a session. */
export type PluginShared = Pick<Shared, "config" | "models" | "closing" | "isTrusted" | "dataDir"> & {
  readonly host: Pick<Shared["host"], "generation">;
  readonly deps: Pick<Shared["deps"], "clock" | "ids" | "cwd" | "onDiagnostic">;
};

export interface SessionPluginDeps {
  readonly shared: PluginShared;
  readonly file: SessionFile;
  readonly leases: Leases;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly state: PluginState;
  readonly effects: SessionEffects;
  readonly interactive: boolean;
}

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
  setModel(selection: string): Result<ModelRef, Diagnostic>;
  setThinking(level: string | undefined): void;
  /** A plugin says something while it runs. */
  notify(notice: Notice, speaker: Speaker, trigger: ActionsEntry["trigger"]): void;
  showStatus(item: StatusItem): void;
  /** Another generation is current. */
  generationChanged(changed: readonly string[]): void;
  /** What was accepted and is still being stored. */
  settled(): Promise<void>;
}

export function createSessionPlugins(own: SessionPluginDeps, links: PluginLinks): SessionPlugins {
  const { shared, file, leases, overlay, model, effects } = own;
  const { clock, ids, cwd, onDiagnostic } = shared.deps;
  const { status, narrator } = links;
  const compiled = (id: string): CompiledPlugin | undefined => compiledIn(leases, id);
  const select = (selection: string, by?: string): Result<ModelRef, Diagnostic> => {
    const from = status.value.model;
    const chosen = model.select(selection, leases.generation());
    if (!chosen.ok) return chosen;
    const { ref, source } = chosen.value;
    status.update({ model: ref, modelSource: source });
    narrator.emit({ type: "model", model: ref, ...(by === undefined ? {} : { by }) });
    links.running()?.tell({ type: "model-changed", from, to: ref, by: by ?? "user" });
    return ok(ref);
  };
  const actions = createRunActions({
    overlay,
    status,
    narrator,
    selectModel: (selection, by) => {
      const chosen = select(selection, by);
      if (!chosen.ok) narrator.emit({ type: "error", diagnostic: chosen.error });
    },
    setConfig: (plugin, { option, value }) => {
      shared.config.set(plugin, option, value);
    },
    plugin: compiled,
    generation: () => leases.generation().number,
    cwd,
    dataDir: shared.dataDir,
    gateway: effects.gateway,
    signal: shared.closing,
  });
  const notices = createNotices({
    clock,
    ids,
    file,
    begin: links.driver,
    narrator,
    generation: () => leases.generation().number,
  });
  const route: Route = (invocation, trigger) => {
    effects.route(invocation, trigger);
    return () => {
      effects.drop(invocation);
    };
  };
  const check = (batch: readonly AttributedAction[]): Diagnostic | undefined =>
    checkForRun(batch, { overlay, modelProblem: (selection) => problemWith(shared.models.resolve(selection, leases.generation())) });
  const lifecycle = createLifecyclePort({
    clock,
    ids,
    cwd,
    state: own.state,
    about: () => ({ trusted: shared.isTrusted(), interactive: own.interactive }),
    generation: () => leases.generation(),
    lease: () => leases.share(),
    route,
    commit: async (entry) => await file.commit({ entries: [entry] }).durable,
    adopt: (action) => {
      actions.adopt(action);
    },
    check,
    onDiagnostic,
  });
  return {
    lifecycle,
    async runCommand(asked) {
      const ran = await runCommand(
        {
          ids,
          cwd,
          now: () => clock.now(),
          lease: () => leases.share(),
          route,
          commit: async (entry) => {
            await links.driver();
            await file.commit({ entries: [entry] }).durable;
          },
        },
        asked,
      );
      if (!ran.ok) return ran;
      try {
        return await carryOut(ran.value, links, check);
      } finally {
        ran.value.lease.release();
      }
    },
    setModel: (selection) => select(selection),
    setThinking(level) {
      overlay.setThinking(level);
      if (level === undefined) status.clear("thinking");
      else status.update({ thinking: level });
    },
    notify: notices.say,
    showStatus(item) {
      if (status.setItem(item)) narrator.emit({ type: "status", item });
    },
    generationChanged(changed) {
      const { generation } = shared.host;
      const present = new Set(generation.plugins.map((plugin) => plugin.compiled.id));
      for (const item of status.value.statusItems) {
        if (present.has(item.plugin)) continue;
        const gone = { ...item, text: "" };
        if (status.setItem(gone)) narrator.emit({ type: "status", item: gone });
      }
      narrator.emit({ type: "generation", number: generation.number, changed });
    },
    settled: async () => {
      await Promise.all([actions.settled(), notices.settled()]);
    },
  };
}

const problemWith = (found: Result<unknown, Diagnostic>): Diagnostic | undefined => (found.ok ? undefined : found.error);

/** The batch is judged as that of a handler is, and carried out whole or not at all. */
async function carryOut(
  { lease, invocation: entry, isRecorded, actions }: RanCommand,
  links: PluginLinks,
  check: (batch: readonly AttributedAction[]) => Diagnostic | undefined,
): Promise<Result<CommandEnd, Diagnostic>> {
  if (actions.length === 0) return ok({ carriedOut: 0 });
  const { plugin, invocation, generation, trigger } = entry;
  const { accepted, refused } = judgeCommand({ generation: lease.generation, plugin, invocation, actions }, check);
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
