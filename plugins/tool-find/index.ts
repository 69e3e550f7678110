import { definePlugin, result } from "smith-agent/plugin";
import type { FindOutput, Tool } from "smith-agent/plugin";

export interface FindArgs {
  readonly pattern: string;
  readonly path?: string;
}

/** Matching paths, one a line; finding nothing is an answer, not an error. */
export const find: Tool<FindArgs> = async ({ pattern, path }, context) => {
  const folder = path === undefined || path === "" ? undefined : path;
  const output = await context.search.find({ pattern, ...(folder === undefined ? {} : { path: folder }) });
  const place = folder === undefined ? "" : ` in ${folder}`;
  const lines = output.paths.length === 0 ? [`No file matches ${pattern}${place}.`] : output.paths;
  const cut = output.truncated ? [`[${extent(output)}; narrow the pattern]`] : [];
  const { total } = output;
  return result([...lines, ...cut, ...output.notes.map((note) => `[${note}]`)].join("\n"), {
    summary: output.truncated ? extent(output) : plural(output.paths.length),
    details: {
      data: {
        files: output.paths.length,
        truncated: output.truncated,
        ...(total === undefined ? {} : { total: total.paths, exact: total.isExact }),
      },
    },
  });
};

const plural = (count: number): string => (count === 1 ? "1 file" : `${count} files`);

/** What is shown, of what there is where that is known. */
function extent({ paths, total }: FindOutput): string {
  if (total === undefined || total.paths <= paths.length) return `first ${plural(paths.length)}`;
  return `first ${paths.length} of ${total.isExact ? "" : "at least "}${plural(total.paths)}`;
}

export default definePlugin({ tools: { find } });
