import type { GrantRoot, Grants, NetGrant } from "../../effect/index.js";
import type { GrantLine } from "../types.js";
import { methodsOf, netCovers, patternCovers, programCovers, rootCovers } from "./covers.js";
import { describeGrants } from "./words.js";

/** What `after` allows and `before` did not, as lines; empty when nothing is wider. What is narrower is not told. */
export function addedGrants(before: Grants, after: Grants): readonly GrantLine[] {
  const process = uncovered(before.process, after.process, programCovers);
  const processEnv = uncovered(before.processEnv, after.processEnv, patternCovers);
  return describeGrants({
    fsRead: roots(before.fsRead, after.fsRead),
    fsWrite: roots(before.fsWrite, after.fsWrite),
    search: roots(before.search, after.search),
    process,
    processEnv: process.length > 0 ? after.processEnv : processEnv,
    net: after.net.flatMap((grant) => addedNet(before.net, grant)),
    evaluate: after.evaluate && !before.evaluate,
    vcs: after.vcs && !before.vcs,
    state: after.state.filter(({ scope, maxBytes }) => !before.state.some((had) => had.scope === scope && had.maxBytes >= maxBytes)),
    ui: after.ui.filter((intent) => !before.ui.includes(intent)),
    mcp: uncovered(before.mcp, after.mcp, patternCovers),
    agent: after.agent && !before.agent,
    secrets: after.secrets.filter((name) => !before.secrets.includes(name)),
  });
}

const uncovered = <T>(before: readonly T[], after: readonly T[], covers: (wide: T, narrow: T) => boolean): readonly T[] =>
  after.filter((one) => !before.some((had) => covers(had, one)));

const roots = (before: readonly GrantRoot[], after: readonly GrantRoot[]): readonly GrantRoot[] => uncovered(before, after, rootCovers);

/** The grant with the methods alone that no earlier grant lets through. */
function addedNet(before: readonly NetGrant[], grant: NetGrant): readonly NetGrant[] {
  const methods = methodsOf(grant).filter((method) => !before.some((had) => netCovers(had, grant, method)));
  return methods.length === 0 ? [] : [{ ...grant, methods }];
}
