import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DeclaredOption, kindOf, variableOf } from "../../src/config/index.js";
import { compileManifest } from "../../src/plugin/manifest/index.js";

const folder = fileURLToPath(new URL("../../plugins", import.meta.url));

const INTRO = `# Settings of bundled plugins

What the plugins that come with smith can be told, made from their manifests. They are written and found like the settings above; \`smith plugins info ID\` shows those of any
plugin with their values.`;

/** A section for each bundled plugin that has options. */
export async function renderPluginSettings(): Promise<string> {
  const names = readdirSync(folder).sort();
  const sections = await Promise.all(names.map(async (name) => await pluginSection(join(folder, name))));
  return `${[INTRO, ...sections.filter((section) => section !== "")].join("\n\n")}\n`;
}

async function pluginSection(dir: string): Promise<string> {
  const read = async (name: string): Promise<string> => await Promise.resolve(readFileSync(join(dir, name), "utf8"));
  const compiled = await compileManifest(await read("manifest.kdl"), read, { path: join(dir, "manifest.kdl"), bundled: true });
  if (!compiled.ok) throw new Error(compiled.error.map(({ what }) => what).join("\n"));
  const { id, description, options } = compiled.value;
  return options.length === 0 ? "" : [`## ${id}`, `${description}.`.replace(/\.\.$/u, "."), ...options.map(optionSection)].join("\n\n");
}

function optionSection(option: DeclaredOption): string {
  const { name, help, secret } = option;
  const kind = kindOf(option);
  const [leaf, ...groups] = name.split(".").reverse();
  const line = groups.reduce((inner, group) => `${group} { ${inner} }`, `${leaf ?? ""} ${kind.example}`);
  return [
    `### ${name}`,
    "",
    `${help}.`.replace(/\.\.$/u, "."),
    "",
    `- Takes: ${kind.constraint}`,
    `- Default: ${defaultOf(option)}`,
    `- File: \`${line}\``,
    `- Environment: \`${variableOf(name)}\``,
    ...(secret ? ["- Secret: never shown"] : []),
  ].join("\n");
}

function defaultOf({ default: value }: DeclaredOption): string {
  if (value === undefined) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((one) => `\`${String(one)}\``).join(", ");
  return `\`${typeof value === "string" ? value : typeof value === "boolean" ? `#${String(value)}` : JSON.stringify(value)}\``;
}
