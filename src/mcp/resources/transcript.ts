import { cutMiddle, ok, type Result } from "../../base/index.js";
import type { Diagnostic, Entry } from "../../schema/index.js";

/** UTF-8 bytes of a tool's arguments and of its result; the whole is in the records. */
const MAX_TOOL_TEXT = 4 * 1024;

/** A conversation as Markdown, one block for each part of it, in order. What cannot be read of it is a block behind its problem. */
export async function* transcriptBlocks(
  entries: AsyncIterable<Result<Entry, Diagnostic>>,
  damaged: (problem: Diagnostic) => string,
): AsyncGenerator<Result<string, Diagnostic>, void, undefined> {
  let hasBegun = false;
  for await (const entry of entries) {
    if (!entry.ok) {
      yield hasBegun ? ok(damaged(entry.error)) : entry;
      continue;
    }
    hasBegun = true;
    const block = blockOf(entry.value);
    if (block !== undefined) yield ok(block);
  }
}

function blockOf(entry: Entry): string | undefined {
  if (entry.type === "user-message")
    return section(entry.plugin === undefined ? "User" : `User, by ${entry.plugin}`, entry.text, imagesIn(entry.images));
  if (entry.type === "assistant") return entry.text.trim() === "" ? undefined : section("Assistant", entry.text);
  if (entry.type === "tool-call") return section(`Tool call: ${entry.name}`, fenced(entry.argsText));
  if (entry.type === "tool-result")
    return section(`Tool result: ${entry.name}${entry.isError ? ", failed" : ""}`, fenced(entry.text), imagesIn(entry.images));
  return entry.type === "compaction" ? section("Summary of what came before", entry.summary) : undefined;
}

const section = (title: string, ...parts: readonly string[]): string =>
  [`## ${title}`, ...parts.filter((part) => part !== "").map((part) => part.trim())].join("\n\n") + "\n";

const imagesIn = (images: readonly unknown[] | undefined): string =>
  images === undefined || images.length === 0 ? "" : `*${images.length === 1 ? "An image" : `${images.length} images`}, in the records.*`;

/** A fence that is longer than any within. */
function fenced(text: string): string {
  const shown = cutMiddle(text, MAX_TOOL_TEXT).text;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}
