import { definePlugin, result } from "smith-agent/plugin";
import type { Tool } from "smith-agent/plugin";

export interface WriteArgs {
  readonly path: string;
  readonly content: string;
}

/** Writes the content exactly as given; line endings are the caller's. */
export const write: Tool<WriteArgs> = async ({ path, content }, context) => {
  const change = await context.fs.write({ path, content });
  const name = change.path;
  const counts = `+${change.addedLines} -${change.removedLines}`;
  const details = { ...(change.diff === "" ? {} : { diff: change.diff }), data: { created: change.created } };
  if (change.created) return result(`Created ${name} (${lineCount(content)}).`, { summary: `new, +${change.addedLines}`, details });
  if (change.diff === "") return result(`${name} already had exactly this content; nothing changed.`, { summary: "no change", details });
  return result(`Replaced ${name} (${counts} lines).`, { summary: counts, details });
};

function lineCount(content: string): string {
  const breaks = content.split("\n").length - 1;
  const lines = content === "" || content.endsWith("\n") ? breaks : breaks + 1;
  return lines === 1 ? "1 line" : `${lines} lines`;
}

export default definePlugin({ tools: { write } });
