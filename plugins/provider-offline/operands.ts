import { leadingQuote, maskQuotes, quoted } from "./quotes.js";

const KNOWN_FILES = /^(?:makefile|dockerfile|license|readme|changelog|procfile|gemfile|rakefile)$/iu;
const HERE =
  /^(?:|\.|here|there|(?:in\s+)?(?:this|the)(?:\s+current)?(?:\s+(?:folder|directory|project|repo|repository|workspace|place))?|(?:current|working)\s+(?:folder|directory)|this|project|everywhere|everything|all\s+files)$/iu;
const MAX_WORDS = 3;

/** Text taken literally: the content of quotes, else the words themselves. A fenced block loses the line break before its end. */
export function textOperand(raw: string): string {
  const text = raw.trim();
  const inner = quoted(text);
  if (inner === undefined) return text;
  return text.startsWith("```") ? inner.replace(/\n$/u, "") : inner;
}

/** A command line: a leading code span alone, else all the words but a wish to be told the result. */
export function commandOperand(raw: string): string {
  const text = raw.trim();
  const inner = quoted(text) ?? (text.startsWith("`") ? leadingQuote(text) : undefined);
  return (inner ?? text.replace(/\s*,?\s+and\s+(?:show|tell|give|report)\s+(?:me|back)\b.*$/isu, "")).trim();
}

/** A path to a file, or nothing when the words are no path: a name without quotes has few words. */
export function fileOperand(raw: string): string | undefined {
  const text = raw
    .trim()
    .replace(/^(?:the\s+|this\s+)?file\s+/iu, "")
    .replace(/^the\s+/iu, "");
  const inner = quoted(text) ?? quoted(text.replace(/[.,;:!?]+$/u, ""));
  if (inner !== undefined) return inner === "" ? undefined : inner;
  const name = text
    .replace(/\s+(?:file|please)$/iu, "")
    .replace(/[,;:!?]+$/u, "")
    .replace(/(?<=[\p{L}\d])\.$/u, "")
    .replace(/^@/u, "");
  const words = name.split(/\s+/u).length;
  if (name === "" || maskQuotes(name) !== name || words > MAX_WORDS) return undefined;
  return words === 1 || looksLikeFile(name) ? name : undefined;
}

/** A path to a folder; nothing for the working directory, however it is called. */
export function folderOperand(raw: string): string | undefined {
  const text = raw.trim();
  const inner = quoted(text);
  if (inner !== undefined) return inner;
  if (HERE.test(text)) return undefined;
  const name = text
    .replace(/^(?:(?:in|inside|of|under|from)\s+)/iu, "")
    .replace(/^(?:the|my|our)\s+/iu, "")
    .replace(/^(?:folder|directory)\s+/iu, "")
    .replace(/\s+(?:folder|directory)$/iu, "")
    .replace(/[,;:!?]+$/u, "")
    .replace(/^@/u, "");
  return HERE.test(name) ? undefined : name;
}

/** Has an ending, or is one of the names that files without one have. */
export function looksLikeFile(raw: string): boolean {
  const text = raw.trim();
  const name =
    (quoted(text) ?? text)
      .replace(/[?!,;:]+$/u, "")
      .split(/[/\\]/u)
      .at(-1) ?? "";
  return /[\p{L}\d_)\]-]\.[\p{L}\d]{1,10}$/u.test(name) || /^\.[\p{L}\d]/u.test(name) || KNOWN_FILES.test(name);
}
