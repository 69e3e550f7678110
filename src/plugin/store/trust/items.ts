import { join } from "node:path";
import { plural } from "../../../base/index.js";
import { describeReach } from "../../grants/index.js";
import type { LoadPackage } from "../approval.js";
import { plainWords } from "../names.js";
import type { CompiledPlugin } from "../../types.js";
import type { TreeFile } from "../tree.js";
import type { ProjectBehaviour } from "../types.js";
import { groupOf } from "./brings.js";
import { configWords } from "./config-words.js";

type Item = ProjectBehaviour["items"][number];

const MAX_ITEMS = 200;
/** Of what one plugin may do. */
const MAX_LINES = 60;

export interface ItemDeps {
  readonly loadPackage: LoadPackage;
  /** Plugins there are without the project, whose names its own may take. */
  readonly others: () => Promise<readonly CompiledPlugin[]>;
}

/** Each thing in the project that has a say, with what it would do. Plugins are compiled and not run. */
export async function describeItems(root: string, files: readonly TreeFile[], deps: ItemDeps): Promise<readonly Item[]> {
  const groups = new Map<string, TreeFile[]>();
  for (const file of files) {
    const path = groupOf(file.name);
    const group = groups.get(path) ?? [];
    groups.set(path, group);
    group.push(file);
  }
  const shown = [...groups].slice(0, MAX_ITEMS);
  const items = await Promise.all(
    shown.map(async ([path, group]) => ({ path: plainWords(path, 200), what: await whatOf({ root, path, group }, deps) })),
  );
  const left = groups.size - shown.length;
  return left === 0 ? items : [...items, { path: ".smith", what: `${plural(left, "more thing")} of this kind` }];
}

interface Group {
  readonly root: string;
  readonly path: string;
  readonly group: readonly TreeFile[];
}

async function whatOf({ root, path, group }: Group, deps: ItemDeps): Promise<string> {
  const [file] = group;
  const text = Buffer.from(file?.bytes ?? []).toString("utf8");
  if (path === ".mcp.json") return (await import("./server-words.js")).serverWords(text);
  if (path === ".smith/config.kdl") return await configWords(path, text);
  const [, kind, name = ""] = path.split("/");
  const isFolder = file?.name !== path;
  if (kind === "plugins") return isFolder ? await pluginWords(join(root, path), deps) : "a file among the plugins, which is not used";
  const shown = plainWords(name, 60);
  if (kind === "skills") return `offers the model the skill ${shown}, ${plural(group.length, "file")}`;
  return `adds the prompt ${shown}, as a command`;
}

/** What reaches furthest comes first, so that a bound leaves out the least; those lines are marked as everywhere. */
async function pluginWords(dir: string, { loadPackage, others }: ItemDeps): Promise<string> {
  const loaded = await loadPackage(dir);
  if (!loaded.ok) return `a plugin that cannot be used: ${plainWords(loaded.error[0]?.what ?? "it is broken", 200)}`;
  const { compiled } = loaded.value;
  const lines = describeReach(compiled, await others()).map(({ words, isStrong }) => `${isStrong ? "! " : ""}${plainWords(words, 300)}`);
  const more = lines.length > MAX_LINES ? `; and ${String(lines.length - MAX_LINES)} more` : "";
  return `runs the plugin ${compiled.id} ${compiled.version}: ${lines.slice(0, MAX_LINES).join("; ") || "it may do nothing outside of itself"}${more}`;
}
