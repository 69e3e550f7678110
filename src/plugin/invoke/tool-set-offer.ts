import { err, type JsonValue, ok, plural, type Result } from "../../base/index.js";
import type { Diagnostic, ToolDefinition } from "../../schema/index.js";
import { DELIVERY } from "../engine/kinds.js";
import { OFFER_SLICE_MS, TOOL_TEXT } from "../limits.js";
import { readJson, toolSetOffer, type WordedCommand, type WordedTool } from "../shape/index.js";
import type { CommandContribution, OfferedSet, ToolSetContribution } from "../types.js";
import {
  badOffer,
  inputTooLarge,
  invocationDestroyed,
  invocationFailed,
  invocationStalled,
  invocationTimedOut,
  type Ran,
} from "./diagnostics.js";
import { destroyAdvice, destroyWords, errorWords, readGuestError } from "./guest-words.js";
import { type Finished, runInvocation } from "./invocation.js";
import type { InvocationDeps, InvocationPlan } from "./run.js";

/** What the host says of the plugin of a set. It is asked without a grant: what it offers depends on its source alone. */
export type OfferPlan = Pick<InvocationPlan, "cell" | "module" | "asker" | "emit">;

export interface Offered {
  readonly offered: OfferedSet;
  /** What the plugin says of it, and what of it could not be used. */
  readonly notes: readonly string[];
}

const OFFER_MS = 10_000;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/u;
const COMMAND_NAME = /^[A-Za-z0-9_:.-]{1,128}$/u;
const MAX_SCHEMA_UNITS = 64 * 1024;
const MAX_DESCRIPTION_UNITS = 4 * 1024;
const MAX_COMMANDS = 256;

export const setName = ({ plugin, name }: ToolSetContribution): Ran => ({ plugin, words: `The tool set ${name}` });

/** Asks a set what it offers. Whatever the plugin does wrong is a diagnostic; a tool that cannot be offered is left out with a note. */
export async function runOffer(
  deps: InvocationDeps,
  { set, source }: { readonly set: ToolSetContribution; readonly source: JsonValue },
  plan: OfferPlan,
): Promise<Result<Offered, Diagnostic>> {
  const ran = setName(set);
  const json = JSON.stringify({ set: set.name, source });
  if (json.length > TOOL_TEXT.toGuest) return err(inputTooLarge(ran, json.length, TOOL_TEXT));
  const never = new AbortController();
  const finished = await runInvocation(deps, {
    ...plan,
    kind: DELIVERY.offer,
    json,
    sliceMs: OFFER_SLICE_MS,
    timeoutMs: OFFER_MS,
    signal: never.signal,
    states: [],
    onProgress: () => undefined,
  });
  return read(set, ran, finished);
}

function read(set: ToolSetContribution, ran: Ran, { end, trace, stopped }: Finished): Result<Offered, Diagnostic> {
  if (stopped !== undefined) return err(invocationTimedOut(ran, OFFER_MS, trace.describe()));
  switch (end.type) {
    case "returned": {
      const worded = readJson(toolSetOffer, end.json, "offer");
      if (!worded.ok) return err(badOffer(ran, worded.error));
      const { tools, commands = [], notes = [], prompt } = worded.value;
      const problems: string[] = [];
      const offered = {
        plugin: set.plugin,
        set: set.name,
        tools: accepted(tools, { check: toolProblem(set), most: set.max, kind: "tool", problems }).map((tool) => toolOf(set, tool)),
        commands: accepted(commands, { check: commandProblem(set), most: MAX_COMMANDS, kind: "command", problems }).map((command) =>
          commandOf(set, command),
        ),
        ...(prompt === undefined || prompt.trim() === "" ? {} : { prompt }),
      };
      return ok({ offered, notes: [...notes, ...problems] });
    }
    case "threw":
      return err(invocationFailed(ran, errorWords(readGuestError(end.json))));
    case "stalled":
    case "cancelled":
      return err(invocationStalled(ran));
    case "destroyed":
      return err(invocationDestroyed(ran, `${destroyWords(end.reason, end.detail)}.`, destroyAdvice(end.reason)));
  }
}

interface Acceptance<T> {
  /** What keeps one from being used. */
  readonly check: (one: T) => string | undefined;
  readonly most: number;
  readonly kind: string;
  readonly problems: string[];
}

function accepted<T extends { readonly name: string }>(all: readonly T[], { check, most, kind, problems }: Acceptance<T>): readonly T[] {
  const names = new Set<string>();
  const kept: T[] = [];
  let over = 0;
  for (const one of all) {
    const shown = JSON.stringify(one.name.slice(0, 80));
    const problem = names.has(one.name) ? "another one has the same name" : check(one);
    if (problem !== undefined) problems.push(`The ${kind} ${shown} was left out: ${problem}.`);
    else if (kept.length >= most) over += 1;
    else {
      names.add(one.name);
      kept.push(one);
    }
  }
  if (over > 0) problems.push(`${plural(over, kind)} left out: there are at most ${most}.`);
  return kept;
}

const toolProblem =
  ({ prefix }: ToolSetContribution) =>
  ({ name, parameters, description }: WordedTool): string | undefined => {
    if (!TOOL_NAME.test(name)) return "a name is 1 to 64 letters, digits, _ and -";
    if (!name.startsWith(prefix)) return `its name does not begin with ${prefix}`;
    if (parameters["type"] !== "object") return "its arguments are no object";
    const units = JSON.stringify(parameters).length;
    if (units > MAX_SCHEMA_UNITS) return `the schema of its arguments has ${units} characters, ${MAX_SCHEMA_UNITS} is the most`;
    return description.length > MAX_DESCRIPTION_UNITS
      ? `its description has ${description.length} characters, ${MAX_DESCRIPTION_UNITS} is the most`
      : undefined;
  };

const commandProblem =
  ({ prefix }: ToolSetContribution) =>
  ({ name }: WordedCommand): string | undefined => {
    if (!COMMAND_NAME.test(name)) return "a name is 1 to 128 letters, digits and _ : . -";
    return name.startsWith(prefix) ? undefined : `its name does not begin with ${prefix}`;
  };

const toolOf = ({ plugin, name: set, timeoutMs: most }: ToolSetContribution, worded: WordedTool): ToolDefinition => {
  const { target, readOnly = false, timeoutMs = most, summaryKeys = [], ...rest } = worded;
  return { ...rest, plugin, readOnly, timeoutMs: Math.min(Math.max(timeoutMs, 1), most), summaryKeys, set: { name: set, target } };
};

const commandOf = ({ plugin, name: set, timeoutMs }: ToolSetContribution, { target, ...rest }: WordedCommand): CommandContribution => ({
  ...rest,
  plugin,
  aliases: [],
  timeoutMs,
  set: { name: set, target },
});
