import { definePlugin, failure, isHostError, parseJson, result } from "smith-agent/plugin";
import type { JsonObject, JsonValue, RenderNode, Tool, ToolContext } from "smith-agent/plugin";
import { PRELUDE, PRELUDE_LINES } from "./prelude.js";

export interface EvaluateArgs {
  readonly code: string;
  readonly input?: string;
  readonly files?: readonly string[];
}

const TIMEOUT_MS = 10_000;
/** Of a line of a file: data of one line is usual, and code and data together may have no more. */
const MAX_LINE = 2 * 1024 * 1024;
const MAX_TEXT = 32_000;
const MAX_LOG = 4_000;
const MAX_ROWS = 50;
const MAX_COLUMNS = 12;

/** Data in, a value out: what the code does is done with it, and reaches nothing else. */
export const evaluate: Tool<EvaluateArgs> = async ({ code, input, files = [] }, context) => {
  if (code.trim() === "") return failure("code is empty; give the body of a function that returns a value.");
  const parsed = input === undefined || input.trim() === "" ? null : parseJson(input);
  if (parsed === undefined) return failure("input is not JSON. Quote texts, or hand the data over in files.");
  const texts: Record<string, string> = {};
  for (const path of files) {
    const read = await readWhole(path, context);
    if (!read.ok) return failure(read.problem);
    texts[path] = read.text;
  }
  try {
    const { value } = await context.evaluate.run({ source: sourceOf(code), input: { input: parsed, files: texts }, timeoutMs: TIMEOUT_MS });
    return told(readAnswer(value));
  } catch (error) {
    if (!isHostError(error)) throw error;
    return failure(`${ownLines(error.what)}\n${ownLines(error.why)}`.trim(), { summary: "failed" });
  }
};

/** The prelude has a scope of its own, so that the code may use its names for something else. */
const sourceOf = (code: string): string =>
  `const given = input; return await (async () => {${PRELUDE}\nconst value = await (async () => {\n${code}\n})(); return { value: asJson(value), logged };\n})();`;

interface Answer {
  readonly value: JsonValue;
  readonly logged: string;
}

/** What the source of {@link sourceOf} gives back; a value of nothing is not in it. */
function readAnswer(answer: JsonValue): Answer {
  const { value = null, logged = "" } = answer as Partial<Answer>;
  return { value, logged };
}

type Whole = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** All windows of a text file, put together again. */
async function readWhole(path: string, { fs }: ToolContext): Promise<Whole> {
  const lines: string[] = [];
  for (let offset = 1; ;) {
    const window = await fs.read({ path, offset, lineCharacters: MAX_LINE });
    if (window.type !== "text") return { ok: false, problem: `${path} is no text file.` };
    const [cut] = window.cutLines;
    if (cut !== undefined)
      return { ok: false, problem: `${path}: line ${cut.line} has ${cut.length} characters, too long to be handed over.` };
    lines.push(...window.lines);
    offset = window.firstLine + window.lines.length;
    if (!window.truncated || window.lines.length === 0) return { ok: true, text: lines.join("\n") };
  }
}

/** Places in the code as its author counts them. */
const ownLines = (text: string): string =>
  text.replace(/\bsource:(\d+)/gu, (_whole, line: string) => `code:${Math.max(1, Number(line) - PRELUDE_LINES)}`);

function told({ value, logged }: Answer) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 1) ?? "null");
  const isCut = text.length > MAX_TEXT;
  const shown = isCut
    ? `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/u, "")}\n[cut; the value has ${text.length} characters. Return less of it]`
    : text;
  const table = tableOf(value);
  const log = logged === "" ? "" : `\n[console]\n${logged.slice(0, MAX_LOG)}${logged.length > MAX_LOG ? "\n[cut]" : ""}`;
  return result(`${shown}${log}`, {
    summary: summary(value),
    details: { data: { characters: text.length, cut: isCut }, ...(table === undefined ? {} : { view: table }) },
  });
}

function summary(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  if (typeof value === "object" && value !== null) return `object of ${Object.keys(value).length}`;
  return String(value).slice(0, 80);
}

const isRow = (value: JsonValue): value is JsonObject =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((cell) => typeof cell !== "object" || cell === null);

const cellOf = (value: JsonValue | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Rows of plain values are a table for people. */
function tableOf(value: JsonValue): RenderNode | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRow)) return undefined;
  const rows = value.slice(0, MAX_ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  if (columns.length === 0) return undefined;
  return { type: "table", columns, rows: rows.map((row) => columns.map((name) => cellOf(row[name]).slice(0, 200))) };
}

export default definePlugin({ tools: { evaluate } });
