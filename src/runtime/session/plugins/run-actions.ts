import type { EffectContext, EffectGateway } from "../../../effect/index.js";
import type { CompiledPlugin } from "../../../plugin/index.js";
import {
  type Action,
  type AttributedAction,
  type Diagnostic,
  isThinkingLevel,
  STATUS_LIMITS,
  type ThinkingLevel,
} from "../../../schema/index.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import { stateNotKept } from "./diagnostics.js";
import type { Overlay } from "./overlay.js";

export interface RunActionPorts {
  readonly overlay: Overlay;
  readonly status: StatusBoard;
  readonly narrator: Narrator;
  /** Whoever wants it was heard before: a selection that cannot be used any more changes nothing. */
  readonly selectModel: (selection: string, by: string) => void;
  /** Another level; one that is none was refused before. */
  readonly think: (level: ThinkingLevel) => void;
  readonly setConfig: (plugin: string, action: Extract<Action, { readonly type: "set-config" }>) => void;
  readonly plugin: (id: string) => CompiledPlugin | undefined;
  readonly generation: () => number;
  readonly cwd: string;
  readonly dataDir: (plugin: string) => string;
  readonly gateway: () => EffectGateway;
  /** Aborted when the session is closed for good. */
  readonly signal: AbortSignal;
}

/** Carries out what plugins wanted and what is no entry of the session. */
export interface RunActions {
  adopt(action: AttributedAction): void;
  /** Resolves when every change of state that was accepted is stored, or told not to be. */
  settled(): Promise<void>;
}

export function createRunActions(ports: RunActionPorts): RunActions {
  const { overlay, status, narrator } = ports;
  let storing: Promise<void> = Promise.resolve();
  return {
    adopt(attributed) {
      const { plugin, action } = attributed;
      switch (action.type) {
        case "set-model":
          ports.selectModel(action.model, plugin);
          break;
        case "set-thinking":
          if (isThinkingLevel(action.level)) ports.think(action.level);
          break;
        case "set-tools":
          overlay.setTools(action);
          break;
        case "set-prompt":
          overlay.setPrompt(plugin, action);
          break;
        case "set-config":
          ports.setConfig(plugin, action);
          break;
        case "set-status":
          showItem(plugin, action, { status, narrator });
          break;
        case "set-state":
          // One after the other, as they were accepted. Values of the session and its branches are entries.
          if (action.scope === "project" || action.scope === "user")
            storing = storing.then(async () => await store(ports, attributed, action));
          break;
        // Entries of the session and rulings on calls are the agent's; what is said is told from its record.
        case "add-message":
        case "transform-context":
        case "edit-context":
        case "allow-tool":
        case "ask-tool":
        case "deny-tool":
        case "rewrite-tool":
        case "replace-result":
        case "append-result":
        case "enqueue":
        case "withdraw":
        case "deliver":
        case "compact":
        case "keep-context":
        case "notify":
        case "stop-turn":
          break;
      }
    },
    settled: async () => await storing,
  };
}

function showItem(
  plugin: string,
  { key, text, role }: Extract<Action, { readonly type: "set-status" }>,
  { status, narrator }: Pick<RunActionPorts, "status" | "narrator">,
): void {
  const item = { plugin, key, text: shortLine(text), ...(role === undefined ? {} : { role }) };
  if (status.setItem(item)) narrator.emit({ type: "status", item });
}

/** One line within the bound, without anything a terminal could take for a command. */
const shortLine = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line.length <= STATUS_LIMITS.units ? line : `${line.slice(0, STATUS_LIMITS.units - 1)}…`;
};

/** Through the ledger like every other effect, with the handler or command as its cause. Never rejects. */
async function store(
  ports: RunActionPorts,
  { plugin, invocation }: AttributedAction,
  { key, scope, value }: Extract<Action, { readonly type: "set-state" }>,
): Promise<void> {
  const compiled = ports.plugin(plugin);
  if (compiled === undefined) return;
  const context: EffectContext = {
    plugin,
    generation: ports.generation(),
    cause: invocation,
    grants: compiled.grants,
    dataDir: ports.dataDir(plugin),
    resources: [],
    cwd: ports.cwd,
    signal: ports.signal,
  };
  const failure = await outcomeOf(async () =>
    value === null
      ? (await ports.gateway().call("state.delete", { key, scope }, context)).result
      : (await ports.gateway().call("state.put", { key, scope, value }, context)).result,
  );
  if (failure !== undefined) ports.narrator.emit({ type: "error", diagnostic: stateNotKept(plugin, key, failure) });
}

async function outcomeOf(
  change: () => Promise<{ readonly ok: true } | { readonly ok: false; readonly error: Diagnostic }>,
): Promise<Diagnostic | undefined> {
  const done = await change();
  return done.ok ? undefined : done.error;
}
