import ignore from "ignore";
import type { Ignore } from "ignore";
import type { BytePath } from "../../paths/index.js";
import { baseOf, fromText } from "../../paths/index.js";

export type Verdict = "ignored" | "wanted" | undefined;

/** Rules of one file, for paths below `base`. */
export interface RuleFile {
  readonly base: BytePath;
  readonly matcher: Ignore;
  /** Whether any rule may say something about a path of that last name: a quick look that spares most paths the long one. */
  readonly mayTell: (name: string) => boolean;
  readonly isFolded: boolean;
}

/** Git compares bytes: `?` is one of them and `é` is two. Those of no ASCII stand as private characters, which are no blanks and have no case. */
const asUnits = (bytes: BytePath): string => bytes.replace(/[\x80-\xff]/gu, (byte) => String.fromCharCode(0xe000 + byte.charCodeAt(0)));

/** What matchers see of a path below `base`. */
const nameBelow = (base: BytePath, path: BytePath): string => asUnits(path.slice(base === "/" ? 1 : base.length + 1) as BytePath);

/** `isFolded`: as git does it where `core.ignoreCase` is set, upper and lower case of ASCII are the same. */
export function createRuleFile(base: BytePath, content: string, isFolded = false): RuleFile {
  const text = content.replace(/^\ufeff/u, "");
  const matcher = ignore({ ignorecase: isFolded }).add(asUnits(fromText(text)));
  const lines = text.split(/\r?\n/u);
  if (!isFolded) return { base, matcher, mayTell: quickLook(lines), isFolded };
  const mayTell = quickLook(lines.map(lowered));
  return { base, matcher, mayTell: (name) => mayTell(lowered(name)), isFolded };
}

const lowered = (text: string): string => text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());

/** With an exception for a folder, as a last rule. */
export function withException({ base, matcher, mayTell, isFolded }: RuleFile, folder: BytePath): RuleFile {
  const name = nameBelow(base, folder).replace(/[\\*?[\]!# ]/gu, "\\$&");
  const last = baseOf(folder);
  return {
    base,
    matcher: ignore({ ignorecase: isFolded }).add(matcher).add(`!/${name}/`),
    mayTell: (asked) => asked === last || mayTell(asked),
    isFolded,
  };
}

/** Asks for paths only of which no parent is ignored. */
export function verdictOf({ base, matcher, mayTell }: RuleFile, path: BytePath, isFolder: boolean): Verdict {
  if (!mayTell(path.slice(path.lastIndexOf("/") + 1))) return undefined;
  const name = nameBelow(base, path);
  if (name === "") return undefined;
  const { ignored, unignored } = matcher.test(isFolder ? `${name}/` : name);
  return ignored ? "ignored" : unignored ? "wanted" : undefined;
}

/**
 * A rule can only match a path whose last name fits the rule's last part, so that is compared alone, more loosely than the rule is. Rules
 * whose last part says nothing are asked about everything.
 */
function quickLook(lines: readonly string[]): (name: string) => boolean {
  const names = new Set<string>();
  const shapes: string[] = [];
  for (const line of lines) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    // Blanks at the end and backslashes have rules of their own.
    const part = /[\\\s]/u.test(line) ? undefined : line.replace(/^!/u, "").replace(/\/$/u, "").split("/").at(-1);
    if (part === undefined || part === "" || /^\*+$/u.test(part)) return () => true;
    if (/[*?[]/u.test(part)) shapes.push(looseShape(part));
    else names.add(fromText(part));
  }
  if (shapes.length === 0) return (name) => names.has(name);
  const shape = new RegExp(`^(?:${shapes.join("|")})$`, "s");
  return (name) => names.has(name) || shape.test(name);
}

/** Any text for whatever is no letter of its own. */
const looseShape = (part: string): string =>
  fromText(part.replace(/\[.*$/su, "*"))
    .split(/[*?]+/u)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"))
    .join(".*");
