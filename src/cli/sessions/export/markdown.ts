import { plural } from "../../../base/index.js";
import {
  type AssistantEntry,
  type CompactionEntry,
  type Diagnostic,
  type ImagePart,
  isHistoryEntry,
  type PromptEntry,
  type UserMessageEntry,
} from "../../../schema/index.js";
import { toBlocks } from "./blocks.js";
import { cleanLine, cleanText, utcMinute } from "./clean.js";
import { code, containedMarkdown, fenced, literal, quoted } from "./markdown-text.js";
import { anchorOf, type ExportBlock, type ExportDocument, type ShownEntry, type ToolBlock } from "./types.js";
import {
  argumentsText,
  badgesOf,
  diagnosticWords,
  factLines,
  noteOf,
  type NotedEntry,
  saysNothing,
  sourceWords,
  spentWords,
  stopWords,
} from "./wording.js";

export interface MarkdownOptions {
  /** Whether images come along as data URIs; otherwise they are only named. */
  readonly images: "embedded" | "named";
}

/** Outputs of more lines are folded away. */
const OPEN_LINES = 40;

/** A branch as Markdown, piece by piece. What the model and tools wrote cannot change the structure of the document. */
export async function* renderMarkdown(document: ExportDocument, options: MarkdownOptions = { images: "named" }): AsyncIterable<string> {
  yield header(document);
  for await (const block of toBlocks(document.entries)) {
    const text = renderBlock(block, options);
    if (text !== "") yield `\n${text}`;
  }
  yield `\n---\n\nExported by smith ${literal(cleanLine(document.facts.version))}.\n`;
}

function header({ facts }: ExportDocument): string {
  const rows = factLines(facts).map(([label, words]) => `| ${label} | ${cell(words)} |\n`);
  return `# ${literal(cleanLine(facts.title))}\n\n| | |\n| --- | --- |\n${rows.join("")}`;
}

const cell = (words: string): string => literal(cleanLine(words));

function renderBlock(block: ExportBlock, options: MarkdownOptions): string {
  switch (block.type) {
    case "gap":
      return `> **Something is missing here.** ${literal(cleanLine(block.what))}\n`;
    case "tool":
      return renderTool(block, options);
    case "entry":
      return renderEntry(block.entry, options);
  }
}

/** Every history entry has its anchor, also one of which there is nothing to say. */
function renderEntry(entry: ShownEntry, options: MarkdownOptions): string {
  const body = bodyOf(entry, options);
  if (body === "") return isHistoryEntry(entry) ? anchor(entry.id) : "";
  return `${anchor(entry.id)}\n${body}`;
}

function bodyOf(entry: ShownEntry, options: MarkdownOptions): string {
  if (entry.type === "user-message") return renderUser(entry, options);
  if (entry.type === "assistant") return saysNothing(entry) ? "" : renderAssistant(entry);
  if (entry.type === "prompt") return renderPrompt(entry);
  return entry.type === "compaction" ? renderCompaction(entry) : renderNote(entry);
}

const anchor = (id: string): string => `<a id="${id}"></a>\n`;

const heading = (words: string, time: number): string => `## ${words} · ${utcMinute(time)}\n\n`;

const renderUser = (entry: UserMessageEntry, options: MarkdownOptions): string =>
  `${heading(sourceWords(entry.source), entry.time)}${quoted(containedMarkdown(cleanText(entry.text)))}\n${images(entry.images, options)}`;

function renderAssistant(entry: AssistantEntry): string {
  const stop = stopWords(entry.stop);
  const spent = spentWords(entry);
  const model = literal(cleanLine(`${entry.dispatch.provider}/${entry.dispatch.model}`));
  const thinking = entry.thinking
    .filter(({ text }) => text.trim() !== "")
    .map(({ text }) => folded("Thinking", fenced(cleanText(text), "text")));
  const text = containedMarkdown(cleanText(entry.text).replace(/\n+$/u, ""));
  return [
    heading(`Answer of ${model}${stop === undefined ? "" : ` (${stop})`}`, entry.time).trimEnd(),
    ...thinking.map((part) => part.trimEnd()),
    ...(text.trim() === "" ? [] : [text]),
    ...(entry.error === undefined ? [] : [renderError(entry.error).trimEnd()]),
    ...(spent === undefined ? [] : [`*${literal(spent)}*`]),
  ]
    .join("\n\n")
    .concat("\n");
}

const renderError = (error: Diagnostic): string => `> **Error:** ${literal(cleanLine(diagnosticWords(error)))}\n`;

function renderPrompt(entry: PromptEntry): string {
  const tools = entry.tools.map(({ name }) => code(cleanLine(name))).join(", ");
  return folded(
    `System prompt and ${plural(entry.tools.length, "tool")} from here on`,
    `${tools === "" ? "" : `Tools: ${tools}\n\n`}${fenced(cleanText(entry.system), "text")}`,
  );
}

const renderCompaction = (entry: CompactionEntry): string =>
  `**Compacted:** from here on the model sees this summary instead of what came before ${link(entry.firstKept)} (about ${String(entry.tokensBefore)} tokens).\n\n` +
  `${quoted(containedMarkdown(cleanText(entry.summary)))}\n`;

const link = (entry: string): string => `[${entry.slice(-8)}](#${entry})`;

function renderNote(entry: NotedEntry): string {
  const note = noteOf(entry);
  if (note === undefined) return "";
  const target = note.target === undefined ? "" : ` ${link(note.target)}`;
  return `*${literal(cleanLine(note.text))}*${target}\n${note.body === undefined || note.body === "" ? "" : `\n${fenced(cleanText(note.body), "text")}`}`;
}

function renderTool(block: ToolBlock, options: MarkdownOptions): string {
  const name = cleanLine(block.call?.name ?? block.result?.name ?? "");
  const badges = badgesOf(block).map(({ text, tone }) => (tone === "plain" ? literal(cleanLine(text)) : `**${literal(cleanLine(text))}**`));
  const args = argumentsText(block);
  const summary = block.summary === "" ? "" : ` ${code(block.summary)}`;
  return [
    anchor(anchorOf(block) ?? "").trimEnd(),
    `**Tool ${code(name)}**${summary}${badges.length === 0 ? "" : ` · ${badges.join(" · ")}`}`,
    ...(args === "" || args === "{}" ? [] : [folded("Arguments", fenced(cleanText(args), "json")).trimEnd()]),
    ...resultParts(block, options),
  ]
    .join("\n\n")
    .concat("\n");
}

function resultParts({ result }: ToolBlock, options: MarkdownOptions): readonly string[] {
  if (result === undefined) return [];
  const text = cleanText(result.text).replace(/\n+$/u, "");
  const lines = text === "" ? 0 : text.split("\n").length;
  const diff = result.details?.diff;
  const output = fenced(text, "text");
  const pictures = images(result.images, options).trim();
  return [
    ...(lines === 0 ? [] : [lines > OPEN_LINES ? folded(`Output, ${String(lines)} lines`, output).trimEnd() : output.trimEnd()]),
    ...(diff === undefined || diff === "" ? [] : [fenced(cleanText(diff), "diff").trimEnd()]),
    ...(pictures === "" ? [] : [pictures]),
  ];
}

const folded = (summary: string, body: string): string => `<details>\n<summary>${summary}</summary>\n\n${body}\n</details>\n`;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;

function images(parts: readonly ImagePart[] | undefined, options: MarkdownOptions): string {
  const lines = (parts ?? []).map(({ mediaType, base64 }, index) => {
    const words = `image ${String(index + 1)}, ${mediaType}`;
    return options.images === "embedded" && BASE64.test(base64) ? `![${words}](data:${mediaType};base64,${base64})` : `*[${words}]*`;
  });
  return lines.length === 0 ? "" : `\n${lines.join("\n\n")}\n`;
}
