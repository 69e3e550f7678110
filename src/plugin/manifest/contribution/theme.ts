import { dirname, join } from "node:path";
import { type KdlNode, parseKdl } from "../../../config/index.js";
import type { ThemeContribution, ThemeStyle } from "../../types.js";
import { missingInManifest } from "../diagnostics.js";
import { readFileText } from "../file-text.js";
import { WORD } from "../names.js";
import {
  type ManifestScope,
  nameOf,
  placeOf,
  readChildren,
  readChoice,
  readName,
  readProperties,
  rejectDuplicates,
  rejectProperty,
} from "../node-reader.js";

const COLOUR = /^#[0-9a-f]{6}$/iu;

/** `theme "acme-dark" base="dark" file="themes/acme.kdl" { style "accent" fg="#rrggbb" bold=#true }`; children win over the file. */
export async function compileTheme(scope: ManifestScope, plugin: string, node: KdlNode): Promise<ThemeContribution> {
  const name = readName(scope, node, WORD);
  const { base, file } = readProperties(scope, node, { base: "text", file: "text" });
  const { style } = readChildren(scope, node, ["style"]);
  const fromFile = file === undefined ? [] : await readThemeFile(scope, node, file);
  if (file === undefined && style.length === 0)
    scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "style or file="));
  return {
    name,
    plugin,
    base: readChoice(scope, node, { name: "base", value: base }, ["dark", "light"]),
    styles: Object.fromEntries([...fromFile, ...compileStyles(scope, style)]),
  };
}

/** The same nodes in a file of their own; its problems have places in it. */
async function readThemeFile(scope: ManifestScope, node: KdlNode, file: string): Promise<readonly StyleEntry[]> {
  const text = await readFileText(scope, node, file);
  if (text === undefined) return [];
  const path = join(dirname(scope.path), file);
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) {
    scope.problems.push(...parsed.error);
    return [];
  }
  const inFile = { ...scope, path };
  const root: KdlNode = { name: "a theme", line: 1, column: 1, entries: [], children: parsed.value };
  return compileStyles(inFile, readChildren(inFile, root, ["style"]).style);
}

type StyleEntry = readonly [name: string, style: ThemeStyle];

function compileStyles(scope: ManifestScope, nodes: readonly KdlNode[]): readonly StyleEntry[] {
  rejectDuplicates(scope, nodes);
  return nodes.map((node) => [readName(scope, node, WORD), compileStyle(scope, node)]);
}

function compileStyle(scope: ManifestScope, node: KdlNode): ThemeStyle {
  readChildren(scope, node, []);
  const { fg, bg, ...flags } = readProperties(scope, node, {
    fg: "text",
    bg: "text",
    bold: "flag",
    dim: "flag",
    italic: "flag",
    underline: "flag",
    strike: "flag",
    inverse: "flag",
  });
  for (const [name, colour] of [
    ["fg", fg],
    ["bg", bg],
  ] as const)
    if (colour !== undefined && !COLOUR.test(colour)) rejectProperty(scope, node, name, "a colour such as #e0a458");
  return { ...(fg === undefined ? {} : { fg: fg.toLowerCase() }), ...(bg === undefined ? {} : { bg: bg.toLowerCase() }), ...flags };
}
