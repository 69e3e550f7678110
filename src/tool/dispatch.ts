import type { JsonObject, Result, WorkId } from "../base/index.js";
import type { AccessMode, AttributedAction, ToolCall, ToolDefinition, ToolOutput } from "../schema/index.js";
import { type ArgumentValidator, loadArgumentValidator } from "./arguments.js";
import { type Asked, ruleOn, type Ruling } from "./permission.js";
import type { ToolRegistry } from "./registry.js";
import { boundResult, type BoundedOutput } from "./result.js";
import type { ToolRunner, ToolSettlement } from "./types.js";

/** What a dispatched call came to, bounded and ready to be recorded. `refused` calls reached no plugin. */
export interface DispatchOutcome extends BoundedOutput {
  readonly settlement: ToolSettlement;
  readonly refused: boolean;
  /** What it ran with; absent when it did not. */
  readonly args?: JsonObject;
}

export interface Dispatcher {
  dispatch(request: DispatchRequest): Promise<DispatchOutcome>;
}

export interface DispatchRequest {
  readonly call: ToolCall;
  readonly work: WorkId;
  readonly cwd: string;
  readonly mode: AccessMode;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Asks a person; resolves false when nobody can answer. `asked` is why a policy wants it. */
  readonly approve: (tool: ToolDefinition, args: JsonObject, asked?: Asked) => Promise<Approval>;
  /**
   * Hears policies, before anybody is asked and before any effect; absent, or undefined, when there are none. What they want is on
   * record when it resolves.
   */
  readonly propose?: (proposed: ProposedCall) => Promise<readonly AttributedAction[]> | undefined;
}

/** A call with valid arguments of a tool that the access mode allows. */
export interface ProposedCall {
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
  /** Whether other arguments would be valid; problems in words. */
  readonly validate: (args: JsonObject) => Result<void, readonly string[]>;
}

/** `verdict` is what a person said; absent when nobody did. */
export type Approval = { readonly verdict?: "once" | "session" | "project" | "deny" } & (
  { readonly allowed: true } | { readonly allowed: false; readonly why: string }
);

/**
 * Takes one call of the model to a tool: name, arguments and permission are checked before any effect; each refusal is a
 * result the model can act on. Never rejects.
 */
export function createDispatcher(registry: ToolRegistry, runner: ToolRunner): Dispatcher {
  let loading: Promise<ArgumentValidator> | undefined;
  const validate = (): Promise<ArgumentValidator> => (loading ??= loadArgumentValidator());
  return {
    async dispatch(request) {
      const { call } = request;
      const tool = registry.get(call.name);
      if (tool === undefined) return refusal(unknownTool(call.name, registry));
      const args = call.args;
      if (args === undefined) return refusal(invalidJson(call));
      const validator = await validate();
      const checked = validator(tool, args);
      if (!checked.ok) return refusal(invalidArguments(tool, checked.error));
      const forbidden = forbiddenBy(request.mode, tool);
      if (forbidden !== undefined) return refusal(`Not run: ${forbidden}`);
      const ruling = await rule(request, { tool, args, validate: (other) => validator(tool, other) });
      if (request.signal.aborted) return refusal(ABORTED, "aborted");
      const ruled = ruling.args ?? args;
      const approval = await permit(request, { tool, args: ruled, ruling });
      if (!approval.allowed) return refusal(`Not run: ${approval.why}`);
      if (request.signal.aborted) return refusal(ABORTED, "aborted");
      const { work, cwd, signal, onProgress } = request;
      const settlement = await runner.run({ call: call.call, work, tool, args: ruled, cwd, signal, onProgress });
      return { settlement, refused: false, args: ruled, ...boundResult(settlement.output) };
    },
  };
}

const ABORTED = "Not run: the turn was aborted before this call started.";

async function rule(request: DispatchRequest, proposed: ProposedCall): Promise<Ruling> {
  const hearing = request.propose?.(proposed);
  return hearing === undefined ? { verdict: "none" } : ruleOn(await hearing, request.call.call);
}

/** What no policy can allow. */
function forbiddenBy(mode: AccessMode, tool: ToolDefinition): string | undefined {
  if (tool.readOnly || mode === "auto" || mode === "ask-writes") return undefined;
  return `${tool.name} changes things and the access mode is ${mode}. Describe the change instead, or ask the user to allow it with --mode auto.`;
}

/** The ruling, and where there is none the access mode. */
async function permit(
  request: DispatchRequest,
  { tool, args, ruling }: { readonly tool: ToolDefinition; readonly args: JsonObject; readonly ruling: Ruling },
): Promise<Approval> {
  switch (ruling.verdict) {
    case "deny":
      return { allowed: false, why: `${ruling.why} (decided by ${ruling.plugin})` };
    case "ask":
      return await request.approve(tool, args, ruling.asked);
    case "allow":
      return { allowed: true };
    case "none":
      return tool.readOnly || request.mode === "auto" ? { allowed: true } : await request.approve(tool, args);
  }
}

function refusal(text: string, end: ToolSettlement["end"] = "failed"): DispatchOutcome {
  const output: ToolOutput = { text, isError: true };
  return { settlement: { output, mutation: "not-applied", end }, refused: true, output, omittedBytes: 0 };
}

function unknownTool(name: string, registry: ToolRegistry): string {
  const whyNot = registry.whyNot(name);
  if (whyNot !== undefined) return `The tool ${name} is not offered now. ${whyNot}`;
  const near = registry.nearest(name);
  const names = registry.active.map((tool) => tool.name).join(", ");
  const offer = names === "" ? "No tool is available in this run." : `Available tools: ${names}.`;
  return `Unknown tool ${JSON.stringify(name)}.${near === undefined ? "" : ` Did you mean ${near}?`} ${offer}`;
}

/** JSON.parse's own words name the place; the text itself is quoted so that the model sees what arrived. */
function invalidJson(call: ToolCall): string {
  const shown = call.argsText.length > 300 ? `${call.argsText.slice(0, 300)}…` : call.argsText;
  return `The arguments of ${call.name} are not a JSON object (${parseProblem(call.argsText)}), so it was not run. Received: ${shown}\nSend the call again with one complete JSON object.`;
}

function parseProblem(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return `it is ${Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : "it does not parse";
  }
}

function invalidArguments(tool: ToolDefinition, problems: readonly string[]): string {
  const required = Array.isArray(tool.parameters["required"]) ? ` Required: ${tool.parameters["required"].join(", ")}.` : "";
  return `Invalid arguments for ${tool.name}, so it was not run: ${problems.join("; ")}.${required}`;
}
