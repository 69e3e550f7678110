import type { JsonValue, McpContent } from "smith-agent/plugin";
import { asObject, canonical, hasForbiddenKey, nestsWithin } from "../json.js";
import { byteWords, clip, oneLine } from "../words.js";

/** What a server answered, as a model is told of it. */
export interface Presented {
  /** Each part in words, in order. */
  readonly blocks: readonly string[];
  /** Of the images a model may see. */
  readonly images: readonly string[];
}

const MAX_IMAGES = 8;
const MAX_WORD = 500;

/** Texts as they are, images by reference, everything else as a note. Bytes are never written out. */
export function presentParts(content: readonly McpContent[]): Presented {
  const images: string[] = [];
  const blocks = content.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "resource":
        return `[resource ${line(part.uri)}${part.mediaType === undefined ? "" : `, ${line(part.mediaType)}`}]\n${part.text}`;
      case "image": {
        const { ref, mediaType, bytes, width, height } = part.image;
        const size = width === undefined || height === undefined ? byteWords(bytes) : `${width}x${height}, ${byteWords(bytes)}`;
        if (images.length < MAX_IMAGES) images.push(ref);
        else return `[one more image, ${mediaType}, ${size}: at most ${MAX_IMAGES} are shown]`;
        return `[image ${images.length}: ${mediaType}, ${size}]`;
      }
      case "other":
        return otherWords(part);
    }
  });
  return { blocks: blocks.filter((block) => block.trim() !== ""), images };
}

type Other = Extract<McpContent, { readonly type: "other" }>;

function otherWords({ kind, uri, name, description, mediaType, bytes }: Other): string {
  const facts = [
    ...(uri === undefined ? [] : [`uri ${line(uri)}`]),
    ...(name === undefined ? [] : [`name ${line(name)}`]),
    ...(mediaType === undefined ? [] : [`type ${line(mediaType)}`]),
    ...(bytes === undefined ? [] : [byteWords(bytes)]),
    ...(description === undefined ? [] : [line(description)]),
  ];
  if (kind === "link") return `[link to a resource: ${facts.join(", ")}]`;
  return `[${line(kind)}${facts.length === 0 ? "" : `: ${facts.join(", ")}`}; not shown]`;
}

const line = (text: string): string => clip(oneLine(text), MAX_WORD);

/** The structured part of an answer, for the model and for renderers. */
export interface PresentedData {
  /** Where no text says the same already. */
  readonly block?: string;
  readonly kept: JsonValue;
}

/** UTF-16 units of JSON: what is larger is not compared in another order of its keys, and not kept for renderers. */
const MAX_KEPT = 64 * 1024;

const MAX_SAID = 8 * MAX_KEPT;
const MAX_LEVELS = 30;

export function presentStructured(structured: JsonValue, blocks: readonly string[]): PresentedData {
  const json = jsonWithoutBytes(structured);
  if (json.length <= MAX_KEPT) {
    const kept = isCarried(structured, json) ? (parsed(json) ?? null) : { omitted: "JSON that nests too deep, or has the key __proto__" };
    return isSaid(structured, blocks) ? { kept } : { block: json, kept };
  }
  const kept = { omitted: `${json.length} characters of JSON` };
  // Beside a text of that size there is no room for it; comparing the two would take longer than all the rest.
  const texts = blocks.reduce((total, block) => total + block.length, 0);
  return texts > MAX_KEPT || isSaid(structured, blocks) ? { kept } : { block: json, kept };
}

/** Whether the host takes it beside a result: up to 32 levels there, one of them around it. */
const isCarried = (structured: JsonValue, json: string): boolean => nestsWithin(structured, MAX_LEVELS) && !hasForbiddenKey(json);

/** Servers say what is structured as a text too, for clients that know no better; a value that is no object, they wrap. */
function isSaid(structured: JsonValue, blocks: readonly string[]): boolean {
  const fields = asObject(structured);
  const alone = Object.keys(fields).length === 1 ? fields["result"] : undefined;
  return blocks.some((block) => {
    const value = block.length > MAX_SAID ? undefined : parsed(block);
    if (value === undefined) return block === alone;
    return isSame(value, structured) || (alone !== undefined && isSame(value, alone));
  });
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  return left === right || (left.length === right.length && left.length <= MAX_KEPT && canonical(one) === canonical(other));
}

function parsed(text: string): JsonValue | undefined {
  try {
    // What parses as JSON is JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** So long a text of these characters alone is bytes, which say nothing to a reader. */
const BYTES = /^(data:[\w/+.;=-]+,)?[A-Za-z0-9+/_=\r\n-]{4096,}$/u;
const MAYBE_BYTES = /[A-Za-z0-9+/_=-]{64}/u;
const LEAST_BYTES = 4_096;

function jsonWithoutBytes(value: JsonValue): string {
  const json = JSON.stringify(value);
  if (json.length < LEAST_BYTES || !MAYBE_BYTES.test(json)) return json;
  return JSON.stringify(value, (_key: string, one: unknown) =>
    typeof one === "string" && one.length >= LEAST_BYTES && BYTES.test(one) ? `[${one.length} characters of base64 left out]` : one,
  );
}
