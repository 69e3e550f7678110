import type { KdlNode } from "../../config/index.js";
import type { GrantRoot, Grants } from "../../effect/index.js";
import { badValue, type ManifestScope, onlyOne, readChildren, readProperties, readTexts, rejectProperty } from "./node-reader.js";

export const NO_GRANTS: Grants = { fsRead: [], fsWrite: [], search: [], process: [], net: [] };

const ROOT_WORDS = "workspace, temp, anywhere or path:/absolute/folder, several with commas";
const MANY = { atLeast: 1, atMost: 64 };
const NOTHING = { atLeast: 0, atMost: 0 };

/** Reads the `grants` block. What is not named is not granted. */
export function compileGrants(scope: ManifestScope, node: KdlNode | undefined): Grants {
  if (node === undefined) return NO_GRANTS;
  readTexts(scope, node, NOTHING);
  readProperties(scope, node, {});
  const found = readChildren(scope, node, ["fs", "search", "process", "net"]);
  const [fs, search, process, net] = [found.fs, found.search, found.process, found.net].map((nodes) => onlyOne(scope, nodes));
  return {
    ...fsGrants(scope, fs),
    search: search === undefined ? [] : rootsOf(scope, search),
    process: process === undefined ? [] : plainTexts(scope, process),
    net: net === undefined ? [] : originsOf(scope, net),
  };
}

function fsGrants(scope: ManifestScope, node: KdlNode | undefined): Pick<Grants, "fsRead" | "fsWrite"> {
  if (node === undefined) return { fsRead: [], fsWrite: [] };
  readTexts(scope, node, NOTHING);
  const { read, write } = readProperties(scope, node, { read: "text", write: "text" });
  const roots = (name: string, value: string | undefined): readonly GrantRoot[] => {
    const parsed = value === undefined ? [] : value.split(",").map((word) => parseRoot(word.trim()));
    if (parsed.includes(undefined)) rejectProperty(scope, node, name, ROOT_WORDS);
    return parsed.filter((root) => root !== undefined);
  };
  return { fsRead: roots("read", read), fsWrite: roots("write", write) };
}

function parseRoot(word: string): GrantRoot | undefined {
  if (word === "workspace" || word === "temp" || word === "anywhere") return word;
  return word.startsWith("path:/") ? { path: word.slice("path:".length) } : undefined;
}

function plainTexts(scope: ManifestScope, node: KdlNode): readonly string[] {
  readProperties(scope, node, {});
  return readTexts(scope, node, MANY);
}

function rootsOf(scope: ManifestScope, node: KdlNode): readonly GrantRoot[] {
  return checkedTexts(scope, node, parseRoot, ROOT_WORDS);
}

function originsOf(scope: ManifestScope, node: KdlNode): readonly string[] {
  const expected = "an origin such as https://api.example.com, without a path, or *";
  return checkedTexts(scope, node, (word) => (word === "*" || isOrigin(word) ? word : undefined), expected);
}

function checkedTexts<T>(scope: ManifestScope, node: KdlNode, parse: (word: string) => T | undefined, expected: string): readonly T[] {
  const parsed = plainTexts(scope, node).map((word) => ({ word, value: parse(word) }));
  for (const { word, value } of parsed) {
    const entry = node.entries.find((candidate) => candidate.value === word);
    if (value === undefined && entry !== undefined) scope.problems.push(badValue(scope, entry, `an argument of ${node.name}`, expected));
  }
  return parsed.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

function isOrigin(word: string): boolean {
  try {
    const url = new URL(word);
    return (url.protocol === "https:" || url.protocol === "http:") && url.origin === word;
  } catch {
    return false;
  }
}
