import type { BytePath } from "../../paths/index.js";
import { fromText, joinPath, resolveAgainst } from "../../paths/index.js";
import type { GitPlaces } from "./git-config.js";
import { loadGitSettings, readRuleFile } from "./git-config.js";
import type { Tracked } from "./tracked.js";
import { loadTracked } from "./tracked.js";

/** A repository by its work tree. */
export interface Repository {
  readonly root: BytePath;
  /** Rule files that hold in all of it, the strongest last. */
  readonly excludes: readonly (BytePath | undefined)[];
  /** Its rules take upper and lower case for the same. */
  readonly isFolded: boolean;
  /** Read when first asked for: most searches never need it. */
  tracked(): Tracked;
}

/** `.git` is a folder, or a file that names one (work trees, submodules); shared settings may lie in yet another. */
function gitFolders(root: BytePath): { readonly own: BytePath; readonly common: BytePath } {
  const dotGit = joinPath(root, ".git");
  const named = /^gitdir: (.+)$/mu.exec(readRuleFile(dotGit) ?? "")?.[1];
  const own = named === undefined ? dotGit : resolveAgainst(root, fromText(named.trim()));
  const common = readRuleFile(joinPath(own, "commondir"));
  return { own, common: common === undefined ? own : resolveAgainst(own, fromText(common.trim())) };
}

export function openRepository(root: BytePath, places: GitPlaces): Repository {
  const { own, common } = gitFolders(root);
  const settings = loadGitSettings(places, root, joinPath(common, "config"));
  let tracked: Tracked | undefined;
  return {
    root,
    isFolded: settings.isFolded,
    excludes: [settings.excludes, joinPath(common, "info/exclude")],
    tracked: () => (tracked ??= loadTracked(joinPath(own, "index"), settings.hashBytes)),
  };
}
