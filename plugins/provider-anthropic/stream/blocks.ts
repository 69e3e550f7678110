import type { JsonObject, JsonValue, ProviderDelta } from "smith-agent/plugin";
import { asObject, asText } from "../json.js";

/** One content block while it streams. */
export type Block = {
  /** `skip`: a tool the server runs itself, or a kind nobody knows: passed over with all its pieces. */
  readonly kind: "text" | "thinking" | "call" | "skip";
  /** Tells parts and calls of one answer apart. */
  readonly key: string;
  readonly isClosed: boolean;
  /** Of thinking, as far as it came. */
  readonly signature: string;
  /** Of a call: as the server gave it, `""` when another call has it. */
  readonly id: string;
  readonly name: string;
  /** Arguments that came whole with the block. */
  readonly input: string;
  /** A piece of the call was passed on. */
  readonly isStarted: boolean;
};

/** The blocks of an answer that still say something, by their place in it, in the order in which they began. */
export type Blocks = {
  readonly open: readonly (readonly [index: string, block: Block])[];
  /** How many there were: makes keys. */
  readonly count: number;
  readonly ids: readonly string[];
};

export interface BlocksStep {
  readonly blocks: Blocks;
  readonly deltas: readonly ProviderDelta[];
}

export const NO_BLOCKS: Blocks = { open: [], count: 0, ids: [] };

const TEXT = { isClosed: false, signature: "", id: "", name: "", input: "", isStarted: false } as const;
const unchanged = (blocks: Blocks): BlocksStep => ({ blocks, deltas: [] });

/** A block begins. The same call announced again is the same call. */
export function startBlock(blocks: Blocks, index: string, content: JsonObject): BlocksStep {
  const id = asText(content["id"]);
  const there = blocks.open.find(([place]) => place === index)?.[1];
  if (there?.kind === "call" && !there.isClosed && content["type"] === "tool_use" && there.id === id) return unchanged(blocks);
  const settled = settleBlocks(blocks, "next", index);
  const key = String(blocks.count);
  const { block, deltas } = begun(content, { key, id: blocks.ids.includes(id) ? "" : id });
  return {
    blocks: {
      open: [...settled.blocks.open, [index, block]],
      count: blocks.count + 1,
      ids: block.kind === "call" && block.id !== "" ? [...blocks.ids, id] : blocks.ids,
    },
    deltas: [...settled.deltas, ...deltas],
  };
}

function begun(
  content: JsonObject,
  { key, id }: { readonly key: string; readonly id: string },
): { readonly block: Block; readonly deltas: readonly ProviderDelta[] } {
  switch (asText(content["type"])) {
    case "text":
      return { block: { ...TEXT, kind: "text", key }, deltas: textDeltas(asText(content["text"])) };
    case "thinking":
      return {
        block: { ...TEXT, kind: "thinking", key, signature: asText(content["signature"]) },
        deltas: thinkingDeltas(key, asText(content["thinking"])),
      };
    case "redacted_thinking": {
      const hidden: ProviderDelta = { type: "thinking", text: "", signature: asText(content["data"]), key, kind: "redacted" };
      return { block: { ...TEXT, kind: "skip", key }, deltas: hidden.signature === "" ? [] : [hidden] };
    }
    case "tool_use":
      return { block: { ...TEXT, kind: "call", key, id, name: asText(content["name"]), input: wholeInput(content["input"]) }, deltas: [] };
    default:
      return { block: { ...TEXT, kind: "skip", key }, deltas: [] };
  }
}

/** Arguments come in pieces after an empty object, or all at once as an object or its text. */
function wholeInput(input: JsonValue | undefined): string {
  const object = asObject(input);
  if (object === undefined) return asText(input).trim();
  return Object.keys(object).length === 0 ? "" : JSON.stringify(object);
}

const textDeltas = (text: string): readonly ProviderDelta[] => (text === "" ? [] : [{ type: "text", text }]);
const thinkingDeltas = (key: string, text: string): readonly ProviderDelta[] => (text === "" ? [] : [{ type: "thinking", text, key }]);

/** A piece of a block. Of a block that was never announced the piece itself says what it is. */
export function takePiece(blocks: Blocks, index: string, piece: JsonObject): BlocksStep {
  const block = blocks.open.find(([place]) => place === index)?.[1];
  if (block?.kind === "skip") return unchanged(blocks);
  switch (asText(piece["type"])) {
    case "text_delta":
      return { blocks, deltas: textDeltas(asText(piece["text"])) };
    case "thinking_delta":
      return { blocks, deltas: thinkingDeltas(block?.key ?? `at ${index}`, asText(piece["thinking"])) };
    case "signature_delta":
      return block === undefined ? unchanged(blocks) : withSignature(blocks, index, block, asText(piece["signature"]));
    case "input_json_delta":
      return block === undefined ? unchanged(blocks) : withArguments(blocks, index, block, asText(piece["partial_json"]));
    default:
      return unchanged(blocks);
  }
}

function withSignature(blocks: Blocks, index: string, block: Block, signature: string): BlocksStep {
  if (block.kind !== "thinking") return unchanged(blocks);
  return unchanged(put(blocks, index, { ...block, signature: block.signature + signature }));
}

function withArguments(blocks: Blocks, index: string, block: Block, args: string): BlocksStep {
  if (block.kind !== "call" || args === "") return unchanged(blocks);
  return block.isStarted
    ? { blocks, deltas: [{ type: "tool-call", key: block.key, args }] }
    : { blocks: put(blocks, index, { ...block, isStarted: true }), deltas: [callDelta(block, args)] };
}

const callDelta = ({ key, id, name }: Block, args: string): ProviderDelta => ({
  type: "tool-call",
  key,
  ...(id === "" ? {} : { id }),
  ...(name === "" ? {} : { name }),
  args,
});

const put = (blocks: Blocks, index: string, block: Block): Blocks => ({
  ...blocks,
  open: blocks.open.map((entry) => (entry[0] === index ? [index, block] : entry)),
});

/** A block is over. A call without arguments waits: if the limit of the answer is what ended it, nobody knows what they were to be. */
export function stopBlock(blocks: Blocks, index: string): BlocksStep {
  const block = blocks.open.find(([place]) => place === index)?.[1];
  if (block === undefined) return unchanged(blocks);
  if (block.kind === "call" && !block.isStarted) return { blocks: put(blocks, index, { ...block, isClosed: true }), deltas: [] };
  return { blocks: { ...blocks, open: blocks.open.filter(([place]) => place !== index) }, deltas: lastOf(block, false) };
}

/**
 * Settles what is still to be said: before the next block of those that are over (and of one at its own place), at the end of a message of
 * all. `cut`: the answer reached its limit, and a call of which nothing came is none.
 */
export function settleBlocks(blocks: Blocks, when: "next" | "end" | "cut", index = ""): BlocksStep {
  const isDue = ([place, block]: Blocks["open"][number]): boolean => when !== "next" || block.isClosed || place === index;
  return {
    blocks: { ...blocks, open: blocks.open.filter((entry) => !isDue(entry)) },
    deltas: blocks.open.filter(isDue).flatMap(([, block]) => lastOf(block, when === "cut")),
  };
}

function lastOf(block: Block, isCut: boolean): readonly ProviderDelta[] {
  if (block.kind === "thinking" && block.signature !== "")
    return [{ type: "thinking", text: "", signature: block.signature, key: block.key }];
  if (block.kind !== "call" || block.isStarted || (isCut && block.input === "")) return [];
  return [callDelta(block, block.input === "" ? "{}" : block.input)];
}

/** Blocks of an unfinished message that another replaces: nothing more of them comes. */
export const dropBlocks = (blocks: Blocks): Blocks => ({ ...blocks, open: [] });
