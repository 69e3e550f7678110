import type { KdlNode } from "../../config/index.js";
import type { GrantRoot, Grants, NetGrant, StateGrant } from "../../effect/index.js";
import { UI_INTENTS, type UiIntentType } from "../../schema/index.js";
import { isSecretName, SECRET_EXPECTED } from "./names.js";
import {
  badValue,
  type ManifestScope,
  onlyOne,
  readChildren,
  readList,
  readProperties,
  readTexts,
  rejectProperty,
  unknownProblem,
} from "./node-reader.js";

const ROOT_WORDS = "workspace, temp, anywhere, plugin-data, resources or path:/absolute/folder";
const MANY = { atLeast: 1, atMost: 64 };
const NOTHING = { atLeast: 0, atMost: 0 };
const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** A program by name or path, maybe with the words that follow it, and `*` for a part; `*` alone is any. */
const PROGRAM = /^(\*|(?=.*[^*])[A-Za-z0-9_.+@*/-]+( [\x21-\x7e]+)*)$/u;
const MCP_SERVER = /^(\*|[^\s*]+)$/u;
const ENV_PATTERN = {
  pattern: /^(\*|[A-Za-z_][A-Za-z0-9_]*\*?)$/u,
  expected: "names of variables, with * at the end for all that begin so, or *",
};

/** Reads the `grants` block. What is not named is not granted; state comes from what the plugin declares. */
export function compileGrants(scope: ManifestScope, node: KdlNode | undefined, state: readonly StateGrant[]): Grants {
  if (node !== undefined) {
    readTexts(scope, node, NOTHING);
    readProperties(scope, node, {});
  }
  const found = readChildren(scope, node ?? NO_NODE, [
    "fs",
    "search",
    "process",
    "net",
    "evaluate",
    "vcs",
    "ui",
    "secrets",
    "mcp",
    "agent",
  ]);
  const search = onlyOne(scope, found.search);
  const secrets = onlyOne(scope, found.secrets);
  const mcp = onlyOne(scope, found.mcp);
  return {
    ...fsGrants(scope, onlyOne(scope, found.fs)),
    search: search === undefined ? [] : plainTexts(scope, search, parseRoot, ROOT_WORDS),
    ...processGrants(scope, onlyOne(scope, found.process)),
    net: found.net.flatMap((child) => netGrants(scope, child)),
    evaluate: flagGrant(scope, onlyOne(scope, found.evaluate)),
    vcs: flagGrant(scope, onlyOne(scope, found.vcs)),
    state,
    ui: uiGrants(scope, onlyOne(scope, found.ui)),
    secrets: secrets === undefined ? [] : plainTexts(scope, secrets, secretName, SECRET_EXPECTED),
    mcp:
      mcp === undefined ? [] : plainTexts(scope, mcp, (word) => (MCP_SERVER.test(word) ? word : undefined), "names of MCP servers, or *"),
    agent: flagGrant(scope, onlyOne(scope, found.agent)),
  };
}

const NO_NODE: KdlNode = { name: "grants", line: 1, column: 1, entries: [], children: [] };

/** `*`: all that a person says are secret. */
const secretName = (word: string): string | undefined => (word === "*" || isSecretName(word) ? word : undefined);

function fsGrants(scope: ManifestScope, node: KdlNode | undefined): Pick<Grants, "fsRead" | "fsWrite"> {
  if (node === undefined) return { fsRead: [], fsWrite: [] };
  readTexts(scope, node, NOTHING);
  readChildren(scope, node, []);
  const { read, write } = readProperties(scope, node, { read: "text", write: "text" });
  const roots = (name: string, value: string | undefined): readonly GrantRoot[] => {
    const parsed = value === undefined ? [] : value.split(",").map((word) => parseRoot(word.trim()));
    if (parsed.includes(undefined)) rejectProperty(scope, node, name, `${ROOT_WORDS}, several with commas`);
    return parsed.filter((root) => root !== undefined);
  };
  return { fsRead: roots("read", read), fsWrite: roots("write", write) };
}

const NAMED_ROOTS = ["workspace", "temp", "anywhere", "plugin-data", "resources"] as const;

/** A path is written as it is compared: absolute, nothing doubled, no dots, no slash at its end. */
function parseRoot(word: string): GrantRoot | undefined {
  const named = NAMED_ROOTS.find((root) => root === word);
  if (named !== undefined || !word.startsWith("path:/")) return named;
  const path = word.slice("path:".length);
  const isPlain = path.split("/").every((part, index) => (index === 0 ? part === "" : part !== "" && part !== "." && part !== ".."));
  return isPlain && !path.includes("\0") ? { path } : undefined;
}

function processGrants(scope: ManifestScope, node: KdlNode | undefined): Pick<Grants, "process" | "processEnv"> {
  if (node === undefined) return { process: [], processEnv: [] };
  const { env } = readProperties(scope, node, { env: "text" });
  const expected = 'the name of a program, maybe with words after it such as "git status*", or *';
  return {
    process: checkedTexts(scope, node, (word) => (PROGRAM.test(word) ? word : undefined), expected),
    processEnv: readList(scope, node, { name: "env", value: env }, ENV_PATTERN),
  };
}

/** One grant for each origin, all with the methods and the reach of their node. */
function netGrants(scope: ManifestScope, node: KdlNode): readonly NetGrant[] {
  const properties = readProperties(scope, node, { methods: "text", private: "flag" });
  const entry = node.entries.find(({ name }) => name === "methods");
  const methods = properties.methods?.split(",").map((word) => word.trim()) ?? [];
  const unknown = methods.find((word) => !METHODS.includes(word));
  if (unknown !== undefined && entry !== undefined)
    scope.problems.push(unknownProblem(scope, entry, { word: unknown, owner: "methods of net", words: METHODS }));
  const expected = "an origin such as https://api.example.com or https://*.example.com, without a path, or *";
  return checkedTexts(scope, node, (word) => (isOrigin(word) ? word : undefined), expected).map((origin) => ({
    origin,
    methods,
    private: properties.private ?? false,
  }));
}

/** `*` stands for whole names before a host of at least two. */
function isOrigin(word: string): boolean {
  if (word === "*") return true;
  const [, scheme = "", star, host = ""] = /^(https?:\/\/)(\*\.)?([^*]+)$/u.exec(word) ?? [];
  if (star !== undefined && !/^[^.:]+\.[^:]*[^.:\d]/u.test(host)) return false;
  const plain = `${scheme}${host}`;
  return scheme !== "" && URL.canParse(plain) && new URL(plain).origin === plain;
}

function flagGrant(scope: ManifestScope, node: KdlNode | undefined): boolean {
  if (node === undefined) return false;
  readTexts(scope, node, NOTHING);
  readProperties(scope, node, {});
  readChildren(scope, node, []);
  return true;
}

function uiGrants(scope: ManifestScope, node: KdlNode | undefined): readonly UiIntentType[] {
  if (node === undefined) return [];
  readProperties(scope, node, {});
  readChildren(scope, node, []);
  const known = Object.keys(UI_INTENTS);
  const isIntent = (word: string): word is UiIntentType => Object.hasOwn(UI_INTENTS, word);
  const words = readTexts(scope, node, MANY);
  const wrong = words.find((word) => !isIntent(word));
  if (wrong !== undefined) {
    const entry = node.entries.find(({ value }) => value === wrong) ?? node;
    scope.problems.push(unknownProblem(scope, entry, { word: wrong, owner: "ui", words: known }));
  }
  return words.filter(isIntent);
}

/** Of a node that has nothing but arguments. */
function plainTexts<T>(scope: ManifestScope, node: KdlNode, parse: (word: string) => T | undefined, expected: string): readonly T[] {
  readProperties(scope, node, {});
  return checkedTexts(scope, node, parse, expected);
}

/** The arguments of a node that are what `parse` takes. */
function checkedTexts<T>(scope: ManifestScope, node: KdlNode, parse: (word: string) => T | undefined, expected: string): readonly T[] {
  readChildren(scope, node, []);
  const parsed = readTexts(scope, node, MANY).map((word) => ({ word, value: parse(word) }));
  for (const { word, value } of parsed) {
    const entry = node.entries.find((candidate) => candidate.value === word);
    if (value === undefined && entry !== undefined) scope.problems.push(badValue(scope, entry, `an argument of ${node.name}`, expected));
  }
  return parsed.flatMap(({ value }) => (value === undefined ? [] : [value]));
}
