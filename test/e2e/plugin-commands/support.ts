import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "../support/place.js";

export interface PluginFiles {
  readonly id: string;
  readonly version?: string;
  /** Nodes of the manifest besides the description. */
  readonly nodes?: string;
  readonly main?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** Writes a plugin below the workspace and gives its folder. */
export function writePlugin(place: Place, dir: string, { id, version = "0.1.0", nodes = "", main = "", more = {} }: PluginFiles): string {
  const files = {
    "manifest.kdl": `plugin "${id}" version="${version}" sdk=1 entry="src/main.ts" {\n  description "Made for a test"\n  ${nodes}\n}\n`,
    "src/main.ts": `import { definePlugin, result } from "smith-agent/plugin";\n\nexport default definePlugin({ ${main} });\n`,
    ...more,
  };
  const folder = join(place.work, dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A command that says its arguments. */
export const SAYING = {
  nodes: 'grants { ui "notify"; }\n  command "say" usage="[words]" help="Says words"',
  main: 'commands: { say: (args) => [{ type: "notify", text: `said ${args}` }] }',
};

/** Records of an output of JSON lines. */
export const recordsOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
