import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, Resource, ResourceContribution, ResourceSource } from "../types.js";
import { readCollected } from "./collected-file.js";
import { readContent } from "./content.js";
import { duplicateResource, tooManyResources } from "./diagnostics.js";
import { nameResource } from "./naming.js";
import { expandPattern } from "./pattern.js";
import { createPlaces, type PlaceDeps, type Places } from "./places.js";

/** `configDir` is smith's configuration folder, `cwd` the workspace; `trusted` says whether the project's own files may have a say. */
export type CollectDeps = PlaceDeps;

export interface Collected {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Files of one contribution, and problems with others that are told. */
const MAX_FILES = 200;
/** Files of one contribution that are open at once. */
const CONCURRENCY = 16;

/**
 * Collects what the plugins' resource contributions name. In order: contributions as the plugins are given, sources as declared,
 * paths; what a package brings along comes before everything else of its kind. Of one kind and name the last is used, except plain
 * texts, which are all kept. Never rejects for what lies on disk.
 */
export async function collectResources(plugins: readonly ActivePlugin[], deps: CollectDeps): Promise<Collected> {
  const wanted = plugins.flatMap((plugin) => plugin.compiled.resources.map((contribution) => ({ plugin, contribution })));
  if (wanted.length === 0) return { resources: [], diagnostics: [] };
  const places = await createPlaces(deps);
  const collected = await Promise.all(wanted.map(({ plugin, contribution }) => collectOne(places, plugin, contribution)));
  const found = collected.flatMap(({ found: items }) => items);
  const ordered = [
    ...found.filter(({ resource }) => resource.from === "plugin"),
    ...found.filter(({ resource }) => resource.from !== "plugin"),
  ];
  const unique = withoutDuplicates(ordered);
  return { resources: unique.resources, diagnostics: [...collected.flatMap(({ problems }) => problems), ...unique.diagnostics] };
}

interface Found {
  readonly resource: Resource;
  readonly isText: boolean;
}

interface OneCollected {
  readonly found: readonly Found[];
  readonly problems: readonly Diagnostic[];
}

interface Candidate {
  readonly path: string;
  readonly from: ResourceSource["from"];
  readonly within?: string;
}

async function collectOne(places: Places, plugin: ActivePlugin, contribution: ResourceContribution): Promise<OneCollected> {
  const bySource = await Promise.all(contribution.sources.map((source) => candidatesOf(places, plugin, source)));
  const candidates = bySource.flat();
  const found: Found[] = [];
  const problems: Diagnostic[] = [];
  // By real path: a file that two sources lead to is one file.
  const seen = new Set<string>();
  for (let index = 0; index < candidates.length; index += CONCURRENCY) {
    const read = await Promise.all(candidates.slice(index, index + CONCURRENCY).map((candidate) => readResource(candidate, contribution)));
    for (const { resource, problems: own } of read) {
      if (resource !== undefined && seen.has(resource.path)) continue;
      if (problems.length < MAX_FILES) problems.push(...own);
      if (resource === undefined) continue;
      if (found.length === MAX_FILES)
        return { found, problems: [...problems, tooManyResources(resource.path, contribution.kind, MAX_FILES)] };
      seen.add(resource.path);
      found.push({ resource, isText: contribution.format === "text" });
    }
  }
  return { found, problems };
}

async function candidatesOf(places: Places, plugin: ActivePlugin, { from, path }: ResourceSource): Promise<readonly Candidate[]> {
  const lists = await Promise.all(
    (await places.of(from, plugin)).map(async ({ base, within }) =>
      (await expandPattern(base, path)).map((found) => ({ path: found, from, ...(within === undefined ? {} : { within }) })),
    ),
  );
  return lists.flat();
}

interface ReadResource {
  readonly resource?: Resource;
  readonly problems: readonly Diagnostic[];
}

async function readResource({ path, from, within }: Candidate, contribution: ResourceContribution): Promise<ReadResource> {
  const { kind, plugin, format, maxBytes, cut } = contribution;
  const { file, problem } = await readCollected(path, { maxBytes, cut, ...(within === undefined ? {} : { within }) });
  const read = file === undefined ? {} : await readContent(file.text, path, format);
  const naming = read.content === undefined ? {} : nameResource(path, read.content.name, contribution);
  const problems = [problem, read.problem, naming.problem].filter((item) => item !== undefined);
  if (file === undefined || read.content === undefined || naming.name === undefined) return { problems };
  const { description, text, attributes } = read.content;
  return { resource: { kind, plugin, name: naming.name, description, from, path: file.path, text, attributes }, problems };
}

function withoutDuplicates(found: readonly Found[]): {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const used = new Map<string, Resource>();
  const diagnostics: Diagnostic[] = [];
  for (const { resource, isText } of found) {
    if (isText) continue;
    const key = `${resource.kind}\0${resource.name}`;
    const hidden = used.get(key);
    if (hidden !== undefined && hidden.path !== resource.path) {
      diagnostics.push(duplicateResource(resource.kind, resource.name, { used: resource.path, hidden: hidden.path }));
    }
    used.set(key, resource);
  }
  const resources = found.filter(({ resource, isText }) => isText || used.get(`${resource.kind}\0${resource.name}`) === resource);
  return { resources: resources.map(({ resource }) => resource), diagnostics };
}
