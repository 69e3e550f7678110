import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "../../base/index.js";
import type { KdlNode, KdlValue } from "./node.js";

/** Raised when the shape of cached nodes changes; older files are then read as misses. */
const FORMAT = 1;

/** Parsed KDL by content, so that a warm start loads no parser. A failure of any kind is a miss, told to `log` and nobody else. */
export interface KdlCache {
  /** Nodes of exactly these bytes at this path, or undefined. */
  load(path: string, bytes: Uint8Array): Promise<readonly KdlNode[] | undefined>;
  store(path: string, bytes: Uint8Array, nodes: readonly KdlNode[]): Promise<void>;
}

export interface KdlCacheDeps {
  /** The cache folder; files go into `config` below it, one for each configuration file. */
  readonly dir: string;
  /** Tells two writers of the same cache file apart. */
  readonly pid: number;
  readonly log: (message: string) => void;
}

export function createKdlCache(deps: KdlCacheDeps): KdlCache {
  const folder = join(deps.dir, "config");
  return {
    async load(path, bytes) {
      try {
        const cached: unknown = JSON.parse(await readFile(join(folder, await fileName(path)), "utf8"));
        if (!isJsonObject(cached) || cached["format"] !== FORMAT || cached["content"] !== (await sha256(bytes))) return undefined;
        const nodes = cached["nodes"];
        return Array.isArray(nodes) && nodes.every(isNode) ? nodes : undefined;
      } catch (error) {
        if (codeOf(error) !== "ENOENT") deps.log(`configuration cache not read: ${reasonOf(error)}`);
        return undefined;
      }
    },
    async store(path, bytes, nodes) {
      try {
        const target = join(folder, await fileName(path));
        const fresh = `${target}.${String(deps.pid)}`;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        try {
          await writeFile(fresh, JSON.stringify({ format: FORMAT, content: await sha256(bytes), nodes }), { mode: 0o600 });
          await rename(fresh, target);
        } catch (error) {
          await rm(fresh, { force: true });
          throw error;
        }
      } catch (error) {
        deps.log(`configuration cache not written: ${reasonOf(error)}`);
      }
    },
  };
}

const fileName = async (path: string): Promise<string> => `${(await sha256(Buffer.from(path))).slice(0, 32)}.json`;

async function sha256(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(bytes).digest("hex");
}

function isNode(value: unknown): value is KdlNode {
  if (!isJsonObject(value) || typeof value["name"] !== "string" || !isPlace(value)) return false;
  const { entries, children } = value;
  return Array.isArray(entries) && entries.every(isValue) && Array.isArray(children) && children.every(isNode);
}

const isPlace = (value: { readonly [key: string]: unknown }): boolean =>
  typeof value["line"] === "number" && typeof value["column"] === "number";

const isValue = (value: unknown): value is KdlValue =>
  isJsonObject(value) && isPlace(value) && (value["value"] === null || ["string", "number", "boolean"].includes(typeof value["value"]));

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "");

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
