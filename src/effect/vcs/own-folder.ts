import type { Stats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import {
  type BytePath,
  baseOf,
  bytesOf,
  errnoOf,
  fromBytes,
  isWithin,
  joinPath,
  parentOf,
  resolveAgainst,
  resolveReal,
  showName,
} from "../paths/index.js";
import { gitFailed, unsafeRepository } from "./failures.js";
import type { Git } from "./git.js";

const FOREIGN = "its .git leads to a repository that is not its own";
/** Where content and names of commits come from. */
const PARTS = ["HEAD", "index", "objects", "refs", "packed-refs"];
const NAME_BYTES = 4096;

/**
 * Checks that the repository at `root` is its own: a `.git` that leads to another one (by a link, a file, or a common folder named in it) would
 * show what lies there as if it were deleted here. Linked work trees and submodules are known by the other side naming them back.
 */
export async function checkOwnFolder(root: BytePath, git: Git): Promise<Diagnostic | undefined> {
  const homes = await homesOf(root, git);
  if (!homes.ok) return homes.error;
  const ran = await git.run(["rev-parse", ...PARTS.flatMap((part) => ["--git-path", part])], NAME_BYTES * PARTS.length);
  if (!ran.ok) return ran.error;
  const { exitCode, bytes, complaint } = ran.value;
  if (exitCode !== 0) return gitFailed(complaint);
  for (const line of fromBytes(bytes).trimEnd().split("\n")) {
    // Still one character per byte.
    const part = await resolveReal(resolveAgainst(root, line as BytePath));
    if (!part.ok || !homes.value.some((home) => isWithin(home, part.value.real))) return unsafeRepository(showName(root), FOREIGN);
  }
  return undefined;
}

/** Folders the parts of the repository may lie in. */
async function homesOf(root: BytePath, git: Git): Promise<Result<readonly BytePath[], Diagnostic>> {
  const dotGit = joinPath(root, ".git");
  const stats = await statsOf(dotGit);
  if (stats?.isDirectory() === true) return ok([dotGit]);
  const named = stats?.isFile() === true ? /^gitdir: (.+)$/u.exec(await firstLine(dotGit))?.[1] : undefined;
  const folder = named === undefined ? undefined : await realOf(root, named);
  if (folder === undefined) return err(unsafeRepository(showName(root), FOREIGN));
  const isLinked = (await realOf(folder, await firstLine(joinPath(folder, "gitdir")))) === dotGit;
  const isOwn = isLinked || (await workTreeOf(folder, git)) === root;
  if (!isOwn) return err(unsafeRepository(showName(root), FOREIGN));
  const above = parentOf(folder);
  return ok(isLinked && baseOf(above) === "worktrees" ? [folder, parentOf(above)] : [folder]);
}

/** What a submodule's folder says its work tree is. */
async function workTreeOf(folder: BytePath, git: Git): Promise<BytePath | undefined> {
  const config = bytesOf(joinPath(folder, "config")).toString("utf8");
  const ran = await git.run(["config", "--file", config, "--null", "--get", "core.worktree"], NAME_BYTES);
  if (!ran.ok || ran.value.exitCode !== 0) return undefined;
  return realOf(folder, fromBytes(ran.value.bytes).replace(/\0$/u, ""));
}

/** `name`, one character per byte, seen from `folder`. */
async function realOf(folder: BytePath, name: string): Promise<BytePath | undefined> {
  if (name === "") return undefined;
  const resolved = await resolveReal(resolveAgainst(folder, name as BytePath));
  return resolved.ok ? resolved.value.real : undefined;
}

async function statsOf(path: BytePath): Promise<Stats | undefined> {
  try {
    return await lstat(bytesOf(path));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Of a small regular file, one character per byte; empty when there is none. */
async function firstLine(path: BytePath): Promise<string> {
  if ((await statsOf(path))?.isFile() !== true) return "";
  const handle = await open(bytesOf(path), "r");
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(NAME_BYTES), 0, NAME_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead).split("\n", 1)[0] ?? "";
  } finally {
    await handle.close();
  }
}
