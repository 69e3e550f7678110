/** The house rules as functions from sources to complaints, so that each rule can be shown to catch what it forbids. */
import type { SourceFile } from "./source.js";
import rules from "./rules.json" with { type: "json" };

const imports: Readonly<Record<string, readonly string[]>> = rules.imports;
const lazyImports: Readonly<Record<string, readonly string[]>> = rules.lazyImports;
const packages: Readonly<Record<string, readonly string[]>> = rules.packages;
const nodeModules: Readonly<Record<string, readonly string[]>> = rules.nodeModules;

const folderOf = (path: string): string | undefined => /^src\/([^/]+)\//u.exec(path)?.[1];

/** Folders import downwards by the table, and only each other's door. */
export function importComplaints(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((imported) => (imported.path === undefined ? [] : complainAbout(file, imported.path, imported.isLazy))),
  );
}

/** Second doors, for what must run before or without the rest of a folder; a door exports everything, so it loads everything. */
const EARLY_DOORS: ReadonlySet<string> = new Set([
  "src/runtime/early.ts",
  "src/runtime/records.ts",
  "src/runtime/plugin-admin.ts",
  "src/runtime/model-admin.ts",
  "src/runtime/secret-admin.ts",
  "src/runtime/server-admin.ts",
  "src/runtime/machine.ts",
]);

/** Folder of the plugin a file belongs to, bundled or an example. */
const pluginHome = (path: string): string | undefined => /^(?:plugins|docs\/examples)\/[^/]+\//u.exec(path)?.[0].slice(0, -1);

function complainAbout(file: SourceFile, target: string, isLazy: boolean): readonly string[] {
  const home = pluginHome(file.path);
  if (home !== undefined) {
    return target.startsWith(`${home}/`)
      ? []
      : [`${file.path} imports ${target}: a plugin sees only its own folder and smith-agent/plugin`];
  }
  const from = folderOf(file.path);
  const to = folderOf(target);
  if (from === to || to === undefined) return [];
  const door = `src/${to}/index.ts`;
  return [
    ...(target === door || (isLazy && EARLY_DOORS.has(target)) ? [] : [`${file.path} imports ${target}: use the door ${door}`]),
    ...(maySee(file.path, to, isLazy) ? [] : [`${file.path} imports ${to}: the table does not let ${from ?? "bin"} see it`]),
  ];
}

function maySee(path: string, to: string, isLazy: boolean): boolean {
  const from = folderOf(path);
  if (from === undefined) return to === "cli";
  return imports[from]?.includes(to) === true || (isLazy && lazyImports[path]?.includes(to) === true);
}

/** Packages and Node modules stay in their homes; plugins have none. */
export function fenceComplaints(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    file.imports.flatMap(({ specifier, path }) => {
      if (path !== undefined) return [];
      if (pluginHome(file.path) !== undefined)
        return specifier === "smith-agent/plugin" ? [] : [`${file.path} imports ${specifier}: a plugin has no packages`];
      const homes = homesOf(specifier);
      if (homes === "unknown")
        return [`${file.path} imports ${specifier}: give it a home in rules.json and a row in the dependency record`];
      return homes.length === 0 || homes.some((home) => file.path.startsWith(home))
        ? []
        : [`${file.path} imports ${specifier}: fenced in ${homes.join(", ")}`];
    }),
  );
}

function homesOf(specifier: string): readonly string[] | "unknown" {
  if (specifier.startsWith("node:")) return nodeModules[specifier.slice(5).split("/")[0] ?? ""] ?? [];
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  return packages[name] ?? "unknown";
}

/** Groups of files that import each other in a circle. */
export function cycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const edges = new Map(files.map((file) => [file.path, file.imports.flatMap(({ path }) => (path === undefined ? [] : [path]))]));
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push([...trail.slice(trail.indexOf(path)), path]);
      return;
    }
    state.set(path, "open");
    trail.push(path);
    for (const next of edges.get(path) ?? []) visit(next);
    trail.pop();
    state.set(path, "done");
  };
  for (const path of edges.keys()) visit(path);
  return found;
}

const MAX_LINES = 400;
const MAX_TEST_LINES = 600;
const MAX_IMPORTS = 20;
const MAX_FILES = 16;

export function sizeComplaints(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const most = file.path.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES;
    // What is loaded when reached is data here (a table of languages), not something the file is built on.
    const imported = new Set(file.imports.filter(({ isLazy }) => !isLazy).map(({ specifier }) => specifier)).size;
    return [
      ...(file.lines > most ? [`${file.path} has ${file.lines} lines; ${most} is the stop`] : []),
      ...(imported > MAX_IMPORTS && file.path !== "src/runtime/compose.ts"
        ? [`${file.path} has ${imported} imports; ${MAX_IMPORTS} is the stop`]
        : []),
    ];
  });
}

export function folderComplaints(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} holds ${count} files; ${MAX_FILES} is the stop`);
}

const VAGUE = /(^|\/)(utils?|helpers?|common|misc|manager|service)(\/|\.|-)/u;

export function nameComplaints(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const good = /\.tsx$/u.test(name)
      ? /^([A-Z][A-Za-z0-9]*|[a-z0-9]+(-[a-z0-9]+)*)(\.test)?\.tsx$/u
      : /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/u;
    return [
      ...(good.test(name) ? [] : [`${path}: kebab-case, components in PascalCase.tsx`]),
      ...(VAGUE.test(path) ? [`${path}: name the noun it owns`] : []),
    ];
  });
}
