import { definePlugin, failure, result } from "smith-agent/plugin";
import type { FsReadOutput, Tool, ToolOutput } from "smith-agent/plugin";

export interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

type TextWindow = Extract<FsReadOutput, { type: "text" }>;

/** Reads one window; the host checks that the path is a regular file inside the grant. */
export const read: Tool<ReadArgs> = async ({ path, offset, limit }, context) => {
  if (offset !== undefined && offset < 1) return failure(`offset is ${offset}; lines count from 1.`);
  if (limit !== undefined && limit < 1) return failure(`limit is ${limit}; ask for at least 1 line.`);
  const output = await context.fs.read({
    path,
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
  });
  switch (output.type) {
    case "text":
      return textResult(output, offset ?? 1);
    case "image":
      return result(`${output.path} is an image (${output.mediaType}, ${output.totalBytes} bytes). Its pixels are not shown to you.`, {
        summary: `${output.mediaType}, ${output.totalBytes} bytes`,
        details: { data: { mediaType: output.mediaType, totalBytes: output.totalBytes } },
      });
    case "binary":
      return result(`${output.path} is a binary file of ${output.totalBytes} bytes; it has no text to show.`, {
        summary: `binary, ${output.totalBytes} bytes`,
        details: { data: { totalBytes: output.totalBytes } },
      });
  }
};

function textResult(window: TextWindow, offset: number): ToolOutput {
  const name = window.path;
  if (window.totalLines === 0) return result(`${name} is empty.`, { summary: "empty" });
  if (window.lines.length === 0) {
    if (offset <= window.totalLines) return failure(`${name}: line ${offset} is too long to be shown here.`);
    return failure(`${name} has ${window.totalLines} lines; there is nothing at offset ${offset}.`);
  }
  const last = window.firstLine + window.lines.length - 1;
  const range = `${window.firstLine}-${last} of ${window.totalLines}`;
  const numbered = window.lines.map((line, index) => `${window.firstLine + index}\t${line}`);
  return result([...numbered, ...notes(window, last)].join("\n"), {
    summary: range,
    details: { data: { firstLine: window.firstLine, lastLine: last, totalLines: window.totalLines, totalBytes: window.totalBytes } },
  });
}

/** What a reader must know to not take the window for the whole file. */
function notes(window: TextWindow, last: number): readonly string[] {
  const lines = window.cutLines.map(({ line, length }) => `[line ${line} is shown cut; it has ${length} characters]`);
  if (window.encoding !== "utf-8") lines.push(`[the file is ${window.encoding.toUpperCase()}; edits keep that]`);
  if (last < window.totalLines) lines.push(`[lines ${window.firstLine}-${last} of ${window.totalLines}; continue with offset=${last + 1}]`);
  else if (window.firstLine > 1) lines.push(`[lines ${window.firstLine}-${last} of ${window.totalLines}; this is the end]`);
  return lines;
}

export default definePlugin({ tools: { read } });
