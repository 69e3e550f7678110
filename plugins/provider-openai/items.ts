import type { JsonObject, ProviderDelta } from "smith-agent/plugin";
import { asArray, asIndex, asObject, asText } from "./json.js";

type ItemType = "message" | "reasoning" | "call" | "other";

/** A text that is not kept: its UTF-16 units and a hash of them, which tell whether another begins with it. */
type Told = { readonly length: number; readonly hash: number };

/** What is known of one item of the answer while it streams. Lengths stand for texts: what a later event repeats is not told twice. */
export type Item = {
  /** Its place among all items of the answer: the key of its deltas. */
  readonly place: number;
  readonly index: number | null;
  id: string;
  readonly type: ItemType;
  /** Whether thinking is told by its summary or as it was; an item that brings both is told by what came first. */
  voice: "" | "summary" | "raw";
  /** What was told so far, by the part it belongs to. */
  told: { [part: string]: Told };
  /** The id of a call, when it was told. */
  callId: string;
  name: string;
  /** Arguments that came with the item itself; they count when no others follow. */
  held: string;
  isSigned: boolean;
  isClosed: boolean;
};

/** The items of one answer and what they say, written to while a batch is decoded. */
export interface Draft {
  items: Item[];
  /** Items of the response before this one, when a body holds several. */
  earlier: number;
  refused: boolean;
  /** An event could not be read, so what a whole text repeats has to match what its pieces told. */
  broken: boolean;
  /** A piece of the answer is lost for good. */
  lost: boolean;
  readonly deltas: ProviderDelta[];
}

const TYPES: ReadonlyMap<string, ItemType> = new Map([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
]);

const ARGS = "args";

/** `response.output_item.added`. */
export function addItem(draft: Draft, event: JsonObject): void {
  const wire = asObject(event["item"]);
  if (wire === undefined) return;
  const index = asIndex(event["output_index"]);
  const type = typeOf(wire);
  const isKnown = draft.items.some(
    (item) => !item.isClosed && item.index === index && item.type === type && item.id === asText(wire["id"]),
  );
  if (isKnown) return;
  const item = create(draft, type, index, asText(wire["id"]));
  if (type !== "call") return;
  item.held = argumentsIn(wire);
  tellCall(draft, item, wire);
}

/** `response.output_item.done`: whatever of the item was not told yet. */
export function closeItem(draft: Draft, event: JsonObject): void {
  const wire = asObject(event["item"]);
  if (wire === undefined) return;
  const type = typeOf(wire);
  const item = locate(draft, event, type, wire) ?? create(draft, type, asIndex(event["output_index"]), asText(wire["id"]));
  takeWhole(draft, item, wire);
}

/** The items of a whole response: those that streamed are completed, others are new unless that would tell something twice. */
export function takeOutput(draft: Draft, output: readonly JsonObject[]): void {
  const streamed = draft.items.length;
  for (const [index, wire] of output.entries()) {
    const type = typeOf(wire);
    const known = streamed === 0 ? undefined : locateWhole(draft, index, type, wire);
    const isNew = streamed === 0 || type === "call" || !draft.items.some((item) => item.type === type);
    const item = known ?? (isNew ? create(draft, type, null, asText(wire["id"])) : undefined);
    if (item !== undefined) takeWhole(draft, item, wire);
  }
}

/** A piece of text or thinking, or the whole of one part. */
interface Said {
  readonly part: string;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Text of a message; a refusal is text as well. */
export function sayText(draft: Draft, event: JsonObject, said: Said): void {
  const item = locate(draft, event, "message") ?? create(draft, "message", asIndex(event["output_index"]), asText(event["item_id"]));
  tellText(draft, item, said);
}

export function sayThinking(draft: Draft, event: JsonObject, voice: "summary" | "raw", said: Said): void {
  const item = locate(draft, event, "reasoning") ?? create(draft, "reasoning", asIndex(event["output_index"]), asText(event["item_id"]));
  tellThinking(draft, item, voice, said);
}

export function sayArguments(draft: Draft, event: JsonObject, text: string, isWhole: boolean): void {
  const item = locate(draft, event, "call") ?? create(draft, "call", asIndex(event["output_index"]), asText(event["item_id"]));
  if (isWhole) tellCall(draft, item, event);
  tellArguments(draft, item, text, isWhole);
}

/** A call whose arguments never came has none: it ends as an empty object, or with what came with the item. */
export function closeCalls(draft: Draft): void {
  for (const item of draft.items) {
    if (item.type === "call" && item.told[ARGS] === undefined) tellArguments(draft, item, item.held.trim() === "" ? "{}" : item.held, true);
  }
}

const typeOf = (wire: JsonObject): ItemType => TYPES.get(asText(wire["type"])) ?? "other";

function create(draft: Draft, type: ItemType, index: number | null, id: string): Item {
  const place = draft.earlier + draft.items.length;
  const item: Item = { place, index, id, type, voice: "", told: {}, callId: "", name: "", held: "", isSigned: false, isClosed: false };
  draft.items.push(item);
  return item;
}

/**
 * The item an event is about. Its place in the output decides where it is told: ids change between events of one item on some servers.
 * Without a place its id does, and without both it is the last one of its type that is not over.
 */
function locate(draft: Draft, event: JsonObject, type: ItemType, wire?: JsonObject): Item | undefined {
  const index = asIndex(event["output_index"]);
  const id = wire === undefined ? asText(event["item_id"]) : asText(wire["id"]);
  const fitting = draft.items.filter((item) => item.type === type && (index === null || item.index === index));
  const open = fitting.filter((item) => !item.isClosed);
  const sameId = open.filter((item) => item.id === id);
  // Two calls may have one id; they end in the order in which they began.
  const named = wire === undefined ? sameId.at(-1) : sameId[0];
  return (
    named ??
    fitting.find((item) => id !== "" && item.id === id) ??
    (wire === undefined || index !== null ? open.at(-1) : open[0]) ??
    (index === null ? undefined : fitting.at(-1))
  );
}

function locateWhole(draft: Draft, index: number, type: ItemType, wire: JsonObject): Item | undefined {
  const fitting = draft.items.filter((item) => item.type === type);
  const callId = asText(wire["call_id"]);
  const id = asText(wire["id"]);
  return (
    fitting.find((item) => item.index === index) ??
    fitting.find((item) => callId !== "" && item.callId === callId) ??
    fitting.find((item) => id !== "" && item.id === id)
  );
}

function takeWhole(draft: Draft, item: Item, wire: JsonObject): void {
  const isRepeated = item.isClosed && Object.keys(item.told).length > 0;
  item.isClosed = true;
  if (item.type === "reasoning") return takeReasoning(draft, item, wire);
  if (isRepeated) return;
  if (item.type === "call") {
    tellCall(draft, item, wire);
    tellArguments(draft, item, argumentsIn(wire), true);
  }
  if (item.type === "message") for (const [at, part] of asArray(wire["content"]).entries()) takePart(draft, item, asObject(part), at);
}

function takePart(draft: Draft, item: Item, part: JsonObject | undefined, at: number): void {
  const refusal = asText(part?.["refusal"]);
  if (refusal !== "") {
    draft.refused = true;
    tellText(draft, item, { part: `refusal${String(at)}`, text: refusal, isWhole: true });
  } else tellText(draft, item, { part: `text${String(at)}`, text: asText(part?.["text"]), isWhole: true });
}

function takeReasoning(draft: Draft, item: Item, wire: JsonObject): void {
  const texts = (list: string): readonly string[] => asArray(wire[list]).map((part) => asText(asObject(part)?.["text"]));
  for (const [at, text] of texts("summary").entries()) tellThinking(draft, item, "summary", { part: String(at), text, isWhole: true });
  for (const [at, text] of texts("content").entries()) tellThinking(draft, item, "raw", { part: String(at), text, isWhole: true });
  const signature = asText(wire["encrypted_content"]);
  if (signature === "" || item.isSigned) return;
  item.isSigned = true;
  renamed(draft, item, asText(wire["id"]));
  const last = Object.keys(item.told).at(-1);
  draft.deltas.push({ ...thinking(item, last ?? "0", "", last === undefined), signature });
}

/** The vendor knows what is encrypted by the id that came with it; on servers where ids change it is not the first one. */
function renamed(draft: Draft, item: Item, id: string): void {
  if (id === "" || id === item.id) return;
  item.id = id;
  for (const part of Object.keys(item.told)) draft.deltas.push({ ...thinking(item, part, "", false), id });
}

function tellText(draft: Draft, item: Item, said: Said): void {
  const text = fresh(draft, item, said);
  if (text !== "") draft.deltas.push({ type: "text", text });
}

function tellThinking(draft: Draft, item: Item, voice: "summary" | "raw", said: Said): void {
  if (said.text === "" || (item.voice !== "" && item.voice !== voice)) return;
  item.voice = voice;
  const isFirst = item.told[said.part] === undefined;
  const text = fresh(draft, item, said);
  if (text !== "") draft.deltas.push(thinking(item, said.part, text, isFirst));
}

function thinking(item: Item, part: string, text: string, isFirst: boolean): Extract<ProviderDelta, { type: "thinking" }> {
  return {
    type: "thinking",
    text,
    key: `${String(item.place)}.${part}`,
    ...(isFirst ? { kind: item.voice === "" ? "summary" : item.voice } : {}),
    ...(isFirst && item.id !== "" ? { id: item.id } : {}),
  };
}

/** Tells that there is a call, and its id and name once they are known. Pairing needs distinct ids: the core makes one for a repeated one. */
function tellCall(draft: Draft, item: Item, wire: JsonObject): void {
  const callId = asText(wire["call_id"]);
  const name = asText(wire["name"]);
  const isNewId = item.callId === "" && callId !== "" && !draft.items.some((other) => other.callId === callId);
  const isNewName = item.name === "" && name !== "";
  if (!isNewId && !isNewName) return;
  if (isNewId) item.callId = callId;
  if (isNewName) item.name = name;
  draft.deltas.push({ type: "tool-call", key: String(item.place), ...(isNewId ? { id: callId } : {}), ...(isNewName ? { name } : {}) });
}

function tellArguments(draft: Draft, item: Item, text: string, isWhole: boolean): void {
  const args = fresh(draft, item, { part: ARGS, text, isWhole });
  if (args !== "") draft.deltas.push({ type: "tool-call", key: String(item.place), args });
}

function argumentsIn(wire: JsonObject): string {
  const args = wire["arguments"];
  return typeof args === "object" && args !== null ? JSON.stringify(args) : asText(args);
}

const NOTHING: Told = { length: 0, hash: 0x811c9dc5 };

/** FNV-1a over UTF-16 units, 32 bits, continued. */
function hashed({ length, hash }: Told, text: string): Told {
  let sum = hash;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return { length: length + text.length, hash: sum };
}

/**
 * What of a text was not told yet. A whole one goes on where its pieces ended. Where it differs from them they count; that is, unless an
 * event was lost, for then a piece is missing among them.
 */
function fresh(draft: Draft, item: Item, { part, text, isWhole }: Said): string {
  const before = item.told[part] ?? NOTHING;
  const goesOn = !isWhole || hashed(NOTHING, text.slice(0, before.length)).hash === before.hash;
  if (!goesOn && draft.broken) draft.lost = true;
  const news = isWhole ? text.slice(before.length) : text;
  if (news === "" || !goesOn) return "";
  item.told[part] = hashed(before, news);
  return news;
}
