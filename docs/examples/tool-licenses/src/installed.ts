import { isHostError, type JsonObject, type JsonValue, parseJson, type PluginContext } from "smith-agent/plugin";

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** As declared; empty when nothing is. */
  readonly license: string;
}

export interface Installed {
  /** One of each name and version, by name. */
  readonly packages: readonly InstalledPackage[];
  /** There are more than were looked at. */
  readonly isCut: boolean;
}

/** Packages directly in a `node_modules`, with a scope or without, at any depth: nested ones and those of a pnpm store, too. */
const PATTERN = "**/node_modules/{*,@*/*}/package.json";
/** Reads in the air at once. The host refuses more than 64. */
const AT_ONCE = 32;

/** Reads the manifest of every installed package, up to `limit`, and tells how far it is while it does. */
export async function readInstalled(context: PluginContext, limit: number): Promise<Installed> {
  const found = await context.search.find({ pattern: PATTERN, limit, includeIgnored: true });
  const byKey = new Map<string, InstalledPackage>();
  for (let at = 0; at < found.paths.length; at += AT_ONCE) {
    context.ui.progress(`${at} of ${found.paths.length} packages`);
    const read = await Promise.all(found.paths.slice(at, at + AT_ONCE).map((path) => readPackage(context, path)));
    for (const one of read) if (one !== undefined) byKey.set(`${one.name}@${one.version}`, one);
  }
  const packages = [...byKey.values()].sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  return { packages, isCut: found.truncated };
}

/** Nothing for a file that is no package or went away; one package must not cost the others. */
async function readPackage(context: PluginContext, path: string): Promise<InstalledPackage | undefined> {
  try {
    const file = await context.fs.read({ path });
    const value = file.type === "text" ? asObject(parseJson(file.lines.join("\n"))) : undefined;
    const name = value === undefined ? "" : asText(value["name"]);
    if (value === undefined || name === "") return undefined;
    return { name, version: asText(value["version"]), license: licenseOf(value) };
  } catch (error) {
    // What the plugin may not do at all concerns every package: that is for whoever asked.
    if (isHostError(error) && error.code !== "grant.denied") return undefined;
    throw error;
  }
}

/** `license` as an expression, or one of the two older ways to say it. */
function licenseOf(manifest: JsonObject): string {
  const { license, licenses } = manifest;
  if (Array.isArray(licenses) && license === undefined) return (licenses as readonly JsonValue[]).map(nameOf).filter(Boolean).join(" OR ");
  return nameOf(license);
}

const nameOf = (value: JsonValue | undefined): string => asText(value) || asText(asObject(value)?.["type"]);

const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

const asText = (value: JsonValue | undefined): string => (typeof value === "string" ? value.trim() : "");
