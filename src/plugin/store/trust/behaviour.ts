import { createHash } from "node:crypto";
import { join } from "node:path";
import { plainWords } from "../names.js";
import { readTree, type TreeFile } from "../tree.js";
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

/** Reads all of it, bounded, following no link and waiting for nothing. */
export async function readBehaviour(root: string): Promise<BehaviourFiles> {
  const folder = look(join(root, ".smith"));
  if (folder === undefined && [".mcp.json", ...SHARED].every((place) => look(join(root, place)) === undefined)) return { type: "nothing" };
  if (folder?.isSymbolicLink() === true) return refused(".smith", "it is a link, and what links lead to is no part of the project");
  const tree = await readTree(root, PLACES, { maxFiles: MAX_FILES, maxBytes: MAX_BYTES, skips: () => false, follows: isShared });
  if (!tree.ok) return refused(tree.error.path, tree.error.reason);
  return tree.value.length === 0 ? { type: "nothing" } : { type: "files", hash: hashOf(tree.value), files: tree.value };
}

const isShared = (name: string): boolean => SHARED.some((place) => name === place || name.startsWith(`${place}/`));

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
