import { definePlugin, failure, result } from "smith-agent/plugin";
import type { FsReadOutput, Tool, ToolOutput } from "smith-agent/plugin";

export interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

type Kind<Type extends FsReadOutput["type"]> = Extract<FsReadOutput, { type: Type }>;
type TextWindow = Kind<"text">;

/** Reads one window; the host checks that the path is a regular file or a folder inside the grant. */
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
      return imageResult(output);
    case "binary":
      return binaryResult(output);
    case "directory":
      return directoryResult(output);
  }
};

function imageResult({ path, image, totalBytes }: Kind<"image">): ToolOutput {
  const { ref, mediaType, width, height } = image;
  const size = width === undefined || height === undefined ? "" : `, ${width}x${height}`;
  const facts = `${mediaType}${size}, ${sizeWords(totalBytes)}`;
  return result(`${path}: image, ${facts}.`, {
    summary: facts,
    images: [ref],
    details: {
      data: {
        kind: "image",
        mediaType,
        totalBytes,
        ...(width === undefined ? {} : { width }),
        ...(height === undefined ? {} : { height }),
      },
    },
  });
}

/** What can be done with content that no model reads as it is, by what it is. */
const WAYS: readonly (readonly [kind: RegExp, way: string])[] = [
  [/^PDF/u, "If its text matters, try pdftotext in a shell."],
  [/^(?:damaged )/u, "It is cut off or damaged: get it anew."],
  [/^UTF-(?:16|32)|8-bit encoding/u, "Find out its encoding and convert it in a shell, for example with iconv -f ENCODING -t UTF-8."],
  [/image$|^icon$/u, "Convert it to PNG to look at it."],
  [/archive|\(zip\)/u, "List or unpack it with a program of its kind."],
  [/^SQLite/u, "Query it with the sqlite3 program."],
];

function binaryResult({ path, totalBytes, what }: Kind<"binary">): ToolOutput {
  const way = WAYS.find(([kind]) => what !== undefined && kind.test(what))?.[1];
  const kind = what === undefined ? "a binary file" : `binary: ${what}`;
  return result(`${path} is ${kind}, ${totalBytes} bytes; it has no text to show.${way === undefined ? "" : ` ${way}`}`, {
    summary: `${what ?? "binary"}, ${sizeWords(totalBytes)}`,
    details: { data: { kind: "binary", totalBytes, ...(what === undefined ? {} : { what }) } },
  });
}

function directoryResult({ path, entries, names = [], ...folder }: Kind<"directory">): ToolOutput {
  const isCounted = folder.isCounted !== false;
  const count = `${isCounted ? "" : "over "}${entries} ${entries === 1 ? "name" : "names"}`;
  const rest = entries - names.length;
  const more = rest > 0 ? [`[${rest}${isCounted ? "" : " or more"} more]`] : [];
  const head = `${path} is a folder with ${count}; list shows it deeper, find looks for names.`;
  return result([head, ...names, ...more].join("\n"), {
    summary: `folder, ${count}`,
    details: { data: { kind: "directory", entries } },
  });
}

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
  const { cutLines, encoding, invalid, nul, firstLine, totalLines } = window;
  const lines = cutLines.map(
    ({ line, length }, index) =>
      `[line ${line} is shown cut; it has ${length} characters${index === cutLines.length - 1 ? "; grep shows the part around a match" : ""}]`,
  );
  if (encoding === "pdf") lines.push("[text of a PDF; how it looks is not shown, and it cannot be edited as text]");
  else if (encoding !== "utf-8") lines.push(`[the file is ${encoding.toUpperCase()}; edits keep that]`);
  if (invalid !== undefined) {
    const bytes = `${invalid.count} ${invalid.count === 1 ? "byte is" : "bytes are"}`;
    lines.push(
      `[${bytes} no ${encoding.toUpperCase()}, the first on line ${invalid.firstLine}; shown as \ufffd, and \ufffd does not match them in an edit]`,
    );
  }
  if (nul !== undefined) {
    lines.push(
      `[${nul.count} NUL ${nul.count === 1 ? "byte" : "bytes"}, the first on line ${nul.firstLine}; shown as \u2400; the file cannot be edited as text]`,
    );
  }
  if (last < totalLines) lines.push(`[lines ${firstLine}-${last} of ${totalLines}; continue with offset=${last + 1}]`);
  else if (firstLine > 1) lines.push(`[lines ${firstLine}-${last} of ${totalLines}; this is the end]`);
  return lines;
}

function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export default definePlugin({ tools: { read } });
