import { failure, type JsonObject, type JsonValue, type McpContent, result, type ToolOutput } from "smith-agent/plugin";
import { clip, oneLine, plural } from "../words.js";
import { boundText } from "./bound.js";
import { presentParts, presentStructured } from "./parts.js";

/** An answer of a server, of a tool or of reading. */
export interface Answer {
  readonly content: readonly McpContent[];
  readonly structured?: JsonValue;
  readonly isError?: boolean;
  readonly omitted: number;
}

const MAX_SUMMARY = 100;
const MAX_LINES = 10_000;

/** An answer as a tool's result. `about` is what was asked, for renderers. */
export function presentAnswer(answer: Answer, about: JsonObject): ToolOutput {
  const { blocks, images } = presentParts(answer.content);
  const data = answer.structured === undefined || answer.structured === null ? undefined : presentStructured(answer.structured, blocks);
  const body = [...blocks, ...(data?.block === undefined ? [] : [data.block])].join("\n\n");
  const notes = answer.omitted > 0 ? [`[${plural(answer.omitted, "more character")} of the answer left out]`] : [];
  const isError = answer.isError === true;
  const text = [...(body === "" ? [isError ? "(failed, without a word why)" : "(nothing)"] : [boundText(body)]), ...notes].join("\n");
  const extra = {
    summary: summaryOf(answer, body),
    details: {
      data: {
        ...about,
        ...(data === undefined ? {} : { structured: data.kept }),
        ...(images.length === 0 ? {} : { images: images.length }),
      },
    },
    ...(images.length === 0 ? {} : { images }),
  };
  return isError ? failure(text, extra) : result(text, extra);
}

/** The first line with something in it and, where there is more, how much. */
function summaryOf({ content }: Answer, body: string): string {
  const images = content.filter(({ type }) => type === "image").length;
  if (images > 0 && images === content.length) return plural(images, "image");
  const first = /\S[^\n]*/u.exec(body);
  if (first === null) return "nothing";
  const head = clip(oneLine(first[0].slice(0, MAX_SUMMARY * 2)), MAX_SUMMARY);
  const lines = linesOf(body.slice(first.index));
  if (lines === 1) return head;
  return `${head} · ${lines > MAX_LINES ? `more than ${MAX_LINES} lines` : plural(lines, "line")}`;
}

/** Lines that are not empty, the first among them. */
function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= MAX_LINES; at = text.indexOf("\n", at + 1))
    if (at + 1 < text.length && text[at + 1] !== "\n") lines += 1;
  return lines;
}
