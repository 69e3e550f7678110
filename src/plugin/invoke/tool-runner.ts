import { err, ok, type Result } from "../../base/index.js";
import type { ToolInvocation, ToolSettlement } from "../../tool/index.js";
import type { ImagePart, ToolOutput } from "../../schema/index.js";
import { DELIVERY } from "../engine/kinds.js";
import { SLICE_MS, TOOL_TEXT } from "../limits.js";
import { readJson, toolOutput } from "../shape/index.js";
import { EffectTrace } from "./effect-trace.js";
import { destroyAdvice, destroyWords, errorWords, readGuestError } from "./guest-words.js";
import { type Finished, runInvocation } from "./invocation.js";
import type { InvocationDeps, InvocationPlan, StopReason } from "./run.js";

/** What the host says of a tool's plugin: where it runs, what it may do, what it is told besides the arguments. */
export interface ToolPlan extends Pick<InvocationPlan, "cell" | "module" | "asker" | "states" | "emit"> {
  readonly config: object;
}

/**
 * Runs one tool call. Whatever the plugin does becomes a settlement; only a bug of the host rejects. An abort is felt within 250 ms.
 * No effect starts after the settlement; those still running then are aborted, and the ledger records how they ended.
 */
export async function runTool(deps: InvocationDeps, invocation: ToolInvocation, plan: ToolPlan): Promise<ToolSettlement> {
  const { tool, args, cwd, signal, onProgress } = invocation;
  if (signal.aborted) return settlement(stoppedOutput("aborted", invocation, new EffectTrace()), "not-applied", "aborted");
  const { config, ...where } = plan;
  const json = JSON.stringify({
    name: tool.name,
    args,
    cwd,
    now: deps.clock.now(),
    config,
    ...(tool.set === undefined ? {} : { set: tool.set }),
  });
  if (json.length > TOOL_TEXT.toGuest) return settlement(argumentsTooLarge(invocation, json.length), "not-applied", "failed");
  const { timeoutMs } = tool;
  const finished = await runInvocation(deps, {
    ...where,
    kind: DELIVERY.tool,
    json,
    sliceMs: SLICE_MS,
    timeoutMs,
    signal,
    onProgress,
  });
  return settle(invocation, finished);
}

/** A call that cannot run at all, in words for the model. */
export const refusedTool = (text: string): ToolSettlement => settlement(error(text), "not-applied", "failed");

const settlement = (output: ToolOutput, mutation: ToolSettlement["mutation"], end: ToolSettlement["end"]): ToolSettlement => ({
  output,
  mutation,
  end,
});

function settle(invocation: ToolInvocation, finished: Finished): ToolSettlement {
  const { touched } = finished.trace;
  const settled = settlementOf(invocation, finished);
  return touched.length === 0 ? settled : { ...settled, touched };
}

function settlementOf(invocation: ToolInvocation, { end, trace, images, stopped }: Finished): ToolSettlement {
  const { name, plugin } = invocation.tool;
  const { mutation } = trace;
  if (end.type === "returned") {
    const read = readJson(toolOutput, end.json, "result");
    // A tool that answered in time after it was told to stop has said more than we could.
    const handed = read.ok ? withImages(read.value, images) : read;
    if (handed.ok) return { ...handed.value, mutation, end: stopped ?? "returned" };
    const help = "Return result(...) or failure(...).";
    return settlement(error(`${name} returned something that is not a result: ${handed.error}. ${help}`), mutation, "failed");
  }
  if (stopped !== undefined) return settlement(stoppedOutput(stopped, invocation, trace), mutation, stopped);
  switch (end.type) {
    case "threw":
      return settlement(error(errorWords(readGuestError(end.json))), mutation, "failed");
    case "stalled":
      return settlement(
        error(`${name} waits for something that can never happen. This is a bug of its plugin ${plugin}.`),
        mutation,
        "failed",
      );
    case "cancelled":
      return settlement(stoppedOutput("aborted", invocation, trace), mutation, "aborted");
    case "destroyed": {
      const what = `The plugin of ${name}, ${plugin}, ${destroyWords(end.reason, end.detail)}.`;
      return settlement(
        error([what, trace.describe(), destroyAdvice(end.reason)].join("\n")),
        mutation,
        end.reason === "load" ? "failed" : "destroyed",
      );
    }
  }
}

/** The images an output names in place of their names, which mean nothing outside of the call. Each is handed on once. */
function withImages(
  { images: refs = [], ...output }: ToolOutput,
  shelf: Finished["images"],
): Result<Pick<ToolSettlement, "output" | "images">, string> {
  const images: ImagePart[] = [];
  for (const ref of new Set(refs)) {
    const image = shelf.take(ref);
    if (image === undefined) return err(`result.images names ${JSON.stringify(ref.slice(0, 80))}, which is no image this call was given`);
    images.push(image);
  }
  return ok(images.length === 0 ? { output } : { output, images });
}

const error = (text: string): ToolOutput => ({ text, isError: true });

function stoppedOutput(reason: StopReason, { tool }: ToolInvocation, trace: EffectTrace): ToolOutput {
  const head =
    reason === "aborted"
      ? `${tool.name} was aborted.`
      : `${tool.name} timed out: it had not finished after ${(tool.timeoutMs / 1_000).toLocaleString("en")} s and was stopped.`;
  return error(`${head} ${trace.describe()}`);
}

const argumentsTooLarge = ({ tool }: ToolInvocation, units: number): ToolOutput =>
  error(
    `The arguments of ${tool.name} have ${units.toLocaleString("en")} characters of JSON; ${TOOL_TEXT.toGuest.toLocaleString("en")} is the most. Nothing was done. Send the work in parts.`,
  );
