import { definePlugin, failure, result } from "smith-agent/plugin";
import type { FsPatchOutput, Tool } from "smith-agent/plugin";

export interface PatchArgs {
  readonly patch: string;
}

type PatchedFile = FsPatchOutput["files"][number];

/** Hands the patch over as it is; the host reads it, checks it against the disk and changes all files or none. */
export const patch: Tool<PatchArgs> = async ({ patch: text }, context) => {
  if (text.trim() === "") return failure("patch is empty; give a unified diff or *** Begin Patch … *** End Patch.");
  const { files } = await context.fs.patch({ patch: text });
  const added = files.reduce((sum, file) => sum + file.addedLines, 0);
  const removed = files.reduce((sum, file) => sum + file.removedLines, 0);
  const counts = `+${added} -${removed}`;
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  return result(`Patched ${count}:\n${files.map(lineOf).join("\n")}`, {
    summary: `${count}, ${counts}`,
    details: {
      diff: files.map(({ diff }) => diff).join(""),
      data: {
        files: files.map(({ path, action, from, addedLines, removedLines }) => ({
          path,
          action,
          ...(from === undefined ? {} : { from }),
          addedLines,
          removedLines,
        })),
      },
    },
  });
};

function lineOf({ action, path, from, addedLines, removedLines }: PatchedFile): string {
  const counts = addedLines + removedLines === 0 ? "" : ` (+${addedLines} -${removedLines} lines)`;
  return `${action} ${from === undefined ? path : `${from} to ${path}`}${counts}`;
}

export default definePlugin({ tools: { patch } });
