import type { KdlNode } from "../../config/index.js";
import { fileOutside, type ManifestPlace, missingInManifest, textTooLong, unreadableFile } from "./diagnostics.js";
import { type ManifestScope, nameOf, onlyOne, placeOf, readProperties, readTexts } from "./node-reader.js";

/** Of one text a manifest takes from a file, UTF-16 units. */
const MAX_FILE_UNITS = 256 * 1024;

/** Whether a name stays inside of the plugin's folder as every system reads it: no root, no drive, no way up, no other separator. */
export const isInside = (name: string): boolean =>
  name !== "" && !/[\\:\0]/u.test(name) && !name.startsWith("/") && !name.split("/").includes("..");

/** A text given as an argument or, with `file=`, as a file of the plugin's folder. Line ends at its end are cut. */
export async function readText(
  scope: ManifestScope,
  node: KdlNode,
  given: { readonly inline: string | undefined; readonly file: string | undefined },
): Promise<string> {
  if (given.file !== undefined) return ((await readFileText(scope, node, given.file)) ?? "").trimEnd();
  if (given.inline === undefined) scope.problems.push(missingInManifest(placeOf(scope, node), nameOf(node), "text or file="));
  return given.inline ?? "";
}

/** Content of a file that the node's `file` property names; undefined once that is a problem. */
export async function readFileText(scope: ManifestScope, node: KdlNode, file: string): Promise<string | undefined> {
  return await readAt(scope, placeOf(scope, node.entries.find(({ name }) => name === "file") ?? node), file);
}

/** Content of a file that is the node's argument. */
export const readNamedFile = async (scope: ManifestScope, node: KdlNode, file: string): Promise<string | undefined> =>
  await readAt(scope, placeOf(scope, node.entries[0] ?? node), file);

async function readAt(scope: ManifestScope, place: ManifestPlace, file: string): Promise<string | undefined> {
  if (!isInside(file)) {
    scope.problems.push(fileOutside(place, file));
    return undefined;
  }
  const content = await scope.readFile(file);
  if (content === undefined) scope.problems.push(unreadableFile(place, file));
  else if (content.length > MAX_FILE_UNITS) scope.problems.push(textTooLong(place, file, MAX_FILE_UNITS));
  else {
    scope.files.set(file, content);
    return content;
  }
  return undefined;
}

/** A `description` child, given inline or as a file. Required. */
export async function readDescription(scope: ManifestScope, owner: KdlNode, nodes: readonly KdlNode[]): Promise<string> {
  const node = onlyOne(scope, nodes);
  if (node === undefined) {
    scope.problems.push(missingInManifest(placeOf(scope, owner), nameOf(owner), "description"));
    return "";
  }
  const { file } = readProperties(scope, node, { file: "text" });
  const [inline] = readTexts(scope, node, { atLeast: 0, atMost: 1 });
  return readText(scope, node, { inline, file });
}
