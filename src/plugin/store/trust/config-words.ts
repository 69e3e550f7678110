import { type KdlNode, parseKdl } from "../../../config/index.js";
import { plainWords } from "../names.js";

const MAX_SETTINGS = 20;

/** What a configuration file sets, with its values: `sets model "x", openai.base-url "https://…"`. */
export async function configWords(path: string, text: string): Promise<string> {
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) return "settings that cannot be read";
  const settings = parsed.value.flatMap((node) => settingsOf(node, []));
  if (settings.length === 0) return "sets nothing";
  const more = settings.length > MAX_SETTINGS ? `, and ${String(settings.length - MAX_SETTINGS)} more` : "";
  return `sets ${settings.slice(0, MAX_SETTINGS).join(", ")}${more}`;
}

function settingsOf(node: KdlNode, above: readonly string[]): readonly string[] {
  const path = [...above, node.name];
  const values = node.entries.map(
    ({ name, value }) => `${name === undefined ? "" : `${plainWords(name, 40)}=`}${plainWords(JSON.stringify(value), 100)}`,
  );
  const own = values.length > 0 || node.children.length === 0 ? [[plainWords(path.join("."), 100), ...values].join(" ")] : [];
  return [...own, ...node.children.flatMap((child) => settingsOf(child, path))];
}
