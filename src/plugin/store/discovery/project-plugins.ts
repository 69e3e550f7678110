import { join } from "node:path";
import type { Diagnostic } from "../../../schema/index.js";
import type { LoadPackage } from "../approval.js";
import { otherId } from "../diagnostics.js";
import { isPluginId, isReservedId } from "../../ids.js";
import { plainWords } from "../names.js";
import type { ProjectTrust } from "../trust/index.js";
import type { PluginOrigin } from "../../types.js";
import { oddFolder, projectChanged, projectOverrides, projectUntrusted } from "./diagnostics.js";
import { foldersIn } from "./folders.js";
import { broken, type Found, unusable, usable } from "./found.js";

export interface ProjectPluginDeps {
  readonly project: ProjectTrust;
  readonly loadPackage: LoadPackage;
  /** Plugins the project may not take the place of, by id. */
  readonly taken: ReadonlyMap<string, PluginOrigin>;
}

/**
 * Plugins of the project's `.smith/plugins`. Of one that is not trusted only the names of folders are read. Of a trusted one all must
 * still be as it was trusted after it was loaded.
 */
export async function findProjectPlugins(deps: ProjectPluginDeps): Promise<readonly Found[]> {
  const { root, state } = deps.project;
  const dir = join(root, ".smith", "plugins");
  const names = await foldersIn(dir, { links: false });
  if (names.length === 0) return [];
  const refuse = (reason: "project-untrusted" | "changed"): readonly Found[] =>
    names.map((name) => unusable({ id: plainWords(name), origin: "project", dir: join(dir, name) }, reason));
  if (state === "changed") return refuse("changed");
  if (state !== "trusted") return refuse("project-untrusted");
  const found = await Promise.all(names.map(async (name) => await findOne(deps, dir, name)));
  return (await deps.project.isCurrent()) ? found : refuse("changed");
}

/** One for the project as a whole: what it brings and a run leaves unused, plugins or not. */
export function projectNotice({ root, state, brings, isQuiet }: ProjectTrust, found: readonly Found[]): readonly Diagnostic[] {
  if (isQuiet) return [];
  if (state === "changed" || found.some(({ record: { inactive } }) => inactive === "changed")) return [projectChanged(root, brings)];
  return state === "untrusted" ? [projectUntrusted(root, brings)] : [];
}

async function findOne({ loadPackage, taken }: ProjectPluginDeps, parent: string, name: string): Promise<Found> {
  const dir = join(parent, name);
  const facts = { id: plainWords(name), origin: "project" as const, dir };
  if (!isPluginId(name)) return unusable(facts, "broken", [oddFolder(name, parent)]);
  const holder = taken.get(name) ?? (isReservedId(name) ? "bundled" : undefined);
  if (holder !== undefined) return unusable(facts, "overridden", [projectOverrides(name, holder)]);
  const loaded = await loadPackage(dir);
  if (!loaded.ok) return broken(facts, loaded.error);
  return loaded.value.compiled.id === name ? usable(loaded.value, facts) : broken(facts, [otherId(dir, loaded.value.compiled.id)]);
}
