import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import ignore from "ignore";
import type { Ignore } from "ignore";
import type { BytePath } from "../paths/index.js";
import { bytesOf, errnoOf, fromText, joinPath, parentOf, relativeTo, resolveAgainst, textOf } from "../paths/index.js";

/** Rules of one file, for paths below `base`. */
interface RuleFile {
  readonly base: BytePath;
  readonly matcher: Ignore;
}

/** Rules in force in one folder, the deepest file last: the last one that says anything about a path decides. */
export type IgnoreRules = readonly RuleFile[];

export const NO_RULES: IgnoreRules = [];

const MAX_RULE_BYTES = 1024 * 1024;

/** Git does not follow a linked rule file, and a pipe must not be waited for. */
function readRuleFile(path: BytePath): string | undefined {
  try {
    const fd = openSync(bytesOf(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MAX_RULE_BYTES ? readFileSync(fd, "utf8") : undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function rulesOf(text: string | undefined, base: BytePath): IgnoreRules {
  return text === undefined || text.trim() === "" ? NO_RULES : [{ base, matcher: ignore({ ignorecase: false }).add(text) }];
}

/** `.git` is a folder, or a file that names one (work trees, submodules); shared settings may lie in yet another. */
function excludeFile(repository: BytePath): BytePath {
  const dotGit = joinPath(repository, ".git");
  const named = /^gitdir: (.+)$/mu.exec(readRuleFile(dotGit) ?? "")?.[1];
  if (named === undefined) return joinPath(dotGit, "info/exclude");
  const gitDir = resolveAgainst(repository, fromText(named.trim()));
  const common = readRuleFile(joinPath(gitDir, "commondir"));
  return joinPath(common === undefined ? gitDir : resolveAgainst(gitDir, fromText(common.trim())), "info/exclude");
}

/** Rules for the inside of `folder`, given those in force in its parent. A repository inside a repository starts anew. */
export function enterFolder(rules: IgnoreRules, folder: BytePath, isRepository: boolean): IgnoreRules {
  const outer = isRepository ? rulesOf(readRuleFile(excludeFile(folder)), folder) : admit(rules, folder);
  return [...outer, ...rulesOf(readRuleFile(joinPath(folder, ".gitignore")), folder)];
}

/**
 * A folder that a deeper file takes back in is still ignored for the matcher of the outer file, and so would be everything
 * in it. Such a matcher gets the exception as a last rule of its own; git never asks a file about a parent again.
 */
function admit(rules: IgnoreRules, folder: BytePath): IgnoreRules {
  if (!rules.some((rule) => verdictOf(rule, folder, true) === "ignored")) return rules;
  return rules.map((rule) => {
    if (verdictOf(rule, folder, true) !== "ignored") return rule;
    const name = textOf(relativeTo(rule.base, folder)).replace(/[\\*?[\]!# ]/gu, "\\$&");
    return { base: rule.base, matcher: ignore({ ignorecase: false }).add(rule.matcher).add(`!/${name}/`) };
  });
}

function verdictOf({ base, matcher }: RuleFile, path: BytePath, isFolder: boolean): "ignored" | "wanted" | undefined {
  const name = textOf(relativeTo(base, path));
  if (name === "") return undefined;
  const { ignored, unignored } = matcher.test(isFolder ? `${name}/` : name);
  return ignored ? "ignored" : unignored ? "wanted" : undefined;
}

/** Whether git would leave `path` out, given that none of its parents is left out. */
export function isIgnored(rules: IgnoreRules, path: BytePath, isFolder: boolean): boolean {
  for (const rule of rules.toReversed()) {
    const verdict = verdictOf(rule, path, isFolder);
    if (verdict !== undefined) return verdict === "ignored";
  }
  return false;
}

export interface RootRules {
  /** In force at the root, before its own rule file is read. */
  readonly rules: IgnoreRules;
  readonly isRootIgnored: boolean;
}

/**
 * Rules from above `root`: from the top of its repository down, or from the workspace when there is none. When they leave
 * out the root itself they are dropped: whoever names an ignored folder means it.
 */
export function rulesAbove(root: BytePath, cwd: BytePath, exists: (path: BytePath) => boolean): RootRules {
  const chain = foldersAbove(root, cwd, exists);
  let rules: IgnoreRules = NO_RULES;
  for (const [index, folder] of chain.entries()) {
    const isRepository = exists(joinPath(folder, ".git"));
    if (index > 0 && !isRepository && isIgnored(rules, folder, true)) return { rules: NO_RULES, isRootIgnored: true };
    rules = enterFolder(rules, folder, isRepository);
  }
  return isIgnored(rules, root, true) ? { rules: NO_RULES, isRootIgnored: true } : { rules, isRootIgnored: false };
}

/** Folders that may hold rules for `root`, outermost first, `root` itself left out. */
function foldersAbove(root: BytePath, cwd: BytePath, exists: (path: BytePath) => boolean): readonly BytePath[] {
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
