import { lstat } from "node:fs/promises";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, SdkOperations, VcsStatusOutput } from "../../schema/index.js";
import type { EffectContext, Facility } from "../types.js";
import {
  type BytePath,
  bytesOf,
  displayPath,
  errnoOf,
  fromText,
  isWithin,
  joinPath,
  locatePath,
  parentOf,
  parseName,
  type PathPolicy,
  realDenied,
  realWorkspace,
  relativeTo,
  showName,
  textOf,
} from "../paths/index.js";
import { gitFailed, noRepository, unsafeRepository, vcsDenied, vcsOutside } from "./failures.js";
import { type Git, type GitDeps, openGit } from "./git.js";
import { checkOwnFolder } from "./own-folder.js";
import { parseStatus } from "./status.js";

export interface VcsFacilities {
  readonly "vcs.status": Facility<"vcs.status">;
  readonly "vcs.diff": Facility<"vcs.diff">;
}

export interface VcsDeps extends GitDeps {
  readonly policy: PathPolicy;
}

const VCS_BOUNDS = { changes: 1000, statusBytes: 1024 * 1024, diffBytes: 256 * 1024 } as const;

export function createVcsFacilities(deps: VcsDeps): VcsFacilities {
  return {
    "vcs.status": {
      authorize: narrowed,
      run: async (input, context) => ({
        outcome: "not-applied",
        result: await inRepository(input.path, context, deps, (scope) => status(scope)),
      }),
    },
    "vcs.diff": {
      authorize: narrowed,
      run: async (input, context) => ({
        outcome: "not-applied",
        result: await inRepository(input.path, context, deps, (scope) => diff(scope)),
      }),
    },
  };
}

async function narrowed(input: { readonly path?: string }, context: EffectContext): Promise<Result<{ readonly path: string }, Diagnostic>> {
  if (!context.grants.vcs) return err(vcsDenied(context.plugin));
  const located = await locatePath(input.path ?? ".", context);
  if (!located.ok) return located;
  const { real, cwd } = located.value;
  return isWithin(cwd, real) ? ok({ path: showName(real) }) : err(vcsOutside(context.plugin, showName(real)));
}

interface Scope {
  readonly git: Git;
  /** Real path of the work tree. */
  readonly root: BytePath;
  readonly cwd: BytePath;
  /** What is looked at: the path asked for, without places that are denied to plugins. */
  readonly pathspecs: readonly string[];
}

async function inRepository<T>(
  path: string | undefined,
  context: EffectContext,
  deps: VcsDeps,
  work: (scope: Scope) => Promise<Result<T, Diagnostic>>,
): Promise<Result<T, Diagnostic>> {
  const cwd = await realWorkspace(context);
  const asked = path === undefined ? cwd : parseName(path);
  const root = await repositoryRoot(asked);
  if (root === undefined) return err(noRepository(displayPath(asked, cwd)));
  // Handed over as texts, so they must be some.
  if ([root, asked].some((name) => fromText(textOf(name)) !== name)) return err(unsafeRepository(showName(root), "its path is not UTF-8"));
  if (root.includes(":")) return err(unsafeRepository(showName(root), "with a colon in its path git cannot be kept in it"));
  const git = await openGit(textOf(root), deps, context.signal);
  if (!git.ok) return git;
  const foreign = await checkOwnFolder(root, git.value);
  if (foreign !== undefined) return err(foreign);
  const denied = (await realDenied(deps.policy)).filter((place) => isWithin(root, place));
  const pathspecs = [
    `:(top,literal)${textOf(relativeTo(root, asked))}`,
    ...denied.map((place) => `:(top,exclude,literal)${textOf(relativeTo(root, place))}`),
  ];
  return work({ git: git.value, root, cwd, pathspecs });
}

/** The nearest folder at or above that has a `.git`. Found here, since git would also take a folder that only looks like a bare one. */
async function repositoryRoot(from: BytePath): Promise<BytePath | undefined> {
  for (let folder = from; ; folder = parentOf(folder)) {
    if (await exists(joinPath(folder, ".git"))) return folder;
    if (parentOf(folder) === folder) return undefined;
  }
}

async function exists(path: BytePath): Promise<boolean> {
  try {
    await lstat(bytesOf(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

const STATUS = ["status", "--porcelain=2", "--branch", "-z", "--untracked-files=normal", "--find-renames", "--no-ahead-behind"];
/** Commits of submodules are compared; git is not run in them. */
const SUBMODULES = "--ignore-submodules=dirty";

async function status({ git, root, cwd, pathspecs }: Scope): Promise<Result<VcsStatusOutput, Diagnostic>> {
  const ran = await git.run([...STATUS, SUBMODULES, "--", ...pathspecs], VCS_BOUNDS.statusBytes);
  if (!ran.ok) return ran;
  const { exitCode, bytes, isCut, complaint } = ran.value;
  if (exitCode !== 0) return err(gitFailed(complaint));
  // The last record of a cut output is not whole.
  const { changes, ...parsed } = parseStatus(isCut ? bytes.subarray(0, bytes.lastIndexOf(0)) : bytes);
  return ok({
    root: showName(root),
    ...parsed,
    changes: changes.slice(0, VCS_BOUNDS.changes).map(({ path, kind }) => ({ path: displayPath(joinPath(root, path), cwd), kind })),
    truncated: isCut || changes.length > VCS_BOUNDS.changes,
  });
}

const DIFF = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  "--find-renames",
  "-O/dev/null",
];

async function diff({ git, pathspecs }: Scope): Promise<Result<SdkOperations["vcs.diff"]["output"], Diagnostic>> {
  const base = await lastCommit(git);
  if (!base.ok) return base;
  const ran = await git.run(["diff", ...DIFF, SUBMODULES, base.value, "--", ...pathspecs], VCS_BOUNDS.diffBytes);
  if (!ran.ok) return ran;
  const { exitCode, bytes, isCut, complaint } = ran.value;
  if (exitCode !== 0) return err(gitFailed(complaint));
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  return ok({ diff: withoutTouched(isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text), truncated: isCut });
}

/** Files that were touched and not changed have a heading and nothing else, since the index is not brought up to date. */
const withoutTouched = (text: string): string =>
  text
    .split(/^(?=diff --git )/mu)
    .filter((part) => part.indexOf("\n") < part.length - 1)
    .join("");

/** The commit of HEAD, or the empty tree before the first one. */
async function lastCommit(git: Git): Promise<Result<string, Diagnostic>> {
  const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], 256);
  if (!head.ok) return head;
  if (head.value.exitCode === 0) return ok(head.value.bytes.toString("latin1").trim());
  const empty = await git.run(["hash-object", "-t", "tree", "/dev/null"], 256);
  if (!empty.ok) return empty;
  return empty.value.exitCode === 0 ? ok(empty.value.bytes.toString("latin1").trim()) : err(gitFailed(empty.value.complaint));
}
