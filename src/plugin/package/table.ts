import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { closest, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { type PackageContent, textOf } from "./content.js";
import {
  badEntry,
  bareImport,
  escapedSpecifier,
  missingImport,
  moduleSyntax,
  moduleTooLarge,
  nodeImport,
  notAModule,
  outsideImport,
  type PackagePlace,
  parseTime,
  testImport,
  typeScriptOnly,
} from "./diagnostics.js";
import { MAX_MODULE_BYTES, MAX_PROBLEMS } from "./limits.js";
import { isTest, moduleExtension, type Resolution, resolveSpecifier } from "./specifier.js";
import { loadStripper, type ModuleProblem, type StrippedModule, type Stripper } from "./strip.js";
import type { ModuleTable } from "./types.js";

interface Building {
  readonly content: PackageContent;
  readonly names: ReadonlySet<string>;
  readonly stripper: Stripper;
  readonly modules: [name: string, code: string][];
  readonly imports: [name: string, imports: Readonly<Record<string, string>>][];
  readonly problems: Diagnostic[];
  /** A module took too long: the others may, too. */
  isOver: boolean;
}

/**
 * The modules that `entry`, where there is one, and the `extra` ones reach, stripped and resolved. Every problem of every module comes back. Files that no
 * module imports are not looked at.
 */
export async function buildTable(
  content: PackageContent,
  entry: string,
  extra: readonly string[] = [],
): Promise<Result<ModuleTable, readonly Diagnostic[]>> {
  const names = new Set(content.files.keys());
  if (entry !== "" && !isEntry(names, entry)) {
    const scripts = [...names].filter((name) => !isTest(name) && ![undefined, ".json"].includes(moduleExtension(name)));
    return err([badEntry(join(content.root, "manifest.kdl"), entry, closest(entry, scripts))]);
  }
  const building: Building = { content, names, stripper: await loadStripper(), modules: [], imports: [], problems: [], isOver: false };
  const reached = new Set([...(entry === "" ? [] : [entry]), ...extra]);
  // A set visits what is added to it while it is walked.
  for (const name of reached) {
    for (const next of addModule(building, name)) reached.add(next);
    if (building.isOver || building.problems.length >= MAX_PROBLEMS) break;
    // Whoever paints in this thread gets a turn after each module.
    await setImmediate();
  }
  if (building.problems.length > 0) return err(building.problems.slice(0, MAX_PROBLEMS));
  // Entries, not assignments: a file may be called like a property of every object.
  return ok({ entry, modules: Object.fromEntries(building.modules), imports: Object.fromEntries(building.imports) });
}

function isEntry(names: ReadonlySet<string>, name: string): boolean {
  const extension = moduleExtension(name);
  return names.has(name) && extension !== undefined && extension !== ".json" && !isTest(name);
}

/** Adds one module and returns the names of those it imports. */
function addModule(building: Building, name: string): readonly string[] {
  const path = join(building.content.root, name);
  const stripped = stripModule(building, name, path);
  if (stripped === undefined) return [];
  const imports = new Map<string, string>();
  for (const { specifier, line, column } of stripped.imports) {
    if (building.problems.length >= MAX_PROBLEMS) break;
    const place = { path, line, column };
    if (specifier.includes("\\")) {
      building.problems.push(escapedSpecifier(place, name));
      continue;
    }
    const resolution = resolveSpecifier(name, specifier, building.names);
    if (resolution.type === "module") imports.set(specifier, resolution.name);
    else if (resolution.type !== "sdk") building.problems.push(importProblem(place, { name, specifier }, resolution));
  }
  building.modules.push([name, stripped.code]);
  building.imports.push([name, Object.fromEntries(imports)]);
  return [...imports.values()];
}

function stripModule(building: Building, name: string, path: string): StrippedModule | undefined {
  const { content, stripper, problems } = building;
  const bytes = content.files.get(name)?.length ?? 0;
  const extension = moduleExtension(name);
  if (bytes > MAX_MODULE_BYTES) {
    problems.push(moduleTooLarge(path, name, bytes));
    return undefined;
  }
  const text = textOf(content, name);
  if (!text.ok) problems.push(text.error);
  if (!text.ok || text.value === undefined || extension === undefined) return undefined;
  const stripped = stripper.strip(text.value, extension);
  if (stripped.ok) return stripped.value;
  building.isOver = stripped.error.type === "time";
  problems.push(moduleProblem(path, name, stripped.error));
  return undefined;
}

function moduleProblem(path: string, name: string, { type, words, line, column }: ModuleProblem): Diagnostic {
  const place = { path, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
  switch (type) {
    case "syntax":
      return moduleSyntax(place, name, words);
    case "construct":
      return typeScriptOnly(place, name, words);
    case "time":
      return parseTime(path, name, words);
  }
}

function importProblem(
  place: PackagePlace,
  { name, specifier }: { readonly name: string; readonly specifier: string },
  resolution: Exclude<Resolution, { readonly type: "sdk" | "module" }>,
): Diagnostic {
  switch (resolution.type) {
    case "bare":
      return bareImport(place, name, specifier);
    case "node":
      return nodeImport(place, name, specifier);
    case "outside":
      return outsideImport(place, name, specifier);
    case "not-a-module":
      return notAModule(place, name, specifier);
    case "test":
      return testImport(place, name, specifier);
    case "missing":
      return missingImport(place, name, { specifier, nearest: resolution.nearest });
  }
}
