import type { JsonValue, McpContent } from "smith-agent/plugin";
import { asObject, canonical, isObject } from "../json.js";
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

/** The structured part of an answer, where no text says the same already. */
export function structuredBlock(structured: JsonValue | undefined, blocks: readonly string[]): string | undefined {
  if (structured === undefined || structured === null) return undefined;
  const alone = Object.keys(asObject(structured)).length === 1 ? asObject(structured)["result"] : undefined;
  const same = [structured, ...(alone === undefined ? [] : [alone])].map(canonical);
  const isSaid = blocks.some((block) => {
    const parsed = parsedBlock(block);
    return (parsed !== undefined && same.includes(canonical(parsed))) || block === alone;
  });
  return isSaid ? undefined : JSON.stringify(structured, withoutBytes);
}

function parsedBlock(block: string): JsonValue | undefined {
  try {
    // What parses as JSON is JSON.
    return JSON.parse(block) as JsonValue;
  } catch {
    return undefined;
  }
}

/** So long a text of these characters alone is bytes, which say nothing to a reader. */
const BYTES = /^(data:[\w/+.;=-]+,)?[A-Za-z0-9+/_=\r\n-]{4096,}$/u;

const withoutBytes = (_key: string, value: unknown): unknown =>
  typeof value === "string" && BYTES.test(value) ? `[${value.length} characters of base64 left out]` : value;

/** What the details keep of it: all, or how much it was. */
export const keptStructured = (structured: JsonValue): JsonValue => {
  const kept = JSON.stringify(structured, withoutBytes);
  if (kept.length > MAX_KEPT) return { omitted: `${kept.length} characters of JSON` };
  const value = parsedBlock(kept);
  return value === undefined || (!isObject(value) && value === structured) ? structured : value;
};

const MAX_KEPT = 64 * 1024;
