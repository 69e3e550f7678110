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
  type TrustStoreDeps,
} from "../../plugin/index.js";
import type { RuntimeDeps } from "../deps.js";

/** The files plugins are found in and approved by, as this process reaches them. */
export interface PluginWorld {
  readonly loadPackage: LoadPackage;
  readonly trust: TrustStore;
  /** What this run may use of the project of a folder; `given` is the person's word for the run. */
  projectTrust(cwd: string, given: boolean | undefined): Promise<ProjectTrust | undefined>;
}

type WorldDeps = Pick<RuntimeDeps, "paths" | "version" | "clock" | "ids">;

/** `others` are the plugins there are without a project: needed by who describes what one would do, and by nobody who only asks for trust. */
export function createPluginWorld({ paths, version, clock, ids }: WorldDeps, others: TrustStoreDeps["others"] = nobody): PluginWorld {
  const load: LoadPackage = async (dir) => await loadPackage(dir, { cacheDir: paths.cache, program: version });
  const trust = createTrustStore({
    dataDir: paths.data,
    loadPackage: load,
    others,
    clock,
    lock: createLocker(),
    disk: nodeDisk,
    randomId: () => ids.next<EntryId>(),
  });
  return { loadPackage: load, trust, projectTrust: async (cwd, given) => await resolveProjectTrust(trust, cwd, given) };
}

const nobody = async (): Promise<readonly []> => await Promise.resolve([]);
