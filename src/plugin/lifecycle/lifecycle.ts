import type { InvocationId } from "../../base/index.js";
import type { Action, AttributedAction, Boundary, Diagnostic, LifecycleEvent } from "../../schema/index.js";
import type { ActionCheck, Generation, GenerationLease, HandlerContribution, Lifecycle, LifecycleDeps, LifecycleRun } from "../types.js";
import { admitBatch, type Occasion } from "./admit.js";
import { handlersOf, listens } from "./handlers.js";
import { type Batch, mergeBatches } from "./merge.js";

const NOTHING: Boundary = { accepted: [], refused: [] };

/**
 * Handlers run one after the other in the generation's order, all on the same frozen event, each under the deadline its lease
 * keeps. When the run is aborted nothing is wanted. A refused batch is told to `onDiagnostic` and stands in the boundary.
 */
export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  return {
    listens,
    async run(lease, event, options) {
      const handlers = handlersOf(lease.generation, event, options.only);
      if (handlers.length === 0) return NOTHING;
      const asked = await askAll(deps, { lease, event, handlers, options });
      const boundary = await judgeRewritten(deps, { lease, event, handlers, options }, asked);
      if (options.signal.aborted) return NOTHING;
      for (const { error } of boundary.refused) deps.onDiagnostic(error);
      return boundary;
    },
  };
}

/** The boundary of a command's actions, by the same rules. */
export function judgeCommand(
  command: {
    readonly generation: Generation;
    readonly plugin: string;
    readonly invocation: InvocationId;
    readonly actions: readonly Action[];
  },
  check: ActionCheck,
): Boundary {
  const { generation, plugin, invocation, actions } = command;
  return mergeBatches([{ plugin, invocation, wanted: { ok: true, value: actions } }], {
    admit: (id, batch) => admitBatch({ generation }, id, batch),
    check,
    instead: () => [],
  });
}

/** Why a batch would be refused whatever other plugins want, and whatever the branch is like; undefined when it would not. */
export function judgeAlone(
  occasion: Occasion,
  { plugin, invocation, actions }: { readonly plugin: string; readonly invocation: InvocationId; readonly actions: readonly Action[] },
): Diagnostic | undefined {
  const { refused } = mergeBatches([{ plugin, invocation, wanted: { ok: true, value: actions } }], {
    admit: (id, batch) => admitBatch(occasion, id, batch),
    check: () => undefined,
    instead: () => [],
  });
  return refused[0]?.error;
}

interface Round {
  readonly lease: GenerationLease;
  readonly event: LifecycleEvent;
  readonly handlers: readonly HandlerContribution[];
  readonly options: LifecycleRun;
}

interface Asked {
  readonly handler: HandlerContribution;
  readonly batch: Batch;
}

async function askAll(deps: LifecycleDeps, { lease, event, handlers, options }: Round): Promise<readonly Asked[]> {
  const snapshot = deepFreeze(structuredClone(await withLinks(deps, event)));
  const asked: Asked[] = [];
  for (const handler of handlers) {
    if (options.signal.aborted) break;
    asked.push({ handler, batch: await ask(deps, { lease, event: snapshot, handlers: [handler], options }, handler) });
  }
  return asked;
}

/** Of the arguments as they are now, so that a rewritten call is judged by where it leads, too. */
async function withLinks({ linksOf }: LifecycleDeps, event: LifecycleEvent): Promise<LifecycleEvent> {
  if (event.type !== "tool-proposed" || linksOf === undefined) return event;
  const { links: _of, ...bare } = event;
  const links = await linksOf(event.args);
  return links.length === 0 ? bare : { ...bare, links };
}

async function ask(deps: LifecycleDeps, { lease, event, options }: Round, handler: HandlerContribution): Promise<Batch> {
  const { plugin } = handler;
  const invocation = deps.nextInvocation();
  const states = lease.generation.plugins.find(({ compiled }) => compiled.id === plugin)?.compiled.states ?? [];
  const wanted = states.filter(({ key }) => handler.state.includes(key));
  const work = options.work === undefined ? {} : { work: options.work };
  let recorded: Promise<void> | undefined;
  const result = await lease.handler({
    invocation,
    plugin,
    handler,
    event,
    state: wanted.length === 0 ? {} : await deps.readState(plugin, wanted),
    cwd: deps.cwd,
    signal: options.signal,
    record: () => (recorded ??= deps.record({ invocation, plugin, generation: lease.generation.number, event: event.type, ...work })),
    ...work,
  });
  return { plugin, invocation, wanted: result };
}

function merge({ lease: { generation }, event, options }: Round, asked: readonly Asked[]): Boundary {
  const occasion: Occasion = { generation, event };
  const required = new Map(asked.map(({ handler, batch }) => [batch.invocation, handler.required]));
  return mergeBatches(
    asked.map(({ batch }) => batch),
    {
      admit: (plugin, actions) => admitBatch(occasion, plugin, actions),
      check: options.check,
      instead: ({ plugin, invocation, error }) =>
        event.type === "tool-proposed" && required.get(invocation) === true ? [denial(plugin, event, error)] : [],
    },
  );
}

type Proposed = Extract<LifecycleEvent, { type: "tool-proposed" }>;

/** The model can do something about arguments that are too large, and about nothing else. */
const denial = (plugin: string, { call, tool }: Proposed, { code, why }: Diagnostic): Action => ({
  type: "deny-tool",
  call,
  why: `The policy ${plugin} has to agree to ${tool} and could not answer. Nothing was run.${
    code === "plugin.input-size" ? ` The arguments are too large for it. ${why} Do it in several smaller calls.` : ""
  }`,
});

/**
 * Who said something of a call said it of the arguments they saw. When a handler changes them, all others are told of the call
 * again as it is now, and what they say then takes the place of what they said: no arguments run that a policy has not seen.
 * Once only: the arguments are then given, and who wants others is refused as in any conflict.
 */
async function judgeRewritten(deps: LifecycleDeps, round: Round, asked: readonly Asked[]): Promise<Boundary> {
  const boundary = merge(round, asked);
  const { event, options } = round;
  const rewrite = boundary.accepted.find(isRewrite);
  if (event.type !== "tool-proposed" || rewrite === undefined || asked.length === 1) return boundary;
  if (options.signal.aborted || boundary.accepted.some(({ action }) => action.type === "deny-tool")) return boundary;
  const others = asked.filter(({ batch }) => batch.invocation !== rewrite.invocation).map(({ handler }) => handler);
  const again = await askAll(deps, { ...round, event: { ...event, args: rewrite.action.args }, handlers: others });
  const rewriter = asked.filter(({ batch }) => batch.invocation === rewrite.invocation);
  return merge(round, [...rewriter, ...again]);
}

type Rewrite = Extract<Action, { type: "rewrite-tool" }>;

const isRewrite = (accepted: AttributedAction): accepted is AttributedAction & { readonly action: Rewrite } =>
  accepted.action.type === "rewrite-tool";

/** Freezes data in place, its parts included. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
