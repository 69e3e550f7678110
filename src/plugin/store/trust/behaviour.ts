import { createHash } from "node:crypto";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { plainWords } from "../names.js";
import { codeOf, holdsAny, readTree, type TreeBounds, type TreeFile } from "../tree.js";
import { look } from "./look.js";

/** Everything in a project that has a say in what smith does there, beyond the text a model reads. */
const OWN = [".mcp.json", ".smith/config.kdl", ".smith/plugins", ".smith/prompts", ".smith/skills"] as const;
/** Skills as other programs keep them, who often keep them once and link to them. */
const SHARED = [".agents/skills", ".claude/skills"] as const;
const PLACES = [...OWN, ...SHARED];

/** More than this nobody looks through; a project that needs more keeps it elsewhere. */
const MAX_FILES = 2000;
const MAX_BYTES = 32 * 1024 * 1024;

export type BehaviourFiles =
  | { readonly type: "nothing" }
  /** SHA-256 over names and contents, hex. */
  | { readonly type: "files"; readonly hash: string; readonly files: readonly TreeFile[] }
  /** It cannot be told what trust would be for. `reason`: a sentence. */
  | { readonly type: "refused"; readonly path: string; readonly reason: string };

const isShared = (name: string): boolean => SHARED.some((place) => name === place || name.startsWith(`${place}/`));

const BOUNDS: TreeBounds = { maxFiles: MAX_FILES, maxBytes: MAX_BYTES, skips: () => false, follows: isShared };

const FOLDER = ".smith";

/** Whether there is any of it. Reads no file; how much there is makes no difference. */
export async function hasBehaviour(root: string): Promise<boolean> {
  const folder = look(join(root, FOLDER));
  if (folder === undefined && [".mcp.json", ...SHARED].every((place) => look(join(root, place)) === undefined)) return false;
  return folder?.isSymbolicLink() === true || (await holdsAny(root, PLACES, BOUNDS));
}

/** Names of what there is, as far as they are seen without going into plugins and skills. Undefined where there are too many to say. */
export async function glanceAt(root: string): Promise<readonly string[] | undefined> {
  if (look(join(root, FOLDER))?.isSymbolicLink() === true) return undefined;
  const names: string[] = [];
  for (const place of PLACES) {
    for await (const name of namesIn(root, place)) {
      if (names.push(name) > MAX_FILES) return undefined;
    }
  }
  return names.sort();
}

async function* namesIn(root: string, place: string): AsyncGenerator<string> {
  const kind = look(join(root, place));
  if (kind?.isFile() === true) yield place;
  if (kind?.isDirectory() !== true && !(kind?.isSymbolicLink() === true && isShared(place))) return;
  try {
    for await (const { name } of await opendir(join(root, place), { bufferSize: 512 })) yield `${place}/${name}`;
  } catch (error) {
    // It is only names for people; that it cannot be looked through is told where it is to be trusted.
    if (codeOf(error) === undefined) throw error;
  }
}

/** Reads all of it, bounded, following no link and waiting for nothing. */
export async function readBehaviour(root: string): Promise<BehaviourFiles> {
  if (!(await hasBehaviour(root))) return { type: "nothing" };
  if (look(join(root, FOLDER))?.isSymbolicLink() === true)
    return refused(FOLDER, "it is a link, and what links lead to is no part of the project");
  const tree = await readTree(root, PLACES, BOUNDS);
  if (!tree.ok) return refused(tree.error.path, tree.error.reason);
  return tree.value.length === 0 ? { type: "nothing" } : { type: "files", hash: hashOf(tree.value), files: tree.value };
}

const refused = (path: string, reason: string): BehaviourFiles => ({
  type: "refused",
  path: plainWords(path),
  reason: `It cannot be trusted as it is: ${reason}.`,
});

function hashOf(files: readonly TreeFile[]): string {
  const hash = createHash("sha256").update("smith-project-1\n");
  for (const { name, bytes } of files) hash.update(`${JSON.stringify(name)} ${String(bytes.length)}\n`).update(bytes);
  return hash.digest("hex");
}
