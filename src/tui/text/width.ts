import fastStringWidth from "fast-string-width";

const ASCII = /^[ -~]*$/;
const UNCERTAIN = /\u200d|\ufe0e|\ufe0f|[\u{1f000}-\u{1faff}]|[\u{e0020}-\u{e007f}]|\p{M}/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export const isAscii = (text: string): boolean => ASCII.test(text);

/** Cells a sanitized text takes. A lone regional indicator counts 2, so a flag that is still arriving does not change its width. */
export function textWidth(text: string): number {
  return isAscii(text) ? text.length : fastStringWidth(text);
}

/** User-perceived characters. */
export function* graphemes(text: string): Generator<string> {
  if (isAscii(text)) {
    yield* text;
    return;
  }
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Whether terminals may disagree about the cells of this text (emoji, joined or not, variation selectors, combining marks, flags). */
export const isUncertain = (text: string): boolean => !isAscii(text) && UNCERTAIN.test(text);

/** Longest prefix that fits `columns`, by grapheme. */
export function clipText(text: string, columns: number): string {
  if (text.length <= columns && isAscii(text)) return text;
  if (isAscii(text)) return text.slice(0, Math.max(0, columns));
  let used = 0;
  let out = "";
  for (const cluster of graphemes(text)) {
    used += textWidth(cluster);
    if (used > columns) break;
    out += cluster;
  }
  return out;
}

/** As `clipText`, with `…` in the last cell when something was cut. */
export function ellipsize(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns <= 0 ? "" : `${clipText(text, columns - 1)}…`;
}

/** Cuts from the left instead: the end of a path says more than its start. */
export function ellipsizeStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  const clusters = [...graphemes(text)];
  let used = 1;
  let first = clusters.length;
  while (first > 0) {
    const width = textWidth(clusters[first - 1] ?? "");
    if (used + width > columns) break;
    used += width;
    first -= 1;
  }
  return `…${clusters.slice(first).join("")}`;
}
