import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ActivePlugin, ResourceSource } from "../types.js";

/** A folder that files are taken from. */
export interface Place {
  readonly base: string;
  /** Real path that the files must really lie in; absent for the user's own, who may keep them anywhere. */
  readonly within?: string;
}

export interface PlaceDeps {
  readonly configDir: string;
  readonly cwd: string;
  /** Real path of the project `trusted` is said of; left out, it is the workspace. */
  readonly root?: string;
  readonly trusted: boolean;
}

/** Where the sources of one run lead. */
export interface Places {
  of(from: ResourceSource["from"], plugin: ActivePlugin): Promise<readonly Place[]>;
}

export async function createPlaces(deps: PlaceDeps): Promise<Places> {
  const workspace = await realPathOf(deps.cwd);
  let ancestors: Promise<readonly Place[]> | undefined;
  return {
    async of(from, plugin) {
      switch (from) {
        case "user":
          return [{ base: deps.configDir }];
        case "project":
          // What was trusted is the project's root: a folder of it that brings its own was not looked at.
          return deps.trusted ? [{ base: deps.root ?? workspace, within: deps.root ?? workspace }] : [];
        case "ancestors":
          return (ancestors ??= findAncestors(workspace));
        case "plugin":
          return plugin.dir === undefined ? [] : [{ base: plugin.dir, within: await realPathOf(plugin.dir) }];
      }
    },
  };
}

/**
 * The workspace and the folders above it up to the root of its repository, outermost first. That is the nearest folder with a `.git`
 * (a file in worktrees and submodules); where there is none the workspace stands alone, since what lies above belongs to nobody it knows.
 */
async function findAncestors(workspace: string): Promise<readonly Place[]> {
  const folders = [workspace];
  for (let folder = workspace; !(await exists(join(folder, ".git"))); folder = dirname(folder)) {
    const above = dirname(folder);
    if (above === folder) return [{ base: workspace, within: workspace }];
    folders.unshift(above);
  }
  const [root = workspace] = folders;
  return folders.map((base) => ({ base, within: root }));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path);
