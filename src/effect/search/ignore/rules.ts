import type { BytePath } from "../../paths/index.js";
import { isWithin, joinPath, parentOf } from "../../paths/index.js";
import type { GitPlaces } from "./git-config.js";
import { readRuleFile } from "./git-config.js";
import type { Repository } from "./repository.js";
import { openRepository } from "./repository.js";
import type { RuleFile, Verdict } from "./rule-file.js";
import { createRuleFile, verdictOf, withException } from "./rule-file.js";

/**
 * Rules in force in one folder. In each list the deepest file is last, and the last one that says anything about a path decides.
 * `.ignore` files, which many search programs read, decide before those of git.
 */
export interface IgnoreRules {
  readonly own: readonly RuleFile[];
  readonly git: readonly RuleFile[];
  readonly repository?: Repository;
  /** In a folder that is ignored and entered for what git tracks in it: nothing else is wanted. */
  readonly isTrackedOnly?: true;
}

export const NO_RULES: IgnoreRules = { own: [], git: [] };

/** Names in a folder that bring rules with them. */
export interface FolderSigns {
  readonly isRepository: boolean;
  readonly hasGitRules: boolean;
  readonly hasOwnRules: boolean;
}

interface Reading {
  readonly isLinkFollowed?: boolean;
  readonly isFolded?: boolean | undefined;
}

function rulesOf(file: BytePath | undefined, base: BytePath, { isLinkFollowed, isFolded }: Reading): readonly RuleFile[] {
  const text = file === undefined ? undefined : readRuleFile(file, isLinkFollowed);
  return text === undefined || text.trim() === "" ? [] : [createRuleFile(base, text, isFolded)];
}

/** Rules for the inside of `folder`, given those in force in its parent. A repository inside a repository starts anew. */
export function enterFolder(rules: IgnoreRules, folder: BytePath, signs: FolderSigns, places: GitPlaces): IgnoreRules {
  if (rules.isTrackedOnly === true && !signs.isRepository) return rules;
  const repository = signs.isRepository ? openRepository(folder, places) : rules.repository;
  const isFolded = repository?.isFolded;
  const git =
    repository !== undefined && signs.isRepository
      ? repository.excludes.flatMap((file) => rulesOf(file, folder, { isLinkFollowed: true, isFolded }))
      : admit(rules.git, folder);
  return {
    own: [...admit(rules.own, folder), ...(signs.hasOwnRules ? rulesOf(joinPath(folder, ".ignore"), folder, {}) : [])],
    git: [...git, ...(signs.hasGitRules ? rulesOf(joinPath(folder, ".gitignore"), folder, { isFolded }) : [])],
    ...(repository === undefined ? {} : { repository }),
  };
}

/**
 * A folder that a deeper file takes back in is still ignored for the matcher of the outer file, and so would be everything
 * in it. Such a matcher gets the exception as a last rule of its own; git never asks a file about a parent again.
 */
function admit(rules: readonly RuleFile[], folder: BytePath): readonly RuleFile[] {
  if (!rules.some((rule) => verdictOf(rule, folder, true) === "ignored")) return rules;
  return rules.map((rule) => (verdictOf(rule, folder, true) === "ignored" ? withException(rule, folder) : rule));
}

function lastVerdict(rules: readonly RuleFile[], path: BytePath, isFolder: boolean): Verdict {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const rule = rules[index];
    const verdict = rule === undefined ? undefined : verdictOf(rule, path, isFolder);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** `tracked`: git would leave a file out and does not, since it has it; or a folder, for what it has in it. */
export type Standing = "wanted" | "ignored" | "tracked";

/** Whether git would leave `path` out, given that none of its parents is left out. */
export function standingOf(rules: IgnoreRules, path: BytePath, isFolder: boolean): Standing {
  if (rules.isTrackedOnly === true) return isTracked(rules, path, isFolder) ? "tracked" : "ignored";
  if (rules.own.length === 0 && rules.git.length === 0) return "wanted";
  const own = lastVerdict(rules.own, path, isFolder);
  if (own !== undefined) return own;
  if (lastVerdict(rules.git, path, isFolder) !== "ignored") return "wanted";
  return isTracked(rules, path, isFolder) ? "tracked" : "ignored";
}

function isTracked({ repository }: IgnoreRules, path: BytePath, isFolder: boolean): boolean {
  if (repository === undefined || !isWithin(repository.root, path)) return false;
  const name = path.slice(repository.root.length + 1);
  return isFolder ? repository.tracked().hasBelow(name) : repository.tracked().has(name);
}

/** Rules for the inside of a folder of that standing. */
export const rulesFor = (rules: IgnoreRules, standing: Standing): IgnoreRules =>
  standing === "tracked" && rules.isTrackedOnly !== true ? { ...rules, isTrackedOnly: true } : rules;

export interface RootRules {
  /** In force at the root, before its own rule files are read. */
  readonly rules: IgnoreRules;
  readonly isRootIgnored: boolean;
}

/** What is known of places above a root without listing them. */
export interface Surroundings {
  readonly cwd: BytePath;
  readonly places: GitPlaces;
  readonly exists: (path: BytePath) => boolean;
}

/**
 * Rules from above `root`: from the top of its repository down, or from the workspace when there is none. When they leave
 * out the root itself they are dropped: whoever names an ignored folder means it.
 */
export function rulesAbove(root: BytePath, isFolder: boolean, around: Surroundings): RootRules {
  let rules: IgnoreRules = NO_RULES;
  for (const [index, folder] of foldersAbove(root, around).entries()) {
    const isRepository = around.exists(joinPath(folder, ".git"));
    if (index > 0 && !isRepository && standingOf(rules, folder, true) !== "wanted") return { rules: NO_RULES, isRootIgnored: true };
    rules = enterFolder(rules, folder, { isRepository, hasGitRules: true, hasOwnRules: true }, around.places);
  }
  const standing = standingOf(rules, root, isFolder);
  return standing === "wanted" || (standing === "tracked" && !isFolder)
    ? { rules, isRootIgnored: false }
    : { rules: NO_RULES, isRootIgnored: true };
}

/** Folders that may hold rules for `root`, outermost first, `root` itself left out. */
function foldersAbove(root: BytePath, { cwd, exists }: Surroundings): readonly BytePath[] {
  if (exists(joinPath(root, ".git"))) return [];
  const chain: BytePath[] = [];
  let withinCwd: readonly BytePath[] = [];
  for (let folder = root; parentOf(folder) !== folder;) {
    folder = parentOf(folder);
    chain.unshift(folder);
    if (folder === cwd) withinCwd = [...chain];
    if (exists(joinPath(folder, ".git"))) return chain;
  }
  return withinCwd;
}
