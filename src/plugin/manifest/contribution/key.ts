import type { KdlNode } from "../../../config/index.js";
import type { KeyContribution } from "../../types.js";
import { badValue, type ManifestScope, readChildren, readProperties, readTexts, rejectProperty, requireValue } from "../node-reader.js";

/** In the order they are written in. */
const MODIFIERS: readonly string[] = ["ctrl", "alt", "shift"];

const NAMED: ReadonlySet<string> = new Set([
  ...["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"],
  ...["enter", "escape", "tab", "space", "backspace"],
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
]);

const EXPECTED = "a key such as ctrl+t, alt+enter or f5; a plain character needs ctrl or alt";
/** A command as it is typed, or an action of the interface. */
const COMMAND = /^(@[a-z][a-z0-9-]*|[a-z][a-z0-9:-]*( .*)?)?$/u;

/** `key "ctrl+t" command="theme"`; an empty command makes the key do nothing. */
export function compileKey(scope: ManifestScope, plugin: string, node: KdlNode): KeyContribution {
  const [written = ""] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, { command: "text" });
  const command = requireValue(scope, node, { name: "command", value: properties.command, fallback: "" });
  const key = parseKey(written);
  const entry = node.entries.find(({ name }) => name === undefined);
  if (key === undefined && written !== "" && entry !== undefined) scope.problems.push(badValue(scope, entry, "the key", EXPECTED));
  if (!COMMAND.test(command) || /[\n\r]/u.test(command))
    rejectProperty(scope, node, "command", `a command without its slash, an action of the interface such as @repaint, or empty`);
  return { key: key ?? written, plugin, command };
}

/** The one spelling of a key: lower case, modifiers in their order. */
function parseKey(written: string): string | undefined {
  const words = written.toLowerCase().split("+");
  const name = words.pop() ?? "";
  const isOnce = new Set(words).size === words.length && words.every((word) => MODIFIERS.includes(word));
  if (!isOnce) return undefined;
  const isPlain = /^[^\s\p{Cc}+]$/u.test(name);
  if (!NAMED.has(name) && !(isPlain && (words.includes("ctrl") || words.includes("alt")))) return undefined;
  return [...MODIFIERS.filter((modifier) => words.includes(modifier)), name].join("+");
}
