import type { Intent } from "./intent.js";
import { maskQuotes, matchParts } from "./quotes.js";
import { applyRules } from "./rules.js";

const MAX_STEPS = 10;
/** Longer messages carry attached context; only their first line is read. */
const MAX_CHARACTERS = 4000;

/** One request, or several joined by `then` or one a line. Never empty; what no rule knows comes back as `unknown`. */
export function readIntents(text: string): readonly Intent[] {
  if (text.length > MAX_CHARACTERS) return [leadOf(text)];
  const whole = readIntent(text);
  return steps(text, whole, THEN) ?? steps(text, whole, AND) ?? [whole.type === "unknown" ? leadOf(text) : whole];
}

const THEN = /\s*[,;]?\s+(?:and\s+)?then\s+|\s*\n\s*/giu;
const AND =
  /\s*,?\s+and\s+(?!show\s+me\s+(?:the\s+)?(?:output|results?)\b)(?=(?:run|read|show|list|create|write|replace|search|find|explain|summari[sz]e)\s)/giu;

/** The parts as requests of their own, when there are several and every one is understood. */
function steps(text: string, whole: Intent, joint: RegExp): readonly Intent[] | undefined {
  // What a file is to hold may well read like requests.
  if (whole.type === "fix" || (whole.type === "create" && (joint === AND || text.includes("\n")))) return undefined;
  const parts = split(text, joint);
  if (parts.length < 2 || parts.length > MAX_STEPS) return undefined;
  const intents = parts.map(readIntent);
  return intents.every((intent) => intent.type !== "unknown" && intent.type !== "help") ? intents : undefined;
}

/** Attached context follows the request: then its first line alone may be one. A text to be written is never cut like that. */
function leadOf(text: string): Intent {
  const unknown: Intent = { type: "unknown", text: text.trim() };
  const [first = ""] = unknown.text.split("\n", 1);
  if (first.length > MAX_CHARACTERS) return unknown;
  const lead = readIntent(first);
  return lead.type === "unknown" || (lead.type === "create" && first !== unknown.text) ? unknown : lead;
}

function split(text: string, joint: RegExp): readonly string[] {
  const mask = maskQuotes(text);
  const parts: string[] = [];
  let from = 0;
  for (const match of mask.matchAll(joint)) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)].filter((part) => part.trim() !== "");
}

const readIntent = (text: string): Intent => applyRules(plain(text)) ?? { type: "unknown", text: text.trim() };

const BEFORE =
  /^((?:(?:hey|hi|hello|ok|okay|so|and|now|first|also|finally|smith|please|kindly|just|let's|let us)[\s,:!]+(?=\S)|(?:can|could|would|will)\s+you\s+|i(?:'d|\s+would)?\s+(?:like|want|need)\s+(?:you\s+)?to\s+)*)(.*)$/isu;
const AFTER = /^(.*?)((?:[\s,]+(?:please|thanks|thank\s+you|for\s+me|now))*[\s.!?]*)$/isu;
const AFTER_COMMA = /^(.*?)(,\s*(?:please|thanks|thank\s+you)[.!?]*)$/isu;
const TAKES_REST = /^(?:run|execute|[$!]|create|write|put|save|add|make)/iu;

/**
 * Courtesy is not part of a request. Where the rest of the line is a command or a text it is taken literally, but for
 * what a sentence must end in: the mark of a question, the full stop after a command in a sentence that starts as one.
 */
function plain(text: string): string {
  const trimmed = text.trim();
  const body = matchParts(trimmed, BEFORE)?.[1] ?? trimmed;
  if (body === "") return trimmed;
  if (!TAKES_REST.test(body)) return stripped(body, AFTER);
  const rest = stripped(body, AFTER_COMMA);
  const isAsked = /^(?:can|could|would|will)\b/iu.test(trimmed);
  if (isAsked && rest.endsWith("?")) return rest.slice(0, -1);
  const isSentence = /^(?:run|execute)\b/iu.test(rest) && /^\p{Lu}/u.test(trimmed);
  return isSentence ? rest.replace(/(?<=[\p{L}\d"'`])\.$/u, "") : rest;
}

function stripped(text: string, ending: RegExp): string {
  const body = matchParts(text, ending)?.[0] ?? "";
  // A dot on its own is the working directory, and marks alone are a request for help.
  return body === "" || /\s\.$/u.test(text) ? text : body;
}
