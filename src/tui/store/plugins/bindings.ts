import { freeAction, freeActionNames } from "../../focus/index.js";
import { closest } from "../../../base/index.js";
import type { CommandInfo, KeyInfo } from "../../plugins/index.js";
import { sanitizeLine } from "../../text/index.js";
import { parseSlash } from "../slash.js";
import type { Binding } from "../ui.js";

const NAMED = new Set([
  ...["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"],
  ...["enter", "escape", "tab", "space", "backspace"],
  ...Array.from({ length: 12 }, (_, index) => `f${String(index + 1)}`),
]);

/** The way out, whatever a plugin wants. */
const KEPT: ReadonlySet<string> = new Set(["ctrl+c"]);

const MODIFIERS = ["ctrl", "alt", "shift"];

/** Whether a chord is written as keys are looked up, and is not one that types text. */
function isChord(chord: string): boolean {
  const words = chord.split("+");
  const name = words.pop() ?? "";
  const inOrder = words.every((word, index) => MODIFIERS.indexOf(word) > (index === 0 ? -1 : MODIFIERS.indexOf(words[index - 1] ?? "")));
  return inOrder && (NAMED.has(name) || (/^[^\s\p{Cc}+]$/u.test(name) && (words.includes("ctrl") || words.includes("alt"))));
}

export interface CompiledBindings {
  readonly bindings: ReadonlyMap<string, Binding>;
  /** What cannot be used, each as a sentence with what to do. */
  readonly remarks: readonly string[];
}

/** Keys of plugins by chord. Where two want one, the first stays; the runtime says so. */
export function compileBindings(keys: readonly KeyInfo[], commands: readonly CommandInfo[]): CompiledBindings {
  const bindings = new Map<string, Binding>();
  const remarks: string[] = [];
  for (const contribution of keys) {
    const chord = contribution.key.toLowerCase();
    const { binding, remark } = compileOne({ ...contribution, key: chord }, commands);
    if (remark !== undefined) remarks.push(remark);
    if (binding !== undefined && !bindings.has(chord)) bindings.set(chord, binding);
  }
  return { bindings, remarks };
}

function compileOne(
  { key, plugin, command }: KeyInfo,
  commands: readonly CommandInfo[],
): { readonly binding?: Binding; readonly remark?: string } {
  const [keys, by, shown] = [sanitizeLine(key), sanitizeLine(plugin), sanitizeLine(command)];
  if (!isChord(key)) return { remark: `The key ${keys} of ${by} is no key; its manifest must name one such as ctrl+t or f5.` };
  if (KEPT.has(key)) return { remark: `${by} wants the key ${keys}, which is always smith's own; it keeps its meaning.` };
  const base = { plugin: by, keys };
  if (command === "") return { binding: { ...base, what: "nothing", does: { type: "nothing" } } };
  if (command.startsWith("@")) {
    const action = freeAction(command.slice(1));
    if (action !== undefined) return { binding: { ...base, what: shown, does: { type: "action", action } } };
    const near = closest(command.slice(1), freeActionNames());
    return {
      remark: `The key ${keys} of ${by} names no action: ${shown}. ${near === undefined ? "It does nothing." : `Did it mean @${near}?`}`,
    };
  }
  const parsed = parseSlash(`/${command}`, commands);
  const binding: Binding = { ...base, what: `/${shown}`, does: { type: "command", line: `/${command}` } };
  return parsed.type === "command" || parsed.type === "contributed"
    ? { binding }
    : { remark: `The key ${keys} of ${by} stands for /${shown}, and there is no such command.` };
}
