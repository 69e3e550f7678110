import { entities } from "./entities.js";

/** Elements whose words nobody reads. */
const SILENT = /^(?:script|style|noscript|template|svg|title|textarea)$/u;
const INLINE = /^(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u|var|wbr)$/u;
/** Characters a tag may have; a longer one ends there. */
const MAX_NAME = 40;

/**
 * The words of a page without its structure, one line for each block. In time that grows with the length alone, whatever the markup is:
 * for pages that are too tangled to be taken apart.
 */
export function plainText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    parts.push(html.slice(at, open));
    const close = html.indexOf(">", open);
    if (close < 0) {
      at = html.length;
      break;
    }
    const name = /^<\/?([a-z][a-z0-9-]*)/iu.exec(html.slice(open, open + MAX_NAME))?.[1]?.toLowerCase() ?? "";
    parts.push(INLINE.test(name) ? "" : "\n");
    const isSilent = html[open + 1] !== "/" && SILENT.test(name);
    at = isSilent ? endOf(html, name, close + 1) : close + 1;
  }
  parts.push(html.slice(at));
  return entities(parts.join(""))
    .split("\n")
    .map((line) => line.replace(/[^\S\n]+/gu, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** Behind the element's own end; all the rest belongs to one that has none. */
function endOf(html: string, name: string, from: number): number {
  for (let at = from; ;) {
    const end = html.indexOf("</", at);
    if (end < 0) return html.length;
    at = end + 2;
    if (html.slice(at, at + name.length).toLowerCase() === name) return end;
  }
}
