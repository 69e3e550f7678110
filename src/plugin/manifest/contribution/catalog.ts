import { dirname, join } from "node:path";
import { type KdlNode, parseKdl, readModelFacts } from "../../../config/index.js";
import type { CatalogModel, ProviderCatalog } from "../../../schema/index.js";
import { badManifestValue, duplicateInManifest } from "../diagnostics.js";
import { readNamedFile } from "../file-text.js";
import {
  badValue,
  type ManifestScope,
  nameOf,
  onlyOne,
  placeOf,
  readChildren,
  readProperties,
  readTexts,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/u;

/** `catalog "catalog.kdl"`: the models of a provider, in a file of their own with its date and source. */
export async function compileCatalog(scope: ManifestScope, nodes: readonly KdlNode[]): Promise<ProviderCatalog | undefined> {
  const node = onlyOne(scope, nodes);
  if (node === undefined) return undefined;
  readChildren(scope, node, []);
  readProperties(scope, node, {});
  const [file] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  const text = file === undefined ? undefined : await readNamedFile(scope, node, file);
  if (file === undefined || text === undefined) return undefined;
  const path = join(dirname(scope.path), file);
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) {
    scope.problems.push(...parsed.error);
    return undefined;
  }
  const inFile = { ...scope, path };
  const root: KdlNode = { name: "a catalog", line: 1, column: 1, entries: [], children: parsed.value };
  const { catalog, model } = readChildren(inFile, root, ["catalog", "model"]);
  const head = requireValue(inFile, root, { name: "catalog", value: onlyOne(inFile, catalog), fallback: root });
  const models = model.map((child) => compileModel(inFile, child));
  rejectSharedIds(inFile, models, model);
  return { ...compileHead(inFile, head), models };
}

function compileHead(scope: ManifestScope, node: KdlNode): Pick<ProviderCatalog, "date" | "source"> {
  const { date, source } = readProperties(scope, node, { date: "text", source: "text" });
  if (date !== undefined && !DATE.test(date)) rejectProperty(scope, node, "date", "a date such as 2026-11-30");
  return {
    date: requireValue(scope, node, { name: "date", value: date, fallback: "" }),
    source: requireValue(scope, node, { name: "source", value: source, fallback: "" }),
  };
}

function compileModel(scope: ManifestScope, node: KdlNode): CatalogModel {
  const [id = ""] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  const { title, released } = readProperties(scope, node, { title: "text", released: "text" });
  if (released !== undefined && !DATE.test(released)) rejectProperty(scope, node, "released", "a date such as 2026-11-30");
  if (/\s/u.test(id)) scope.problems.push(badValue(scope, node.entries[0] ?? { ...node, value: id }, nameOf(node), "an id without blanks"));
  const { facts, also, problems } = readModelFacts(node);
  for (const { at, subject, expected } of problems)
    scope.problems.push(badManifestValue(placeOf(scope, at), subject, "not usable", expected));
  return {
    id,
    ...(title === undefined ? {} : { title }),
    ...(released === undefined ? {} : { released }),
    ...(also.length === 0 ? {} : { also }),
    ...facts,
  };
}

/** An id means one model, whether it is its own or another name of it. */
function rejectSharedIds(scope: ManifestScope, models: readonly CatalogModel[], nodes: readonly KdlNode[]): void {
  const seen = new Set<string>();
  for (const [index, { id, also = [] }] of models.entries()) {
    const node = nodes[index];
    for (const name of [id, ...also]) {
      if (seen.has(name) && node !== undefined)
        scope.problems.push(duplicateInManifest(placeOf(scope, node), `the model ${JSON.stringify(name)}`));
      seen.add(name);
    }
  }
}
