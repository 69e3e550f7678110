import { err, ok, type Result } from "../../base/index.js";
import type { Action, Diagnostic } from "../../schema/index.js";
import { DELIVERY } from "../engine/kinds.js";
import { HANDLER_SLICE_MS, SLICE_MS, TOOL_TEXT } from "../limits.js";
import { actions, type GuestError, oversized, readJson } from "../shape/index.js";
import type { CommandCall, HandlerCall, Invocation } from "../types.js";
import {
  badActions,
  batchTooLarge,
  inputTooLarge,
  invocationAborted,
  invocationDestroyed,
  invocationFailed,
  invocationRefused,
  invocationStalled,
  invocationTimedOut,
  type Ran,
} from "./diagnostics.js";
import { destroyAdvice, destroyWords, errorWords, readGuestError } from "./guest-words.js";
import { type Finished, runInvocation } from "./invocation.js";
import type { InvocationDeps, InvocationPlan } from "./run.js";

/** What the host says of the plugin: where it runs, what it may do, what it is told besides its input. */
export interface ActionPlan extends Pick<InvocationPlan, "cell" | "module" | "asker" | "states" | "emit" | "onProgress"> {
  readonly config: object;
}

type Outcome = Result<readonly Action[], Diagnostic>;

/** What a command or a handler is, beside the plan it has in common with others. */
interface Shape {
  readonly kind: typeof DELIVERY.command | typeof DELIVERY.handler;
  readonly sliceMs: number;
  readonly timeoutMs: number;
  readonly input: object;
}

export const commandName = ({ plugin, command }: CommandCall): Ran => ({ plugin, words: `The command ${command.name}` });
export const handlerName = ({ plugin, handler }: HandlerCall): Ran => ({ plugin, words: `The handler of ${handler.event}` });

/** Runs a command. Only a bug of the host rejects. */
export const runCommand = (deps: InvocationDeps, call: CommandCall, plan: ActionPlan): Promise<Outcome> =>
  run(
    deps,
    { call, ran: commandName(call), plan },
    {
      kind: DELIVERY.command,
      sliceMs: SLICE_MS,
      timeoutMs: call.command.timeoutMs,
      input: commandInput(call),
    },
  );

/** Runs a handler. Only a bug of the host rejects. */
export const runHandler = (deps: InvocationDeps, call: HandlerCall, plan: ActionPlan): Promise<Outcome> =>
  run(
    deps,
    { call, ran: handlerName(call), plan },
    {
      kind: DELIVERY.handler,
      sliceMs: HANDLER_SLICE_MS,
      timeoutMs: call.handler.timeoutMs,
      input: { name: call.handler.event, args: call.event, invocation: call.invocation, values: call.state },
    },
  );

const commandInput = ({ command, args, resource }: CommandCall): object => ({
  name: command.name,
  args,
  ...(command.set === undefined ? {} : { set: command.set }),
  ...(resource === undefined ? {} : { item: itemOf(resource) }),
});

const itemOf = ({ name, path, text, attributes }: NonNullable<CommandCall["resource"]>): object => ({ name, path, text, attributes });

interface Asked {
  readonly call: Invocation;
  readonly ran: Ran;
  readonly plan: ActionPlan;
}

async function run(deps: InvocationDeps, { call, ran, plan }: Asked, { kind, sliceMs, timeoutMs, input }: Shape): Promise<Outcome> {
  if (call.signal.aborted) return err(invocationAborted(ran, "It had not begun."));
  const { config, ...where } = plan;
  const json = JSON.stringify({ ...input, cwd: call.cwd, now: deps.clock.now(), config });
  if (json.length > TOOL_TEXT.toGuest) return err(inputTooLarge(ran, json.length, TOOL_TEXT));
  const { signal, record } = call;
  return outcome(ran, timeoutMs, await runInvocation(deps, { ...where, kind, json, sliceMs, timeoutMs, signal, record }));
}

function outcome(ran: Ran, timeoutMs: number, { end, trace, stopped }: Finished): Outcome {
  // What comes after its time is not carried out, however complete: whoever waited has gone on.
  if (stopped === "timed-out") return err(invocationTimedOut(ran, timeoutMs, trace.describe()));
  if (stopped === "aborted") return err(invocationAborted(ran, trace.describe()));
  switch (end.type) {
    case "returned":
      return readBatch(ran, end.json);
    case "threw":
      return err(threw(ran, readGuestError(end.json)));
    case "stalled":
      return err(invocationStalled(ran));
    case "cancelled":
      return err(invocationAborted(ran, trace.describe()));
    case "destroyed":
      return err(invocationDestroyed(ran, `${destroyWords(end.reason, end.detail)}.\n${trace.describe()}`, destroyAdvice(end.reason)));
  }
}

function threw(ran: Ran, error: GuestError): Diagnostic {
  const { what = "", why = "", next = "" } = error;
  return what === "" ? invocationFailed(ran, errorWords(error)) : invocationRefused(ran, { what, why, next });
}

function readBatch(ran: Ran, json: string): Outcome {
  const units = oversized(json);
  if (units !== undefined) return err(batchTooLarge(ran, units));
  const read = readJson(actions, json, "result");
  return read.ok ? ok(read.value) : err(badActions(ran, read.error));
}
