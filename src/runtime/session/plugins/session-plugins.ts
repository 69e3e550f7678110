import { err, type IdSource, ok, type Result } from "../../../base/index.js";
import type { Driver } from "../../../agent/index.js";
import type { UiPort } from "../../../effect/index.js";
import type { CompiledPlugin } from "../../../plugin/index.js";
import type { AttributedAction, Diagnostic, ModelRef } from "../../../schema/index.js";
import type { ModelBinding } from "../../models.js";
import type { Shared } from "../../shared.js";
import type { CommandOutcome } from "../../types.js";
import type { SessionEffects } from "../effects/index.js";
import type { SessionFile } from "../file/index.js";
import type { ScopedState } from "../scoped-state.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import { runCommand } from "./commands.js";
import type { Leases } from "./leases.js";
import { checkForRun, createLifecyclePort, type LifecyclePort } from "./lifecycle-port.js";
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

export interface SessionPluginDeps {
  readonly shared: Shared;
  readonly file: SessionFile;
  readonly leases: Leases;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly state: PluginState;
  readonly effects: SessionEffects;
}

/** The plugins of one session. */
export interface SessionPlugins {
  readonly lifecycle: LifecyclePort;
  runCommand(asked: {
    readonly name: string;
    readonly args: string;
    readonly signal: AbortSignal;
  }): Promise<Result<CommandOutcome, Diagnostic>>;
  setModel(selection: string): Result<ModelRef, Diagnostic>;
  setThinking(level: string | undefined): void;
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
    tellModel(links, { from, to: ref, by: by ?? "user" });
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
  const route: Route = (invocation) => {
    effects.route(invocation);
    return () => {
      effects.drop(invocation);
    };
  };
  const check = (batch: readonly AttributedAction[]): Diagnostic | undefined =>
    checkForRun(batch, { overlay, modelProblem: (selection) => problemOf(shared.models.resolve(selection, leases.generation())) });
  const lifecycle = createLifecyclePort({
    clock,
    ids,
    cwd,
    state: own.state,
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
      await actions.settled();
    },
  };
}
