import { clockTime } from "../render/index.js";
import { type Row, type Span, span, wrapSpans } from "../text/index.js";
import type { StyleName } from "../theme/index.js";
import type { ErrorItem, NoteItem, UnknownEffectItem, UserItem } from "./items.js";

const INDENT = "   ";

/** Lines with a mark before the first and blanks before the others. */
function marked(text: string, mark: Span, style: StyleName, width: number): readonly Row[] {
  const rest = [span(" ".repeat(mark.text.length))];
  let at = 0;
  return text
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((line, index) => {
      const rows = wrapSpans([span(line, style)], { width: width - 1, first: index === 0 ? [mark] : rest, rest, block: 0, at });
      at += line.length + 1;
      return rows;
    });
}

const SOURCES: Readonly<Record<UserItem["source"], string>> = {
  prompt: "",
  steer: "steer: ",
  "follow-up": "then: ",
  notice: "told to the model: ",
};

const sourceOf = ({ source, plugin }: UserItem): string => {
  if (plugin === undefined) return SOURCES[source];
  return source === "notice" ? `${plugin} told the model: ` : `${plugin}: `;
};

/** What smith itself told the model does not look like something that was typed; what a plugin said names it. */
export const userRows = (item: UserItem, width: number): readonly Row[] => {
  const text = `${sourceOf(item)}${item.text}`;
  return item.source === "notice"
    ? marked(text, span(`${INDENT}· `, "muted"), "muted", width)
    : marked(text, span(" › ", "user"), "user", width);
};

/** A plugin that says something is named before its words. */
export function noteRows({ text, tone, plugin, style = "muted" }: NoteItem, width: number): readonly Row[] {
  const mark = tone === "warning" ? span(`${INDENT}■ `, style === "muted" ? "warning" : style) : span(`${INDENT}· `, style);
  if (plugin === undefined) return marked(text, mark, style, width);
  const rest = [span(" ".repeat(mark.text.length))];
  return text
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((line, index) =>
      index === 0
        ? wrapSpans([span(`${plugin}  `, "tool-name"), span(line, style)], { width: width - 1, first: [mark], rest })
        : wrapSpans([span(line, style)], { width: width - 1, first: rest, rest }),
    );
}

/** What, where, why and what to do, each on rows of its own. */
export function errorRows(item: ErrorItem, width: number): readonly Row[] {
  const { what, why, next, severity } = item.diagnostic;
  const [tone, mark] = severity === "error" ? (["error", "✗"] as const) : (["warning", "⚠"] as const);
  return [
    ...marked(what, span(`${INDENT}${mark} `, tone), tone, width),
    ...(item.place === undefined ? [] : marked(item.place, span(`${INDENT}  `), "muted", width)),
    ...(why === "" ? [] : marked(why, span(`${INDENT}  `), "muted", width)),
    ...(next === "" ? [] : marked(next, span(`${INDENT}→ `, "accent"), "text", width)),
  ];
}

export function unknownEffectRows(item: UnknownEffectItem, width: number): readonly Row[] {
  const since = `started ${clockTime(item.startedAt)}, no completion recorded`;
  const { word } = item;
  const known = word === undefined ? "its outcome is unknown:" : "its outcome was not recorded:";
  const then =
    word === undefined
      ? `Look at what it may have changed, then say it: /reconcile ${item.effect.slice(-8)} applied|not-applied. The model is told the same.`
      : `You said: ${word}. That is recorded, and the model is told.`;
  return [
    ...marked(`smith ended while this was running; ${known}`, span(`${INDENT}⚠ `, "warning"), "warning", width),
    ...marked(`${item.operation}  ${item.summary}`, span(`${INDENT}  `), "strong", width),
    ...marked(`${since}; nothing was run again.`, span(`${INDENT}  `), "muted", width),
    ...marked(then, span(`${INDENT}→ `, "accent"), "text", width),
  ];
}
