import type { KdlNode } from "../../../config/index.js";
import type { ResourceContribution, ResourceSource } from "../../types.js";
import { missingInManifest } from "../diagnostics.js";
import { isInside } from "../file-text.js";
import { WORD } from "../names.js";
import {
  badValue,
  type ManifestScope,
  nameOf,
  placeOf,
  readChildren,
  readChoice,
  readCount,
  readName,
  readProperties,
  readTexts,
  rejectProperty,
  requireValue,
  unknownProblem,
} from "../node-reader.js";

const MAX_KIB = { usual: 64, min: 1, max: 1_024 };
const PLACES = ["user", "project", "ancestors", "plugin"] as const;
const MAX_SEGMENTS = 8;

/** `resource "skill" format="front-matter" named="folder" max-kib=64 cut=#false { from "user" path="skills/one/SKILL.md" }` */
export function compileResource(scope: ManifestScope, plugin: string, node: KdlNode): ResourceContribution {
  const kind = readName(scope, node, WORD);
  const properties = readProperties(scope, node, { format: "text", named: "text", "max-kib": "integer", cut: "flag" });
  const { from } = readChildren(scope, node, ["from"]);
  if (from.length === 0) scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "from"));
  const named = readChoice(scope, node, { name: "named", value: properties.named }, ["file", "folder"]);
  return {
    kind,
    plugin,
    format: readChoice(scope, node, { name: "format", value: properties.format }, ["text", "front-matter", "json"]),
    named,
    sources: from.map((child) => compileSource(scope, child, named)),
    maxBytes: readCount(scope, node, { name: "max-kib", value: properties["max-kib"] }, MAX_KIB) * 1_024,
    cut: properties.cut ?? false,
  };
}

function compileSource(scope: ManifestScope, node: KdlNode, named: ResourceContribution["named"]): ResourceSource {
  const [word = ""] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, { path: "text" });
  const from = PLACES.find((place) => place === word);
  const entry = node.entries.find(({ name }) => name === undefined);
  if (from === undefined && entry !== undefined)
    scope.problems.push(
      word === ""
        ? badValue(scope, entry, "from", PLACES.join(", "))
        : unknownProblem(scope, entry, { word, owner: "from", words: PLACES }),
    );
  const path = requireValue(scope, node, { name: "path", value: properties.path, fallback: "x" });
  if (!isPattern(path))
    rejectProperty(
      scope,
      node,
      "path",
      `a relative path of at most ${MAX_SEGMENTS} names, without .., where * stands for a part of one name`,
    );
  // What lies beside such a resource belongs to it, and that must not be the whole workspace or configuration.
  if (named === "folder" && from !== "plugin" && !path.includes("/"))
    rejectProperty(scope, node, "path", 'a file in a folder of its own, such as "skills/*/SKILL.md", where named="folder"');
  return { from: from ?? "plugin", path };
}

/** No `**`: what is collected when a session opens must be found in a few folders. */
const isPattern = (path: string): boolean =>
  isInside(path) && !path.includes("**") && !path.endsWith("/") && !path.includes("//") && path.split("/").length <= MAX_SEGMENTS;
