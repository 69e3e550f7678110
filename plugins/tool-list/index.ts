import { definePlugin, result } from "smith-agent/plugin";
import type { FsListOutput, Tool } from "smith-agent/plugin";

export interface ListArgs {
  readonly path?: string;
  readonly depth?: number;
}

type Item = FsListOutput["items"][number];

const MAX_DEPTH = 10;
const MARKS = { file: "", directory: "/", link: "@", other: " (not a regular file)" } as const;

/** One name a line, in the order the host gives, with what is known of its size behind a tab: a tab is in no name as it is shown. */
export const list: Tool<ListArgs> = async ({ path, depth }, context) => {
  const output = await context.fs.list({
    ...(path === undefined || path === "" ? {} : { path }),
    ...(depth === undefined ? {} : { depth: Math.min(Math.max(Math.trunc(depth), 1), MAX_DEPTH) }),
  });
  const names = output.items.map((item) => `${item.name}${MARKS[item.kind]}${sizeOf(item)}`);
  const head = names.length === 0 ? [`${output.path} holds nothing to list.`] : names;
  const { total } = output;
  return result([...head, ...notes(output)].join("\n"), {
    summary: output.truncated ? extent(output) : plural(output.items.length),
    details: {
      data: {
        items: output.items.length,
        ignored: output.ignoredCount,
        truncated: output.truncated,
        ...(total === undefined ? {} : { total: total.items, exact: total.isExact }),
      },
    },
  });
};

const plural = (count: number): string => (count === 1 ? "1 item" : `${count} items`);

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

function sizeOf({ bytes, entries }: Item): string {
  if (entries !== undefined) return `\t${plural(entries)}`;
  if (bytes === undefined) return "";
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `\t${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

/** What is shown, of what there is where that is known. */
function extent({ items, total }: FsListOutput): string {
  if (total === undefined || total.items <= items.length) return `first ${plural(items.length)}`;
  return `first ${items.length} of ${total.isExact ? "" : "at least "}${plural(total.items)}`;
}

function notes(output: FsListOutput): readonly string[] {
  const lines: string[] = [];
  if (output.truncated) lines.push(`[${extent(output)}; list a subfolder]`);
  if (output.ignoredCount > 0) lines.push(`[${output.ignoredCount} ignored left out]`);
  return lines;
}

export default definePlugin({ tools: { list } });
