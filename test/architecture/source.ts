/** Reads the program's own sources: files, their imports (type imports count), and the syntax tree where a rule needs it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Relative to the repository when the specifier is a path; undefined for packages. */
  readonly path?: string;
  /** `import()` as an expression: loaded when reached. */
  readonly isLazy: boolean;
}

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly tree: ts.SourceFile;
}

/** Every .ts and .tsx file below `folders`, sorted by path. */
export function readSources(...folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) => listFiles(folder).filter((path) => /\.tsx?$/u.test(path))).map(readSource);
}

export function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .sort();
}

export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return { path, text, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0), imports: importsOf(path, tree), tree };
}

const readSource = (path: string): SourceFile => parseSource(path, readFileSync(join(root, path), "utf8"));

/** Calls `visit` for every node. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => {
    walk(child, visit);
  });
}

function importsOf(path: string, tree: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, isLazy: boolean): void => {
    if (node === undefined || !ts.isStringLiteral(node)) return;
    const target = node.text.startsWith(".") ? resolvePath(path, node.text) : undefined;
    found.push({ specifier: node.text, isLazy, ...(target === undefined ? {} : { path: target }) });
  };
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier, false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, false);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], true);
  });
  return found;
}

/** `./x.js` in the sources means `x.ts` or `x.tsx`; which one does not matter to the rules, so `.js` becomes `.ts` unless the file is a .tsx. */
function resolvePath(from: string, specifier: string): string {
  const target = normalize(join(dirname(from), specifier)).replaceAll("\\", "/");
  if (!target.endsWith(".js")) return target;
  const stem = target.slice(0, -3);
  return ts.sys.fileExists(join(root, `${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
}
