import type { Grants, NetGrant } from "../../effect/index.js";
import { methodsOf, READING_METHODS } from "./covers.js";

export interface Narrowing {
  /** For a read-only tool, which are the only ones that run in the access modes `read-only` and `plan`. */
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
  const unless = <T>(values: readonly T[], ...facilities: readonly string[]): readonly T[] =>
    facilities.some((facility) => denied.has(facility)) ? [] : values;
  return {
    fsRead: unless(grants.fsRead, "fs", "fs-read"),
    fsWrite: unless(grants.fsWrite, "fs", "fs-write"),
    search: unless(grants.search, "search"),
    process: unless(grants.process, "process"),
    processEnv: unless(grants.processEnv, "process"),
    net: unless(grants.net, "net"),
    evaluate: grants.evaluate && !denied.has("evaluate"),
    vcs: grants.vcs && !denied.has("vcs"),
    state: unless(grants.state, "state"),
    ui: unless(grants.ui, "ui"),
    mcp: unless(grants.mcp, "mcp"),
    agent: grants.agent && !denied.has("agent"),
    secrets: unless(grants.secrets, "secrets"),
  };
}

function readingOnly(grant: NetGrant): readonly NetGrant[] {
  const methods = methodsOf(grant).filter((method) => READING_METHODS.includes(method));
  return methods.length === 0 ? [] : [{ ...grant, methods }];
}

/** The facilities that the setting `plugins.deny`, a list of `plugin-id:facility`, takes from one plugin. */
export const deniedFacilities = (plugin: string, deny: readonly string[]): readonly string[] =>
  deny.flatMap((entry) => (entry.startsWith(`${plugin}:`) ? [entry.slice(plugin.length + 1)] : []));
