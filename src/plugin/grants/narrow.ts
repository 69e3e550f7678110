import type { Grants, NetGrant } from "../../effect/index.js";
import { methodsOf, READING_METHODS } from "./covers.js";

export interface Narrowing {
  /** For a read-only tool, and for every tool in the access modes `read-only` and `plan`. */
  readonly readOnly: boolean;
  /** Facilities the user's policy takes away; `fs` is both of its sides. */
  readonly denied?: readonly string[];
}

/** What is left of `grants`; never more than they were. */
export function narrowGrants(grants: Grants, { readOnly, denied = [] }: Narrowing): Grants {
  const allowed = denied.length === 0 ? grants : without(grants, new Set(denied));
  if (!readOnly) return allowed;
  return { ...allowed, fsWrite: [], process: [], processEnv: [], net: allowed.net.flatMap(readingOnly) };
}

function without(grants: Grants, denied: ReadonlySet<string>): Grants {
  const noProcess = denied.has("process");
  return {
    fsRead: denied.has("fs") || denied.has("fs-read") ? [] : grants.fsRead,
    fsWrite: denied.has("fs") || denied.has("fs-write") ? [] : grants.fsWrite,
    search: denied.has("search") ? [] : grants.search,
    process: noProcess ? [] : grants.process,
    processEnv: noProcess ? [] : grants.processEnv,
    net: denied.has("net") ? [] : grants.net,
    evaluate: grants.evaluate && !denied.has("evaluate"),
    vcs: grants.vcs && !denied.has("vcs"),
    state: denied.has("state") ? [] : grants.state,
    ui: denied.has("ui") ? [] : grants.ui,
    secrets: denied.has("secrets") ? [] : grants.secrets,
  };
}

function readingOnly(grant: NetGrant): readonly NetGrant[] {
  const methods = methodsOf(grant).filter((method) => READING_METHODS.includes(method));
  return methods.length === 0 ? [] : [{ ...grant, methods }];
}

/** The facilities that the setting `plugins.deny`, a list of `plugin-id:facility`, takes from one plugin. */
export const deniedFacilities = (plugin: string, deny: readonly string[]): readonly string[] =>
  deny.flatMap((entry) => (entry.startsWith(`${plugin}:`) ? [entry.slice(plugin.length + 1)] : []));
