import { clockTime } from "../render/index.js";
import { ellipsize, type Row, type Span, span, textWidth, wrapSpans } from "../text/index.js";
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
export function noteRows(item: NoteItem, { width, expanded }: NoteView): readonly Row[] {
  const { text, tone, plugin, style = "muted" } = item;
  const mark = tone === "warning" ? span(`${INDENT}■ `, style === "muted" ? "warning" : style) : span(`${INDENT}· `, style);
  if (item.more !== undefined) return remarkRows(text, item.more, { mark, width, expanded });
  // Of interest to who looks for it: it never takes the room of what was said.
  if (style === "faint" && !expanded) return marked(ellipsize(text, Math.max(1, width - 1 - textWidth(mark.text))), mark, style, width);
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

interface NoteView {
  readonly width: number;
  readonly expanded: boolean;
}

/** As much of it as there is room for beside its first words, whole sentences only; all of it when everything is unfolded. */
function remarkRows(text: string, more: readonly string[], { mark, width, expanded }: NoteView & { readonly mark: Span }): readonly Row[] {
  if (expanded) return [text, ...more].flatMap((line, index) => marked(line, index === 0 ? mark : span(`${INDENT}  `), "muted", width));
  const [why = ""] = more;
  const whole = `${text} ${why}`.trim();
  const isShort = textWidth(mark.text) + textWidth(whole) < width;
  return marked(isShort ? whole : `${text} · ctrl+o`, mark, "muted", width);
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
