import { failure, type JsonObject, type JsonValue, type McpContent, result, type ToolOutput } from "smith-agent/plugin";
import { clip, oneLine, plural } from "../words.js";
import { boundText } from "./bound.js";
import { keptStructured, presentParts, structuredBlock } from "./parts.js";

/** An answer of a server, of a tool or of reading. */
export interface Answer {
  readonly content: readonly McpContent[];
  readonly structured?: JsonValue;
  readonly isError?: boolean;
  readonly omitted: number;
}

const MAX_SUMMARY = 100;

/** An answer as a tool's result. `about` is what was asked, for renderers. */
export function presentAnswer(answer: Answer, about: JsonObject): ToolOutput {
  const { blocks, images } = presentParts(answer.content);
  const structured = structuredBlock(answer.structured, blocks);
  const body = [...blocks, ...(structured === undefined ? [] : [structured])].join("\n\n");
  const notes = answer.omitted > 0 ? [`[${plural(answer.omitted, "more character")} of the answer left out]`] : [];
  const isError = answer.isError === true;
  const text = [...(body === "" ? [isError ? "(failed, without a word why)" : "(nothing)"] : [boundText(body)]), ...notes].join("\n");
  const extra = {
    summary: summaryOf(answer, body),
    details: {
      data: {
        ...about,
        ...(answer.structured === undefined ? {} : { structured: keptStructured(answer.structured) }),
        ...(images.length === 0 ? {} : { images: images.length }),
      },
    },
    ...(images.length === 0 ? {} : { images }),
  };
  return isError ? failure(text, extra) : result(text, extra);
}

/** The first line with something in it, where there is more, how much. */
function summaryOf({ content }: Answer, body: string): string {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const images = content.filter(({ type }) => type === "image").length;
  if (images > 0 && images === content.length) return plural(images, "image");
  const [first] = lines;
  if (first === undefined) return "nothing";
  const head = clip(oneLine(first), MAX_SUMMARY);
  return lines.length === 1 ? head : `${head} · ${plural(lines.length, "line")}`;
}
