import type { EventOf } from "smith-agent/plugin";
import { allowedCommand, commandMatcher, commandsIn, commandsToAllow, wordsWith } from "./shell/index.js";
import { textMatcher } from "./glob.js";
import { allowedPath, commonPart, heldPath, type NamedPath, readings } from "./paths.js";
import { isAbout, isForAll, type Rule } from "./rule.js";
import { type Subjects, subjectsOf } from "./subjects.js";
import { allowedUrl, heldUrl } from "./urls.js";

/** A call as rules look at it. */
export interface Call {
  readonly tool: string;
  readonly cwd: string;
  readonly subjects: Subjects;
  /** Where paths really lead that go through a link, by the path as the arguments have it. */
  readonly links: ReadonlyMap<string, string>;
  /** What a path of it may be called: as it is spelled, and as what a link on it leads to. */
  readonly readings: (path: string) => readonly NamedPath[];
  /** Everything its command lines run, as far as that can be seen; undefined when one of them is too long to look through. */
  readonly commands: () => readonly string[] | undefined;
}

export function callOf({ tool, cwd, args, links = [] }: Pick<EventOf<"tool-proposed">, "tool" | "cwd" | "args" | "links">): Call {
  const subjects = subjectsOf(args);
  const leads = new Map(links.map(({ path, real }) => [path, real]));
  const known = new Map<string, readonly NamedPath[]>();
  let commands: { readonly found: readonly string[] | undefined } | undefined;
  const look = (): readonly string[] | undefined => {
    const lists = subjects.commands.map(commandsIn);
    return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
  };
  return {
    tool,
    cwd,
    subjects,
    links: leads,
    readings(path) {
      const real = leads.get(path);
      const found = known.get(path) ?? [...readings(cwd, path), ...(real === undefined ? [] : readings(cwd, real))];
      known.set(path, found);
      return found;
    },
    commands: () => (commands ??= { found: look() }).found,
  };
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

function isThingHeld(pattern: string, call: Call): boolean {
  const { paths, urls, texts } = call.subjects;
  // Each is made only where there is something to hold against it: every call meets every rule.
  if (paths.length > 0 && paths.flatMap(call.readings).some(heldPath(pattern))) return true;
  return (urls.length > 0 && urls.some(heldUrl(pattern))) || (texts.length > 0 && texts.some(textMatcher(pattern)));
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
export function partsOf({ cwd, subjects, links }: Call): readonly Part[] | undefined {
  const { folder } = subjects;
  const lines = subjects.commands.map((line) => commandsToAllow(line, cwd, links.get(folder ?? "") ?? folder ?? "."));
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
export function allowsPart({ pattern }: Rule, { kind, text }: Part, call: Pick<Call, "readings">): boolean {
  if (pattern === undefined) return true;
  switch (kind) {
    case "command":
      return allowedCommand(pattern)(text);
    case "path":
      return !/^(?:~|[a-z][a-z0-9+.-]*:\/\/)/iu.test(text) && call.readings(text).every(allowedPath(pattern));
    case "url":
      return allowedUrl(pattern)(text);
    case "text":
      return textMatcher(pattern)(text);
  }
}
