import type { KdlNode } from "../../../config/index.js";
import type { ToolSetContribution } from "../../types.js";
import { WORD } from "../names.js";
import { type ManifestScope, readChildren, readCount, readName, readProperties, rejectProperty, requireValue } from "../node-reader.js";

const TIMEOUT_MS = { usual: 600_000, min: 1, max: 3_600_000 };
const MAX_TOOLS = { usual: 256, min: 1, max: 512 };
/** A common beginning keeps what a set names apart from what manifests name. */
const PREFIX = /^[a-z][a-z0-9]{0,15}__$/u;

/** `tool-set "mcp" from="mcp" prefix="mcp__" max=256 timeout-ms=600000` */
export function compileToolSet(scope: ManifestScope, plugin: string, node: KdlNode): ToolSetContribution {
  readChildren(scope, node, []);
  const name = readName(scope, node, WORD);
  const properties = readProperties(scope, node, { from: "text", prefix: "text", max: "integer", "timeout-ms": "integer" });
  const from = requireValue(scope, node, { name: "from", value: properties.from, fallback: "mcp" });
  if (from !== "mcp") rejectProperty(scope, node, "from", "mcp, the servers of the Model Context Protocol");
  const prefix = requireValue(scope, node, { name: "prefix", value: properties.prefix, fallback: "set__" });
  if (!PREFIX.test(prefix))
    rejectProperty(scope, node, "prefix", "a word of lower case letters and digits with __ at its end, such as mcp__");
  return {
    name,
    plugin,
    source: "mcp",
    prefix,
    max: readCount(scope, node, { name: "max", value: properties.max }, MAX_TOOLS),
    timeoutMs: readCount(scope, node, { name: "timeout-ms", value: properties["timeout-ms"] }, TIMEOUT_MS),
  };
}
