import type { JsonValue, ProviderDelta } from "smith-agent/plugin";
import { asObject, asText } from "../json.js";
import { EMPTY_SCAN, scanJson } from "./json-scan.js";
import type { JsonScan } from "./json-scan.js";

/** What is known of one tool call while its arguments stream. `held` is text that may turn out to mean "no arguments". */
export type CallState = {
  readonly id: string;
  readonly name: string;
  readonly index: number | null;
  readonly scan: JsonScan;
  readonly held: string;
};

interface Fragment {
  readonly id: string;
  readonly name: string;
  readonly index: number | null;
  readonly args: string;
}

/** The calls of one response in order of appearance; a call's key is its place. */
export type Calls = readonly CallState[];

export interface CallsStep {
  readonly calls: Calls;
  readonly deltas: readonly ProviderDelta[];
}

/** Takes the `tool_calls` of one event. */
export function takeFragments(calls: Calls, wire: readonly JsonValue[]): CallsStep {
  const next = [...calls];
  const deltas: ProviderDelta[] = [];
  const touched = new Set<number>();
  for (const item of wire) {
    const fragment = readFragment(item);
    if (fragment === undefined) continue;
    const place = locate(next, fragment, touched) ?? next.length;
    touched.add(place);
    deltas.push(...takeFragment(next, place, fragment));
  }
  return { calls: next, deltas };
}

/** A call that never got arguments means "no arguments": it ends as an empty object. */
export function closeCalls(calls: Calls): readonly ProviderDelta[] {
  return calls.flatMap((call, place): readonly ProviderDelta[] => {
    if (call.scan.phase !== "before") return [];
    const text = call.held.trim();
    return [{ type: "tool-call", key: String(place), args: text === "" || text === "null" ? "{}" : call.held }];
  });
}

function readFragment(item: JsonValue): Fragment | undefined {
  const call = asObject(item);
  if (call === undefined) return undefined;
  const body = asObject(call["function"]) ?? call;
  const args = body["arguments"];
  const index = call["index"];
  return {
    id: asText(call["id"]),
    name: asText(body["name"]),
    index: typeof index === "number" ? index : null,
    args: typeof args === "object" && args !== null ? JSON.stringify(args) : asText(args),
  };
}

/**
 * The place of the call a fragment belongs to, or nothing when it starts a new one. Servers leave out the index, give 0 to
 * all, change or repeat ids and names; so a new id with a name, or a new name after complete arguments, starts a call.
 */
function locate(calls: Calls, fragment: Fragment, touched: ReadonlySet<number>): number | undefined {
  const known = fragment.id === "" ? -1 : calls.findLastIndex((call) => call.id === fragment.id && fitsIndex(call, fragment));
  if (known >= 0) return repeats(calls[known], fragment) ? undefined : known;
  const indexed = fragment.index === null ? -1 : calls.findLastIndex((call) => call.index === fragment.index);
  const isBare = fragment.index === null || (fragment.id === "" && fragment.name === "");
  const place = indexed < 0 && isBare ? calls.length - 1 : indexed;
  const call = calls[place];
  return call !== undefined && continues(call, fragment, touched.has(place)) ? place : undefined;
}

/** Whether a fragment whose id is unknown or absent goes on with the call that its index points to. */
function continues(call: CallState, fragment: Fragment, isSameEvent: boolean): boolean {
  const isComplete = call.scan.phase === "complete";
  if (fragment.name === "") return fragment.id === "" || !isComplete;
  if (!isSameName(call, fragment)) return false;
  // An id that comes late belongs to the call that has none; any other new id with a name is another call.
  if (fragment.id !== "") return call.id === "" && call.scan.phase === "before";
  return !isSameEvent && !repeats(call, fragment);
}

const isSameName = (call: CallState, fragment: Fragment): boolean => call.name === "" || call.name === fragment.name;

const fitsIndex = (call: CallState, fragment: Fragment): boolean =>
  fragment.index === null || call.index === null || call.index === fragment.index || fragment.name === "";

/** Named again, with arguments, although the arguments are complete: another call to the same tool. */
const repeats = (call: CallState | undefined, fragment: Fragment): boolean =>
  call?.scan.phase === "complete" && fragment.name !== "" && fragment.args.trim() !== "";

function takeFragment(calls: CallState[], place: number, fragment: Fragment): readonly ProviderDelta[] {
  const isNew = place === calls.length;
  const before = calls[place] ?? { id: "", name: "", index: fragment.index, scan: EMPTY_SCAN, held: "" };
  // Pairing needs distinct ids: one that another call has already is left for the core to replace.
  const isOwnId = before.id === "" && fragment.id !== "" && !calls.some((call) => call.id === fragment.id);
  const isNewName = before.name === "" && fragment.name !== "";
  const { args, held } = release(before, fragment.args);
  calls[place] = { ...before, id: before.id || fragment.id, name: before.name || fragment.name, scan: scanJson(before.scan, args), held };
  const news = {
    ...(isOwnId ? { id: fragment.id } : {}),
    ...(isNewName ? { name: fragment.name } : {}),
    ...(args === "" ? {} : { args }),
  };
  return isNew || Object.keys(news).length > 0 ? [{ type: "tool-call", key: String(place), ...news }] : [];
}

/** Blank text and `null` mean "no arguments" when nothing follows, so they wait until something does. */
function release(call: CallState, text: string): { readonly args: string; readonly held: string } {
  if (call.scan.phase !== "before") return { args: text, held: "" };
  const held = call.held + text;
  return "null".startsWith(held.trim()) ? { args: "", held } : { args: held, held: "" };
}
