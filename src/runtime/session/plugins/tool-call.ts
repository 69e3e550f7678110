import type { CallId, EntryId, InvocationId, JsonObject, WorkId } from "../../../base/index.js";
import { rewriteInvalid, rewriteResult, toolProposed, toolSettled } from "../../../agent/index.js";
import type { ActionType, AttributedAction, Boundary, Diagnostic, LifecycleEventType, ToolCallEntry } from "../../../schema/index.js";
import { createDispatcher, createRegistry, type DispatchOutcome, type ProposedCall } from "../../../tool/index.js";
import type { ToolCallEnd } from "../../types.js";
import type { LifecyclePort, Route } from "./lifecycle-port.js";
import type { PluginLinks, SessionPluginDeps } from "./links.js";

/** A call that no model made. */
export interface DirectCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

export interface DirectCallPorts {
  readonly own: SessionPluginDeps;
  readonly links: PluginLinks;
  readonly lifecycle: LifecyclePort;
  readonly route: Route;
}

/** What of a policy's wishes a call without a turn can carry out: verdicts, and other words for the result. */
const CARRIED_OUT: ReadonlySet<ActionType> = new Set<ActionType>([
  "allow-tool",
  "deny-tool",
  "ask-tool",
  "rewrite-tool",
  "replace-result",
  "append-result",
]);

/**
 * One tool call in a session without a model: name, arguments, access mode and policies are looked at as for a model's call. It is on
 * record as an invocation before anything of it runs, and so are its effects and what policies wanted of it. A policy that wants more than
 * a verdict is heard at a model's calls only. Never rejects for anything the call does.
 */
export async function callTool(ports: DirectCallPorts, asked: DirectCall): Promise<ToolCallEnd> {
  const { own, links, route } = ports;
  const { shared, file, leases, overlay } = own;
  const { ids, clock, cwd } = shared.deps;
  await links.driver();
  const lease = leases.share();
  const invocation = ids.next<InvocationId>();
  const end = route(invocation, "command");
  try {
    const { tools, resources } = lease.generation;
    const hasResource = (kind: string): boolean => resources.some((resource) => resource.kind === kind);
    const { names, hidden } = overlay.callable(tools, { hasProgram: shared.hasProgram, hasResource });
    const registry = createRegistry(tools, names, hidden);
    const tool = registry.get(asked.name);
    const call = entryOf(asked, invocation, { id: ids.next<EntryId>(), time: clock.now() });
    if (tool !== undefined) {
      const trigger = { type: "tool", name: asked.name, args: shared.secrets.concealJson(call.argsText) } as const;
      const entry = { type: "invocation", id: ids.next<EntryId>(), time: clock.now(), plugin: tool.plugin, trigger } as const;
      await file.commit({ entries: [{ ...entry, invocation, generation: lease.generation.number }] }).durable;
    }
    const dispatcher = createDispatcher(registry, { run: async (one) => shared.secrets.concealJson(await lease.tools.run(one)) });
    const outcome = await dispatcher.dispatch({
      ...{ call, work: call.work, cwd, signal: asked.signal, onProgress: asked.onProgress },
      mode: links.status.value.mode,
      approve: async (definition, args, facts) =>
        await links.approve({ ...call, args, argsText: JSON.stringify(args) }, definition, {
          signal: asked.signal,
          ...(facts?.why === undefined ? {} : { why: facts.why }),
        }),
      propose: (proposed) => propose(ports, { call, signal: asked.signal }, proposed),
    });
    return endOf(await settle(ports, { call, signal: asked.signal }, outcome));
  } finally {
    end();
    lease.release();
  }
}

interface Call {
  readonly call: ToolCallEntry;
  readonly signal: AbortSignal;
}

/** Undefined where no policy listens. Arguments that a policy gave and the tool does not take deny the call. */
function propose(
  { own, links, lifecycle }: DirectCallPorts,
  { call, signal }: Call,
  { tool, args, validate }: ProposedCall,
): Promise<readonly AttributedAction[]> | undefined {
  if (!lifecycle.listens("tool-proposed", tool.name)) return undefined;
  let denial: AttributedAction | undefined;
  const check = (batch: readonly AttributedAction[]): Diagnostic | undefined => {
    for (const { plugin, invocation, action } of batch) {
      const valid = action.type === "rewrite-tool" ? validate(action.args) : undefined;
      if (valid === undefined || valid.ok) continue;
      const error = rewriteInvalid(plugin, tool.name, valid.error);
      denial ??= { plugin, invocation, action: { type: "deny-tool", call: call.call, why: error.what } };
      return error;
    }
    return undefined;
  };
  const facts = { call: call.call, tool, args, cwd: own.shared.deps.cwd, mode: links.status.value.mode, interactive: own.interactive };
  const heard = lifecycle.run(toolProposed(call.work, facts), { signal, check });
  return heard.then(async (boundary) => {
    const accepted = await record(own, "tool-proposed", boundary);
    return denial === undefined ? accepted : [...accepted, denial];
  });
}

/** What handlers make of a result. */
async function settle({ own, lifecycle }: DirectCallPorts, { call, signal }: Call, outcome: DispatchOutcome): Promise<DispatchOutcome> {
  if (outcome.refused || signal.aborted || !lifecycle.listens("tool-settled", call.name)) return outcome;
  const boundary = await lifecycle.run(toolSettled(call, outcome), { signal, check: () => undefined });
  return rewriteResult(outcome, call.call, await record(own, "tool-settled", boundary));
}

/** What policies want of the call is on record before it counts. */
async function record(
  { shared, leases, file }: SessionPluginDeps,
  trigger: LifecycleEventType,
  heard: Boundary,
): Promise<readonly AttributedAction[]> {
  const { ids, clock } = shared.deps;
  const accepted = heard.accepted.filter(({ action }) => CARRIED_OUT.has(action.type));
  if (accepted.length === 0 && heard.refused.length === 0) return [];
  const facts = { id: ids.next<EntryId>(), time: clock.now(), generation: leases.generation().number };
  await file.commit({ entries: [{ type: "actions", ...facts, trigger, accepted, refused: heard.refused }] }).durable;
  return accepted;
}

/** A call as tools and policies know one. No turn has it: its work and its name are those of the invocation, which effects are asked for in. */
const entryOf = ({ name, args }: DirectCall, invocation: InvocationId, made: Pick<ToolCallEntry, "id" | "time">): ToolCallEntry => {
  const own: string = invocation;
  return {
    ...{ type: "tool-call", ...made, ordinal: 0, name, providerId: "", argsText: JSON.stringify(args), args },
    work: own as WorkId,
    call: own as CallId,
  };
};

const endOf = ({ settlement, output, omittedBytes }: DispatchOutcome): ToolCallEnd => ({
  text: output.text,
  isError: output.isError,
  omittedBytes,
  mutation: settlement.mutation,
  ...(output.summary === undefined ? {} : { summary: output.summary }),
  ...(output.details?.data === undefined ? {} : { data: output.details.data }),
  ...(settlement.images === undefined ? {} : { images: settlement.images }),
});
