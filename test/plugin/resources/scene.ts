import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Collected, collectResources } from "../../../src/plugin/resources/index.js";
import type { ActivePlugin, ResourceContribution, ResourceSource } from "../../../src/plugin/types.js";

/** A folder with a configuration folder, a workspace and a package in it; removed when the test is over. */
export interface Scene {
  readonly root: string;
  readonly configDir: string;
  readonly cwd: string;
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  collect(
    contributions: readonly ResourceContribution[],
    options?: { readonly trusted?: boolean; readonly cwd?: string; readonly root?: string },
  ): Promise<Collected>;
}

export async function createScene(workspace = "project"): Promise<Scene> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "smith-resources-")));
  onTestFinished(async () => rm(root, { recursive: true, force: true }));
  const [configDir, cwd] = [join(root, "config"), join(root, workspace)];
  await mkdir(configDir);
  await mkdir(cwd, { recursive: true });
  return {
    root,
    configDir,
    cwd,
    write: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), content);
      }
    },
    collect: async (contributions, options = {}) =>
      collectResources(
        contributions.map((contribution) => pluginWith(join(root, "package"), contribution)),
        { configDir, cwd, trusted: true, ...options },
      ),
  };
}

const NO_GRANTS: ActivePlugin["compiled"]["grants"] = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
  mcp: [],
  agent: false,
};

function pluginWith(dir: string, contribution: ResourceContribution): ActivePlugin {
  return {
    compiled: {
      id: contribution.plugin,
      version: "1.0.0",
      sdk: 1,
      description: "",
      hash: "",
      entry: "main.ts",
      grants: NO_GRANTS,
      tools: [],
      commands: [],
      providers: [],
      prompts: [],
      resources: [contribution],
      themes: [],
      keys: [],
      options: [],
      handlers: [],
      states: [],
      toolSets: [],
    },
    origin: "user",
    modules: { type: "tree", path: "", entry: "main.ts" },
    dir,
  };
}

const sourceOf = (text: string): ResourceSource => {
  const [from, path] = text.split(" ");
  return { from: from as ResourceSource["from"], path: path ?? "" };
};

/** Skills as the bundled plugin collects them, from sources written as `user skills/STAR/SKILL.md`. */
export const skills = (sources: readonly string[], rest: Partial<ResourceContribution> = {}): ResourceContribution => ({
  kind: "skill",
  plugin: "smith.skills",
  format: "front-matter",
  named: "folder",
  maxBytes: 64 * 1024,
  cut: false,
  sources: sources.map(sourceOf),
  ...rest,
});

export const instructions = (sources: readonly string[], rest: Partial<ResourceContribution> = {}): ResourceContribution =>
  skills(sources, { kind: "instructions", plugin: "smith.instructions", format: "text", named: "file", cut: true, ...rest });

export const codes = ({ diagnostics }: Collected): readonly string[] => diagnostics.map(({ code }) => code);
export const names = ({ resources }: Collected): readonly string[] => resources.map(({ name }) => name);
