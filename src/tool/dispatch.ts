import type { JsonObject, WorkId } from "../base/index.js";
import type { AccessMode, ToolCall, ToolDefinition, ToolOutput } from "../schema/index.js";
import { type ArgumentValidator, loadArgumentValidator } from "./arguments.js";
import type { ToolRegistry } from "./registry.js";
import { boundResult, type BoundedOutput } from "./result.js";
import type { ToolRunner, ToolSettlement } from "./types.js";

/** What a dispatched call came to, bounded and ready to be recorded. `refused` calls reached no plugin. */
export interface DispatchOutcome extends BoundedOutput {
  readonly settlement: ToolSettlement;
  readonly refused: boolean;
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
  /** Asks a person; resolves false when nobody can answer. */
  readonly approve: (tool: ToolDefinition, args: JsonObject) => Promise<Approval>;
}

export type Approval = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

/**
 * Takes one call of the model to a tool: name, arguments and permission are checked before any effect; each refusal is a
 * result the model can act on. Never rejects.
 */
export function createDispatcher(registry: ToolRegistry, runner: ToolRunner): Dispatcher {
  let validator: Promise<ArgumentValidator> | undefined;
  const validate = (): Promise<ArgumentValidator> => (validator ??= loadArgumentValidator());
  return {
    async dispatch(request) {
      const { call } = request;
      const tool = registry.get(call.name);
      if (tool === undefined) return refusal(unknownTool(call.name, registry));
      const args = call.args;
      if (args === undefined) return refusal(invalidJson(call));
      const checked = (await validate())(tool, args);
      if (!checked.ok) return refusal(invalidArguments(tool, checked.error));
      const approval = await permit(request, tool, args);
      if (!approval.allowed) return refusal(`Not run: ${approval.why}`);
      if (request.signal.aborted) return refusal("Not run: the turn was aborted before this call started.", "aborted");
      const { work, cwd, signal, onProgress } = request;
      const settlement = await runner.run({ call: call.call, work, tool, args, cwd, signal, onProgress });
      return { settlement, refused: false, ...boundResult(settlement.output) };
    },
  };
}

async function permit(request: DispatchRequest, tool: ToolDefinition, args: JsonObject): Promise<Approval> {
  if (tool.readOnly || request.mode === "auto") return { allowed: true };
  if (request.mode === "ask-writes") return await request.approve(tool, args);
  return {
    allowed: false,
    why: `${tool.name} changes things and the access mode is ${request.mode}. Describe the change instead, or ask the user to allow it with --mode auto.`,
  };
}

function refusal(text: string, end: ToolSettlement["end"] = "failed"): DispatchOutcome {
  const output: ToolOutput = { text, isError: true };
  return { settlement: { output, mutation: "not-applied", end }, refused: true, output, omittedBytes: 0 };
}

function unknownTool(name: string, registry: ToolRegistry): string {
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
