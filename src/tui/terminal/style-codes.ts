import { invariant } from "../../base/index.js";
import { type Row, type Span } from "../text/index.js";
import { STYLE_NAMES, type StyleName } from "../theme/index.js";

/** How style names travel through Ink, which keeps SGR codes: style number n is the 256-colour foreground n. Never sent to a terminal. */
const NUMBERS: ReadonlyMap<StyleName, number> = new Map(STYLE_NAMES.map((name, index) => [name, index]));

export function encodeStyle(text: string, style: StyleName): string {
  const number = NUMBERS.get(style);
  invariant(number !== undefined, `style ${style} has a number`);
  return `\x1b[38;5;${String(number)}m${text}\x1b[39m`;
}

/** A line of Ink's output back to spans. */
export function decodeStyles(line: string): Row {
  const spans: Span[] = [];
  let style: StyleName = "text";
  for (const [index, part] of line.split(/\x1b\[([0-9;]*)m/).entries()) {
    if (index % 2 === 1) style = part.startsWith("38;5;") ? (STYLE_NAMES[Number(part.slice(5))] ?? "text") : "text";
    else if (part !== "") spans.push({ text: part, style });
  }
  return { spans };
}
