/**
 * `smith-agent/plugin` as authors of plugins import it: declarations, made from the sources, and a module for tests that run in Node.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ENTRY = "src/plugin/sdk.ts";
/** A door with much behind it that no plugin sees, and that names what authors need not have installed. */
const DOOR = "base/index.d.ts";

/** Declarations of the SDK and of everything it takes in, by path below `src`. */
function declarations(ts, root) {
  const files = new Map();
  const program = ts.createProgram({
    rootNames: [join(root, ENTRY)],
    options: {
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      declaration: true,
      emitDeclarationOnly: true,
      // Types are checked by `npm run types`; here they are only written down.
      noCheck: true,
      types: [],
      rootDir: join(root, "src"),
      outDir: "/",
    },
  });
  program.emit(undefined, (path, text) => files.set(relative("/", path).replaceAll("\\", "/"), text));
  return files;
}

const parse = (ts, path, text) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);

/** Imports and exports with a module, each with its path and the names it takes; `undefined` for all. */
function uses(ts, path, text) {
  return parse(ts, path, text).statements.flatMap((statement) => {
    if (!(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) || statement.moduleSpecifier === undefined) return [];
    const target = relative("/", resolve("/", dirname(path), statement.moduleSpecifier.text)).replace(/\.js$/u, ".d.ts");
    const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
    const names = clause?.elements?.map((element) => (element.propertyName ?? element.name).text);
    return [{ target: target.replaceAll("\\", "/"), names }];
  });
}

/** The door with only those of its exports that somebody takes. */
function narrowDoor(ts, files) {
  const wanted = new Set();
  for (const [path, text] of files) {
    for (const { target, names } of uses(ts, path, text)) if (target === DOOR) for (const name of names) wanted.add(name);
  }
  const kept = parse(ts, DOOR, files.get(DOOR)).statements.flatMap((statement) => {
    const names = statement.exportClause.elements.map(({ name }) => name.text).filter((name) => wanted.has(name));
    return names.length === 0 ? [] : [`export type { ${names.join(", ")} } from ${statement.moduleSpecifier.getText()};`];
  });
  files.set(DOOR, `${kept.join("\n")}\n`);
}

function reachable(ts, files, from) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { target } of uses(ts, path, files.get(path))) visit(target);
  };
  visit(from);
  return found;
}

/** Writes `types/` and `plugin-sdk.js` into `out`. */
export async function writeSdk(esbuild, { root, out }) {
  const module = esbuild.build({
    absWorkingDir: root,
    entryPoints: { "plugin-sdk": "src/plugin/sdk-in-node.ts" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    outdir: out,
    logLevel: "warning",
  });
  const { default: ts } = await import("typescript");
  const files = declarations(ts, root);
  narrowDoor(ts, files);
  for (const path of reachable(ts, files, "plugin/sdk.d.ts")) {
    mkdirSync(dirname(join(out, "types", path)), { recursive: true });
    writeFileSync(join(out, "types", path), files.get(path));
  }
  await module;
}
