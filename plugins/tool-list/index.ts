import { definePlugin, result } from "smith-agent/plugin";
import type { FsListOutput, Tool } from "smith-agent/plugin";

export interface ListArgs {
  readonly path?: string;
  readonly depth?: number;
}

const MAX_DEPTH = 10;
const MARKS = { file: "", directory: "/", link: "@", other: " (not a regular file)" } as const;

/** One name a line, in the order the host gives. */
export const list: Tool<ListArgs> = async ({ path, depth }, context) => {
  const output = await context.fs.list({
    ...(path === undefined || path === "" ? {} : { path }),
    ...(depth === undefined ? {} : { depth: Math.min(Math.max(Math.trunc(depth), 1), MAX_DEPTH) }),
  });
  const names = output.items.map((item) => `${item.name}${MARKS[item.kind]}`);
  const count = output.items.length === 1 ? "1 item" : `${output.items.length} items`;
  const head = names.length === 0 ? [`${output.path} holds nothing to list.`] : names;
  return result([...head, ...notes(output)].join("\n"), {
    summary: output.truncated ? `first ${count}` : count,
    details: { data: { items: output.items.length, ignored: output.ignoredCount, truncated: output.truncated } },
  });
};

function notes(output: FsListOutput): readonly string[] {
  const lines: string[] = [];
  if (output.truncated) lines.push(`[only the first ${output.items.length} are shown; list a subfolder]`);
  if (output.ignoredCount > 0) lines.push(`[${output.ignoredCount} ignored left out]`);
  return lines;
}

export default definePlugin({ tools: { list } });
