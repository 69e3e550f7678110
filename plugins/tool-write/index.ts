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
  const data = { created: change.created, ...(change.replacedUnseen === true ? { replacedUnseen: true } : {}) };
  const details = { ...(change.diff === "" ? {} : { diff: change.diff }), data };
  if (change.created) return result(`Created ${name} (${lineCount(content)}).`, { summary: `new, +${change.addedLines}`, details });
  if (change.diff === "") return result(`${name} already had exactly this content; nothing changed.`, { summary: "no change", details });
  const unseen =
    change.replacedUnseen === true ? ` It was never read in this session; what it held is gone (${lines(change.removedLines)}).` : "";
  return result(`Replaced ${name} (${counts} lines).${unseen}`, { summary: counts, details });
};

function lineCount(content: string): string {
  const breaks = content.split("\n").length - 1;
  return lines(content === "" || content.endsWith("\n") ? breaks : breaks + 1);
}

const lines = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);

export default definePlugin({ tools: { write } });
