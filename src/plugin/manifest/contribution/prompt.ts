import type { KdlNode } from "../../../config/index.js";
import type { PromptSection } from "../../types.js";
import { readText } from "../file-text.js";
import { TOOL_NAME, WORD } from "../names.js";
import {
  badValue,
  checkName,
  type ManifestScope,
  readChildren,
  readProperties,
  readTexts,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

const ITEM_WORDS: readonly string[] = ["name", "description", "path", "text"];

/** `prompt "name" "text" order=10 when-tool="shell"`, or with `file=`; `each="skill" item="- {{name}}"` for one item of each resource. */
export async function compilePrompt(scope: ManifestScope, plugin: string, node: KdlNode): Promise<PromptSection> {
  const [name = "", inline] = readTexts(scope, node, { atLeast: 1, atMost: 2 });
  if (name !== "") checkName(scope, node, name, WORD);
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, { order: "integer", file: "text", "when-tool": "text", each: "text", item: "text" });
  const whenTool = properties["when-tool"];
  if (whenTool !== undefined && !TOOL_NAME.pattern.test(whenTool)) rejectProperty(scope, node, "when-tool", "the name of a tool");
  if (inline !== undefined && properties.file !== undefined) rejectProperty(scope, node, "file", "absent: the text is given already");
  const each = readEach(scope, node, properties);
  return {
    name,
    plugin,
    order: requireValue(scope, node, { name: "order", value: properties.order, fallback: 0 }),
    text: await readText(scope, node, { inline, file: properties.file }),
    ...(whenTool === undefined ? {} : { whenTool }),
    ...(each === undefined ? {} : { each }),
  };
}

function readEach(
  scope: ManifestScope,
  node: KdlNode,
  { each, item }: { readonly each?: string; readonly item?: string },
): PromptSection["each"] | undefined {
  if (each === undefined) {
    rejectProperty(scope, node, "item", "absent: only a section with each= has items");
    return undefined;
  }
  const text = requireValue(scope, node, { name: "item", value: item, fallback: "" });
  const entry = node.entries.find(({ name }) => name === "item");
  const unknown = [...text.matchAll(/\{\{([^{}]*)\}\}/gu)].find(([, word = ""]) => !ITEM_WORDS.includes(word));
  if (entry !== undefined && unknown !== undefined)
    scope.problems.push(badValue(scope, entry, "item", `text with ${ITEM_WORDS.map((word) => `{{${word}}}`).join(", ")} in it`));
  return { kind: each, item: text };
}
