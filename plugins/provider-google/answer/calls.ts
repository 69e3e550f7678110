import type { JsonObject, ProviderDelta } from "smith-agent/plugin";
import { asObject, asText } from "../json.js";
import { withPieces } from "./partial-args.js";

/** The calls of one response so far: how many there were, and the last one when its arguments still come. */
export type Calls = {
  readonly count: number;
  readonly open: JsonObject | null;
};

export const NO_CALLS: Calls = { count: 0, open: null };

export interface CallsStep {
  readonly calls: Calls;
  readonly deltas: readonly ProviderDelta[];
}

/**
 * Takes one `functionCall`. Most come whole; arguments in pieces are announced by `willContinue`, go on in parts without a name, and
 * end with one that does not continue, or with whatever comes next.
 */
export function takeCall(calls: Calls, call: JsonObject, signature: string): CallsStep {
  const isNamed = asText(call["name"]) !== "" || asText(call["id"]) !== "";
  if (calls.open !== null && asText(call["name"]) === "") return goOn(calls, call, signature);
  const before = closeCall(calls, true);
  // A part that names nothing and says nothing is the end of a call that is over already.
  if (!isNamed && call["args"] === undefined && call["partialArgs"] === undefined) return before;
  const begun = begin(before.calls.count, call, signature);
  return { calls: begun.calls, deltas: [...before.deltas, ...begun.deltas] };
}

function begin(count: number, call: JsonObject, signature: string): CallsStep {
  const name = asText(call["name"]);
  const id = asText(call["id"]);
  const args = withPieces(asObject(call["args"]) ?? {}, call["partialArgs"]);
  const goesOn = call["willContinue"] === true;
  const delta: ProviderDelta = {
    type: "tool-call",
    key: keyOf(count),
    ...(id === "" ? {} : { id }),
    ...(name === "" ? {} : { name }),
    ...(goesOn ? {} : { args: JSON.stringify(args) }),
    ...(signature === "" ? {} : { signature }),
  };
  return { calls: { count: count + 1, open: goesOn ? args : null }, deltas: [delta] };
}

function goOn(calls: Calls, call: JsonObject, signature: string): CallsStep {
  const open = withPieces({ ...calls.open, ...asObject(call["args"]) }, call["partialArgs"]);
  const signed = signature === "" ? [] : [{ type: "tool-call", key: keyOf(calls.count - 1), signature } as const];
  if (call["willContinue"] === true) return { calls: { ...calls, open }, deltas: signed };
  const closed = closeCall({ ...calls, open }, true);
  return { calls: closed.calls, deltas: [...signed, ...closed.deltas] };
}

/** Says the arguments of a call that was open. When the answer was cut, they are cut, too: half a call must never run. */
export function closeCall(calls: Calls, isWhole: boolean): CallsStep {
  if (calls.open === null) return { calls, deltas: [] };
  const text = JSON.stringify(calls.open);
  return {
    calls: { ...calls, open: null },
    deltas: [{ type: "tool-call", key: keyOf(calls.count - 1), args: isWhole ? text : text.slice(0, -1) }],
  };
}

const keyOf = (place: number): string => String(place);
