import type { EventOf } from "smith-agent/plugin";
import { commandMatcher, commandsIn, commandsToAllow, wordsWith } from "./commands.js";
import { textMatcher } from "./glob.js";
import { allowedPath, commonPart, heldPath, readings } from "./paths.js";
import { isAbout, isForAll, type Rule } from "./rule.js";
import { type Subjects, subjectsOf } from "./subjects.js";
import { allowedUrl, heldUrl } from "./urls.js";

/** A call as rules look at it. */
export interface Call {
  readonly tool: string;
  readonly cwd: string;
  readonly subjects: Subjects;
  /** Everything its command lines run, as far as that can be seen; undefined when one of them is too long to look through. */
  readonly commands: () => readonly string[] | undefined;
}

export function callOf({ tool, cwd, args }: Pick<EventOf<"tool-proposed">, "tool" | "cwd" | "args">): Call {
  const subjects = subjectsOf(args);
  let commands: { readonly found: readonly string[] | undefined } | undefined;
  const look = (): readonly string[] | undefined => {
    const lists = subjects.commands.map(commandsIn);
    return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
  };
  return { tool, cwd, subjects, commands: () => (commands ??= { found: look() }).found };
}

/** Words of one line that are looked at as names of files. More of them count as any name. */
const MAX_WORDS = 4_000;

/** Whether a rule that denies or asks is about a call: about any part of it, in whatever spelling. */
export function holdsFor(rule: Rule, call: Call): boolean {
  if (!isAbout(rule, call.tool)) return false;
  return rule.pattern === undefined || isCommandHeld(rule, rule.pattern, call) || isThingHeld(rule.pattern, call);
}

function isCommandHeld(rule: Rule, pattern: string, { cwd, subjects, commands }: Call): boolean {
  if (subjects.commands.length === 0) return false;
  const found = commands();
  if (found === undefined || found.some(commandMatcher(pattern))) return true;
  return isForAll(rule) && subjects.commands.some((line) => isWordHeld(pattern, line, cwd));
}

function isWordHeld(pattern: string, line: string, cwd: string): boolean {
  const words = wordsWith(line, commonPart(pattern.normalize("NFC")));
  const isHeld = heldPath(pattern);
  return words.length > MAX_WORDS || words.some((word) => readings(cwd, word).some(isHeld));
}

function isThingHeld(pattern: string, { cwd, subjects: { paths, urls, texts } }: Call): boolean {
  const isHeld = heldPath(pattern);
  return paths.some((path) => readings(cwd, path).some(isHeld)) || urls.some(heldUrl(pattern)) || texts.some(textMatcher(pattern));
}

/** One thing of a call that some rule has to allow. */
export interface Part {
  readonly kind: "command" | "path" | "url" | "text";
  readonly text: string;
}

/**
 * Everything of a call that has to be allowed for it to run unasked; undefined when only a rule without a pattern can do that. What a
 * call searches for counts only when it names nothing else.
 */
export function partsOf({ cwd, subjects }: Call): readonly Part[] | undefined {
  const { folder } = subjects;
  const lines = subjects.commands.map((line) => commandsToAllow(line, cwd, folder ?? "."));
  if (lines.includes(undefined)) return undefined;
  const parts: readonly Part[] = [
    ...lines.flatMap((commands) => (commands ?? []).map((text) => ({ kind: "command" as const, text }))),
    ...subjects.paths.filter((path) => path !== folder).map((text) => ({ kind: "path" as const, text })),
    ...subjects.urls.map((text) => ({ kind: "url" as const, text })),
  ];
  const named = parts.length > 0 ? parts : subjects.texts.map((text) => ({ kind: "text" as const, text }));
  return named.length > 0 ? named : undefined;
}

/** Whether a rule allows one part of a call of its tools. */
export function allowsPart({ pattern }: Rule, { kind, text }: Part, cwd: string): boolean {
  if (pattern === undefined) return true;
  switch (kind) {
    case "command":
      return commandMatcher(pattern)(text);
    case "path":
      return !/^(?:~|[a-z][a-z0-9+.-]*:\/\/)/iu.test(text) && readings(cwd, text).every(allowedPath(pattern));
    case "url":
      return allowedUrl(pattern)(text);
    case "text":
      return textMatcher(pattern)(text);
  }
}
