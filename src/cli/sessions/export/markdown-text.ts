import type { Token } from "marked";
import { lexMarkdown } from "./lexer.js";

const FENCE = /^(\s*)(`{3,}|~{3,})([^\n]*)$/u;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u;
const TAG_OPENER = /<(?=[A-Za-z/!?])/gu;

/**
 * Markdown of the model as part of a larger document: it can neither swallow what follows nor load anything. Fences left open
 * are closed, HTML outside of code becomes text, images become links. What cannot be made so comes as a block of code.
 */
export function containedMarkdown(text: string): string {
  const contained = defused(text);
  return isContained(contained) ? contained : fenced(text, "markdown").trimEnd();
}

const PROBE = "end of the text";

/** Whether a reader of Markdown finds nothing in it that acts, and what follows it outside of it. */
function isContained(text: string): boolean {
  const tokens = lexMarkdown(`${text}\n\n${PROBE}`);
  const last = tokens?.at(-1);
  return last?.type === "paragraph" && last.raw === PROBE && tokens !== undefined && !holdsActing(tokens);
}

/** Only tokens that the lexer could make are met here, so the depth is bounded by it. */
function holdsActing(tokens: readonly Token[]): boolean {
  return tokens.some((token) => {
    if (token.type === "html" || token.type === "image" || token.type === "def") return true;
    // Tokens of extensions are typed as records of anything; none are installed.
    const { tokens: inner = [], items = [], header = [], rows = [] } = token as Nested;
    return [inner, items, ...header.map((cell) => cell.tokens), ...rows.flat().map((cell) => cell.tokens)].some(holdsActing);
  });
}

interface Nested {
  readonly tokens?: readonly Token[];
  readonly items?: readonly Token[];
  readonly header?: readonly { readonly tokens: readonly Token[] }[];
  readonly rows?: readonly (readonly { readonly tokens: readonly Token[] }[])[];
}

function defused(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  let isInList = false;
  let isSettled = true;
  for (const line of text.split("\n")) {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      lines.push(line);
      continue;
    }
    if (line.trim() === "") isSettled = true;
    else if (LIST_ITEM.test(line)) isInList = true;
    else if (/^\S/u.test(line)) isInList = false;
    fence = opens(line, isInList);
    if (fence !== undefined) lines.push(line);
    else {
      const spans = splitCode(line);
      isSettled &&= spans.isPaired;
      lines.push(isSettled ? spans.parts.map((part, index) => (index % 2 === 0 ? inert(part) : part)).join("") : inert(line));
    }
  }
  if (fence !== undefined) lines.push(fence);
  return lines.join("\n");
}

const inert = (text: string): string => text.replace(TAG_OPENER, "&lt;").replaceAll("![", "!\\[");

function opens(line: string, isInList: boolean): string | undefined {
  const match = FENCE.exec(line);
  if (match === null) return undefined;
  const [, indent = "", marker = "", info = ""] = match;
  const isCode = (isInList || indent.length <= 3) && !(marker.startsWith("`") && info.includes("`"));
  return isCode ? indent + marker : undefined;
}

const closes = (line: string, fence: string): boolean => {
  const marker = line.trim();
  const opened = fence.trim();
  return marker.length >= opened.length && marker === opened.charAt(0).repeat(marker.length);
};

/**
 * Text and code spans in turn, beginning with text. Only while every earlier line of its paragraph paired all its backticks
 * is what pairs on this line certain to be code for every reader of Markdown.
 */
function splitCode(line: string): { readonly parts: readonly string[]; readonly isPaired: boolean } {
  // Whether a backslash escapes a backtick depends on what it is in.
  if (line.includes("\\`")) return { parts: [line], isPaired: false };
  const runs = [...line.matchAll(/`+/gu)];
  const parts: string[] = [];
  let at = 0;
  for (let open = 0; open < runs.length; open += 1) {
    const opener = runs[open];
    const close = runs.findIndex((run, index) => index > open && run[0].length === opener?.[0].length);
    const closer = runs[close];
    if (opener === undefined || closer === undefined) return { parts: [...parts, line.slice(at)], isPaired: false };
    const end = closer.index + closer[0].length;
    parts.push(line.slice(at, opener.index), line.slice(opener.index, end));
    at = end;
    open = close;
  }
  return { parts: [...parts, line.slice(at)], isPaired: true };
}

/** Shortest fence that nothing inside can close. */
export function fenced(text: string, info = ""): string {
  const longest = [...text.matchAll(/`+/gu)].reduce((length, [run]) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${text.replace(/\n+$/u, "")}\n${fence}\n`;
}

export const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

/** Text that is no Markdown, on one line of a Markdown document. */
export const literal = (text: string): string => text.replace(/[\\`*_[\]<>|~&]/gu, "\\$&");

/** One line as code, whatever it holds. */
export function code(text: string): string {
  if (text === "") return "";
  const longest = [...text.matchAll(/`+/gu)].reduce((length, [run]) => Math.max(length, run.length), 0);
  const ticks = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}
