import { closest } from "../../base/index.js";
import type { KdlNode, KdlValue } from "../../config/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { badManifestValue, duplicateInManifest, type ManifestPlace, missingInManifest, unknownWord } from "./diagnostics.js";

/** Text of a file of the plugin's folder, by relative name; undefined when there is none. */
export type ReadFile = (name: string) => Promise<string | undefined> | string | undefined;

/** One manifest while it is compiled. Every problem is collected; values that had one are replaced by something harmless. */
export interface ManifestScope {
  readonly path: string;
  readonly readFile: ReadFile;
  readonly problems: Diagnostic[];
  /** Texts taken from files, by name. */
  readonly files: Map<string, string>;
}

const KINDS = {
  text: { expected: "a text", accepts: (value: unknown): value is string => typeof value === "string" },
  flag: { expected: "#true or #false", accepts: (value: unknown): value is boolean => typeof value === "boolean" },
  integer: { expected: "a whole number", accepts: (value: unknown): value is number => Number.isSafeInteger(value) },
  any: { expected: "a value", accepts: (value: unknown): value is KdlValue["value"] => value !== undefined },
  number: { expected: "a number", accepts: (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) },
} as const;

type Kind = keyof typeof KINDS;
type ValueOf<K extends Kind> = (typeof KINDS)[K]["accepts"] extends (value: unknown) => value is infer T ? T : never;

export const placeOf = (scope: ManifestScope, { line, column }: KdlNode | KdlValue): ManifestPlace => ({ path: scope.path, line, column });

/** A node as messages name it: `tool "read"`. */
export function nameOf(node: KdlNode): string {
  const first = node.entries.find(({ name }) => name === undefined);
  return first === undefined ? node.name : `${node.name} ${JSON.stringify(first.value)}`;
}

const shown = (value: KdlValue["value"]): string =>
  typeof value === "string" ? JSON.stringify(value) : value === null ? "#null" : typeof value === "boolean" ? `#${value}` : String(value);

/** The properties of a node by name. Unknown ones and ones of the wrong type are problems and left out. */
export function readProperties<S extends { readonly [name: string]: Kind }>(
  scope: ManifestScope,
  node: KdlNode,
  known: S,
): { readonly [K in keyof S]?: ValueOf<S[K]> } {
  const values: Record<string, unknown> = {};
  for (const entry of node.entries) {
    const { name, value } = entry;
    if (name === undefined) continue;
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined)
      scope.problems.push(unknownProblem(scope, entry, { word: name, owner: nameOf(node), words: Object.keys(known) }));
    else if (Object.hasOwn(values, name)) scope.problems.push(duplicateInManifest(placeOf(scope, entry), `${name} of ${nameOf(node)}`));
    else if (!KINDS[kind].accepts(value)) scope.problems.push(badValue(scope, entry, `${name} of ${nameOf(node)}`, KINDS[kind].expected));
    else values[name] = value;
  }
  // Each value was accepted by the kind its name has.
  return values as { readonly [K in keyof S]?: ValueOf<S[K]> };
}

/** The arguments of a node, which must be texts; `atMost` and `atLeast` count them. */
export function readTexts(
  scope: ManifestScope,
  node: KdlNode,
  { atLeast, atMost }: { readonly atLeast: number; readonly atMost: number },
): readonly string[] {
  const given = node.entries.filter(({ name }) => name === undefined);
  const texts: string[] = [];
  for (const entry of given.slice(0, atMost)) {
    if (typeof entry.value === "string" && entry.value !== "") texts.push(entry.value);
    else scope.problems.push(badValue(scope, entry, `an argument of ${node.name}`, "a text that is not empty"));
  }
  const extra = given[atMost];
  if (extra !== undefined)
    scope.problems.push(badValue(scope, extra, `an argument of ${nameOf(node)}`, `absent: ${node.name} takes ${atMost}`));
  if (given.length < atLeast) scope.problems.push(missingInManifest(placeOf(scope, node), node.name, "argument"));
  return texts;
}

/** The one text argument a node is named by; checked against the pattern. */
export function readName(scope: ManifestScope, node: KdlNode, named: NamePattern): string {
  const [name] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  if (name === undefined) return "";
  checkName(scope, node, name, named);
  return name;
}

/** A name that every object of JavaScript has would be found where nothing was put. */
const isInherited = (name: string): boolean => name in {};

export function checkName(scope: ManifestScope, node: KdlNode, name: string, { pattern, expected }: NamePattern): void {
  const entry = node.entries.find((candidate) => candidate.name === undefined);
  if (entry === undefined) return;
  const subject = `the name of ${node.name}`;
  if (!pattern.test(name)) scope.problems.push(badValue(scope, entry, subject, expected));
  else if (isInherited(name)) scope.problems.push(badValue(scope, entry, subject, "another word: this one means something in JavaScript"));
}

export interface NamePattern {
  readonly pattern: RegExp;
  /** Completes "must be". */
  readonly expected: string;
}

/** A required property; `fallback` stands in for it once its absence is a problem. */
export function requireValue<T>(
  scope: ManifestScope,
  node: KdlNode,
  named: { readonly name: string; readonly value: T | undefined; readonly fallback: T },
): T {
  if (named.value !== undefined) return named.value;
  // A property of the wrong type was reported where it stands.
  if (!node.entries.some(({ name }) => name === named.name))
    scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), named.name));
  return named.fallback;
}

/** The words of a property that holds several, separated by commas. Empty ones, ones that do not fit and ones given twice are problems. */
export function readList(
  scope: ManifestScope,
  node: KdlNode,
  named: { readonly name: string; readonly value: string | undefined },
  { pattern, expected }: NamePattern,
): readonly string[] {
  if (named.value === undefined) return [];
  const words = named.value.split(",").map((word) => word.trim());
  if (words.some((word) => !pattern.test(word) || isInherited(word)))
    rejectProperty(scope, node, named.name, `${expected}; several with commas`);
  else if (new Set(words).size < words.length) rejectProperty(scope, node, named.name, "each word once");
  return [...new Set(words)];
}

/** A whole number inside of bounds; `usual` where it is left out. */
export function readCount(
  scope: ManifestScope,
  node: KdlNode,
  named: { readonly name: string; readonly value: number | undefined },
  { usual, min, max }: { readonly usual: number; readonly min: number; readonly max: number },
): number {
  const { name, value = usual } = named;
  if (value < min || value > max) rejectProperty(scope, node, name, `${min} to ${max}`);
  return value;
}

/** One of some words; the first where it is left out. */
export function readChoice<const W extends string>(
  scope: ManifestScope,
  node: KdlNode,
  named: { readonly name: string; readonly value: string | undefined },
  words: readonly [W, ...W[]],
): W {
  const { name, value = words[0] } = named;
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  const entry = node.entries.find((candidate) => candidate.name === name) ?? node;
  scope.problems.push(unknownProblem(scope, entry, { word: value, owner: `${name} of ${nameOf(node)}`, words }));
  return words[0];
}

/** Reports a property's value that has the right type and is wrong all the same. */
export function rejectProperty(scope: ManifestScope, node: KdlNode, name: string, expected: string): void {
  const entry = node.entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) scope.problems.push(badValue(scope, entry, `${name} of ${nameOf(node)}`, expected));
}

/** The child nodes of each known name, in order; others are problems. */
export function readChildren<const N extends string>(
  scope: ManifestScope,
  node: KdlNode,
  known: readonly N[],
): { readonly [K in N]: readonly KdlNode[] } {
  const found = new Map<string, KdlNode[]>(known.map((name) => [name, []]));
  for (const child of node.children) {
    const group = found.get(child.name);
    if (group === undefined) scope.problems.push(unknownProblem(scope, child, { word: child.name, owner: nameOf(node), words: known }));
    else group.push(child);
  }
  // Made with exactly these names above.
  return Object.fromEntries(found) as unknown as { readonly [K in N]: readonly KdlNode[] };
}

/** The one child of a name, if any; a second is a problem. */
export function onlyOne(scope: ManifestScope, nodes: readonly KdlNode[]): KdlNode | undefined {
  const second = nodes[1];
  if (second !== undefined) scope.problems.push(duplicateInManifest(placeOf(scope, second), second.name));
  return nodes[0];
}

/** Reports names that two of `nodes` share. */
export function rejectDuplicates(scope: ManifestScope, nodes: readonly KdlNode[]): void {
  const seen = new Set<string>();
  for (const node of nodes) {
    const name = nameOf(node);
    if (seen.has(name)) scope.problems.push(duplicateInManifest(placeOf(scope, node), name));
    seen.add(name);
  }
}

/** A word that is none of `words`; `owner` is what has no such word. */
export const unknownProblem = (
  scope: ManifestScope,
  element: KdlNode | KdlValue,
  { word, owner, words }: { readonly word: string; readonly owner: string; readonly words: readonly string[] },
): Diagnostic => unknownWord(placeOf(scope, element), word, owner, { nearest: closest(word, words), words });

export const badValue = (scope: ManifestScope, entry: KdlValue, subject: string, expected: string): Diagnostic =>
  badManifestValue(placeOf(scope, entry), subject, shown(entry.value), expected);
