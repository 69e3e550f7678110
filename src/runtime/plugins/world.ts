import type { EntryId } from "../../base/index.js";
import { createLocker } from "../../session/index.js";
import {
  createTrustStore,
  type LoadPackage,
  loadPackage,
  nodeDisk,
  type ProjectTrust,
  resolveProjectTrust,
  type TrustStore,
} from "../../plugin/index.js";
import type { RuntimeDeps } from "../deps.js";

/** The files plugins are found in and approved by, as this process reaches them. */
export interface PluginWorld {
  readonly loadPackage: LoadPackage;
  readonly trust: TrustStore;
  /** What this run may use of the project of a folder; `given` is the person's word for the run. */
  projectTrust(cwd: string, given: boolean | undefined): Promise<ProjectTrust | undefined>;
}

export function createPluginWorld({ paths, version, clock, ids }: Pick<RuntimeDeps, "paths" | "version" | "clock" | "ids">): PluginWorld {
  const load: LoadPackage = async (dir) => await loadPackage(dir, { cacheDir: paths.cache, program: version });
  const trust = createTrustStore({
    dataDir: paths.data,
    loadPackage: load,
    clock,
    lock: createLocker(),
    disk: nodeDisk,
    randomId: () => ids.next<EntryId>(),
  });
  return { loadPackage: load, trust, projectTrust: async (cwd, given) => await resolveProjectTrust(trust, cwd, given) };
}
