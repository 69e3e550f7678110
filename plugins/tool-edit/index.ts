import { definePlugin, failure, result } from "smith-agent/plugin";
import type { Tool } from "smith-agent/plugin";

export interface EditArgs {
  readonly path: string;
  readonly edits: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
}

/** Refuses what cannot mean anything before any effect; the rest is decided by the host against the file on disk. */
export const edit: Tool<EditArgs> = async ({ path, edits }, context) => {
  const problem = refusal(edits);
  if (problem !== undefined) return failure(problem);
  const change = await context.fs.edit({ path, edits });
  const counts = `+${change.addedLines} -${change.removedLines}`;
  const times = change.replacements === 1 ? "1 replacement" : `${change.replacements} replacements`;
  return result(`Edited ${change.path}: ${times}, ${counts} lines.`, {
    summary: counts,
    details: { diff: change.diff, data: { replacements: change.replacements } },
  });
};

function refusal(edits: EditArgs["edits"]): string | undefined {
  if (edits.length === 0) return "edits is empty; give at least one replacement.";
  for (const [index, { old, new: replacement }] of edits.entries()) {
    const which = `edits[${index}]`;
    if (old === "") return `${which}.old is empty; give the text to replace, or use write to create a file.`;
    if (old === replacement) return `${which}.old and ${which}.new are the same text; nothing was changed.`;
  }
  return undefined;
}

export default definePlugin({ tools: { edit } });
