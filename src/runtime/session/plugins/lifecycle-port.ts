import type { Clock, IdSource, InvocationId } from "../../../base/index.js";
import type { DriverPorts } from "../../../agent/index.js";
import { argumentLinks } from "../../../effect/index.js";
import { createLifecycle, type Generation, type GenerationLease } from "../../../plugin/index.js";
import {
  type ActionsEntry,
  type AttributedAction,
  type Diagnostic,
  type InvocationEntry,
  isThinkingLevel,
  THINKING_LEVELS,
} from "../../../schema/index.js";
import { SECTION_LIMITS, type Overlay } from "./overlay.js";
import { modelRefused, sectionTooLarge, tooManySections, unknownLevel } from "./diagnostics.js";
import type { PluginState } from "./state-port.js";

export type LifecyclePort = DriverPorts["lifecycle"];

/** What comes of an invocation is this session's, from now until the returned function is called. */
export type Route = (invocation: InvocationId, trigger: ActionsEntry["trigger"]) => () => void;

export interface LifecyclePorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Puts references in place of secrets in what handlers want. */
  readonly conceal: <Value>(value: Value) => Value;
  readonly cwd: string;
  readonly state: Pick<PluginState, "values">;
  /** Whether a person can be asked in this run, and whether the project is trusted. */
  readonly about: () => { readonly trusted: boolean; readonly interactive: boolean };
  /** Of the round that runs, else of now. */
  readonly generation: () => Generation;
  /** The same generation, for as long as one event is told. */
  readonly lease: () => GenerationLease;
  readonly route: Route;
  /** Whether the access mode is one in which nothing may change: handlers run by themselves, so it binds them like the model. */
  readonly isReadOnly: () => boolean;
  /** Resolves when it is durable. */
  readonly commit: (entry: InvocationEntry) => Promise<void>;
  readonly adopt: (action: AttributedAction) => void;
  /** Resolves when every change of state that was adopted is stored. */
  readonly stored: () => Promise<void>;
  readonly check: (batch: readonly AttributedAction[]) => Diagnostic | undefined;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** The handlers of one session, in the generation its round works with. */
export function createLifecyclePort(ports: LifecyclePorts): LifecyclePort {
  const { clock, ids, cwd, onDiagnostic } = ports;
  const recorded = new Set<InvocationId>();
  const lifecycle = createLifecycle({
    clock,
    cwd,
    onDiagnostic,
    nextInvocation: () => ids.next<InvocationId>(),
    linksOf: async (args) => await argumentLinks(args, cwd),
    readState: async (plugin, states) => {
      await ports.stored();
      return await ports.state.values(plugin, states);
    },
    record: async ({ event, ...invocation }) => {
      await ports.commit({ type: "invocation", id: ids.next(), time: clock.now(), trigger: { type: "event", event }, ...invocation });
      recorded.add(invocation.invocation);
      const [oldest] = recorded;
      if (recorded.size > REMEMBERED && oldest !== undefined) recorded.delete(oldest);
    },
  });
  return {
    listens: (event, tool) => lifecycle.listens(ports.generation(), event, tool),
    async run(event, options) {
      const lease = ports.lease();
      try {
        const boundary = await lifecycle.run(routed(lease, ports), event, {
          ...options,
          check: (batch, earlier) => ports.check(batch) ?? options.check(batch, earlier),
        });
        return { ...boundary, accepted: ports.conceal(boundary.accepted), refused: ports.conceal(boundary.refused) };
      } finally {
        lease.release();
      }
    },
    adopt(actions) {
      for (const action of actions) ports.adopt(action);
    },
    about: () => ({ ...ports.about(), generation: ports.generation().number }),
    declared(plugin, key) {
      const found = ports.generation().plugins.find(({ compiled }) => compiled.id === plugin);
      return found?.compiled.states.find((state) => state.key === key);
    },
    isRecorded: (invocation) => recorded.has(invocation),
  };
}

/** Invocations whose record is asked about: what they want comes soon after them. */
const REMEMBERED = 1024;

/** The lease with handlers whose effects reach this session's ledger as long as they run. */
const routed = (lease: GenerationLease, { route, isReadOnly }: LifecyclePorts): GenerationLease => ({
  generation: lease.generation,
  tools: lease.tools,
  provider: (id) => lease.provider(id),
  command: async (call) => await lease.command(call),
  async handler(call) {
    const end = route(call.invocation, call.event.type);
    try {
      return await lease.handler({ ...call, readOnly: isReadOnly() });
    } finally {
      end();
    }
  },
  release: () => {
    lease.release();
  },
});

export interface RunCheckPorts {
  readonly overlay: Overlay;
  /** What is wrong with a selection of a model. */
  readonly modelProblem: (selection: string) => Diagnostic | undefined;
}

/** What only the run can tell of a batch: whether a model can be used, a level is one, a section fits. */
export function checkForRun(batch: readonly AttributedAction[], { overlay, modelProblem }: RunCheckPorts): Diagnostic | undefined {
  const added = new Set<string>();
  for (const { plugin, action } of batch) {
    if (action.type === "set-model") {
      const problem = modelProblem(action.model);
      if (problem !== undefined) return modelRefused(plugin, problem);
    }
    if (action.type === "set-thinking" && !isThinkingLevel(action.level)) return unknownLevel(plugin, action.level, THINKING_LEVELS);
    if (action.type !== "set-prompt") continue;
    const { section, text } = action;
    if (text.length > SECTION_LIMITS.units) return sectionTooLarge(plugin, section, { units: text.length, max: SECTION_LIMITS.units });
    if (text.trim() !== "") added.add(section);
    const others = overlay.sections().filter((known) => known.plugin === plugin && !added.has(known.name));
    if (others.length + added.size > SECTION_LIMITS.sections) return tooManySections(plugin, SECTION_LIMITS.sections);
  }
  return undefined;
}
