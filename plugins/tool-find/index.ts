import { definePlugin, result } from "smith-agent/plugin";
import type { Tool } from "smith-agent/plugin";

export interface FindArgs {
  readonly pattern: string;
  readonly path?: string;
}

/** Matching paths, one a line; finding nothing is an answer, not an error. */
export const find: Tool<FindArgs> = async ({ pattern, path }, context) => {
  const folder = path === undefined || path === "" ? undefined : path;
  const output = await context.search.find({ pattern, ...(folder === undefined ? {} : { path: folder }) });
  const count = output.paths.length === 1 ? "1 file" : `${output.paths.length} files`;
  const place = folder === undefined ? "" : ` in ${folder}`;
  const lines = output.paths.length === 0 ? [`No file matches ${pattern}${place}.`] : output.paths;
  const cut = output.truncated ? [`[only the first ${output.paths.length} are shown; narrow the pattern]`] : [];
  return result([...lines, ...cut, ...output.notes.map((note) => `[${note}]`)].join("\n"), {
    summary: output.truncated ? `first ${count}` : count,
    details: { data: { files: output.paths.length, truncated: output.truncated } },
  });
};

export default definePlugin({ tools: { find } });
