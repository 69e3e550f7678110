import type { KdlNode } from "../../../config/index.js";
import type { CommandContribution } from "../../types.js";
import { COMMAND_NAME, COMMAND_PREFIX } from "../names.js";
import {
  checkName,
  type ManifestScope,
  readChildren,
  readCount,
  readList,
  readProperties,
  readTexts,
  rejectProperty,
  requireValue,
} from "../node-reader.js";

const TIMEOUT_MS = { usual: 30_000, min: 1, max: 600_000 };
const MAX_LINE = 200;

/** `command "lint" aliases="l" usage="[paths]" help="Lint changed files" timeout-ms=30000`; `command "skill:" each="skill" …` */
export function compileCommand(scope: ManifestScope, plugin: string, node: KdlNode): CommandContribution {
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, {
    aliases: "text",
    usage: "text",
    help: "text",
    each: "text",
    "timeout-ms": "integer",
  });
  const { usage, each } = properties;
  for (const name of ["usage", "help"] as const) {
    const text = properties[name];
    if (text !== undefined && (text.length > MAX_LINE || /[\n\r]/u.test(text)))
      rejectProperty(scope, node, name, `one line of at most ${MAX_LINE} characters`);
  }
  if (each !== undefined) rejectProperty(scope, node, "aliases", "absent: commands made for each file have none");
  return {
    name: each === undefined ? readCommandName(scope, node) : readPrefix(scope, node),
    plugin,
    aliases: readList(scope, node, { name: "aliases", value: properties.aliases }, COMMAND_NAME),
    description: requireValue(scope, node, { name: "help", value: properties.help, fallback: "" }),
    ...(usage === undefined ? {} : { usage }),
    ...(each === undefined ? {} : { each }),
    timeoutMs: readCount(scope, node, { name: "timeout-ms", value: properties["timeout-ms"] }, TIMEOUT_MS),
  };
}

function readCommandName(scope: ManifestScope, node: KdlNode): string {
  const [name = ""] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  if (name !== "") checkName(scope, node, name, COMMAND_NAME);
  return name;
}

/** A prefix may be empty, which no other text of a manifest may. */
function readPrefix(scope: ManifestScope, node: KdlNode): string {
  const [first, second] = node.entries.filter(({ name }) => name === undefined);
  if (first?.value !== "" || second !== undefined) {
    const [name = ""] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
    if (name !== "") checkName(scope, node, name, COMMAND_PREFIX);
    return name;
  }
  return first.value;
}
