import { commandsIn, commandsToAllow, matchesCommand, wordsIn } from "./commands.js";
import { matchesText } from "./glob.js";
import { allowsPath, holdsForPath, readings } from "./paths.js";
import { isAbout, isForAll, type Rule } from "./rule.js";
import type { Subjects } from "./subjects.js";
import { allowsUrl, holdsForUrl } from "./urls.js";

/** A call as rules look at it. */
export interface Call {
  readonly tool: string;
  readonly cwd: string;
  readonly subjects: Subjects;
}

/** Words of one line that are looked at as names of files. More of them count as any name. */
const MAX_WORDS = 4_000;

/** Whether a rule that denies or asks is about a call: about any part of it, in whatever spelling. */
export function holdsFor(rule: Rule, { tool, cwd, subjects }: Call): boolean {
  const { pattern } = rule;
  if (!isAbout(rule, tool)) return false;
  if (pattern === undefined) return true;
  const isPathHeld = (path: string): boolean => readings(cwd, path).some((named) => holdsForPath(pattern, named));
  return (
    subjects.commands.some((line) => commandsIn(line)?.some((command) => matchesCommand(pattern, command)) ?? true) ||
    (isForAll(rule) && subjects.commands.some((line) => isWordHeld(line, isPathHeld))) ||
    subjects.paths.some(isPathHeld) ||
    subjects.urls.some((url) => holdsForUrl(pattern, url)) ||
    subjects.texts.some((text) => matchesText(pattern, text))
  );
}

function isWordHeld(line: string, isHeld: (word: string) => boolean): boolean {
  const words = wordsIn(line);
  return words.length > MAX_WORDS || words.some(isHeld);
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
      return matchesCommand(pattern, text);
    case "path":
      return !/^(?:~|[a-z][a-z0-9+.-]*:\/\/)/iu.test(text) && readings(cwd, text).every((path) => allowsPath(pattern, path));
    case "url":
      return allowsUrl(pattern, text);
    case "text":
      return matchesText(pattern, text);
  }
}
