import { type JsonObject, parseJson } from "smith-agent/plugin";
import type { Intent, Reading, Replacement } from "./intent.js";
import { commandOperand, fileOperand, folderOperand, looksLikeFile, textOperand } from "./operands.js";
import { quoted } from "./quotes.js";

/** From the words of a request to an intent; nothing when the words do not make one, and the next rule is asked. */

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["typescript", "ts"],
  ["javascript", "js"],
  ["markdown", "md"],
  ["python", "py"],
  ["rust", "rs"],
  ["yaml", "y*ml"],
]);
const SHORT_ENDINGS = /^(?:c|h|cpp|css|go|html?|java|jsx?|json|kdl|kt|lua|md|mjs|php|py|rb|rs|sh|sql|swift|toml|tsx?|txt|xml|ya?ml)$/iu;

export const list = (place: string): Intent => {
  const path = folderOperand(place.replace(/^\s*(?:-[A-Za-z]+\s*)+/u, ""));
  return { type: "list", ...(path === undefined ? {} : { path }) };
};

/** What is in a place: a file is read, a folder listed. */
export const inside = (place: string): Intent | undefined => (looksLikeFile(place.replace(/\s+file$/iu, "")) ? read(place) : list(place));

/** A file, with its lines in words (`first`, `last`) or behind the name as in `a.ts:10-20`. */
export function read(path: string, first = "", last = ""): Reading | undefined {
  const file = fileOperand(path);
  if (file === undefined) return undefined;
  const behind = first === "" && quoted(path.trim()) === undefined ? /^(.+\.\w+):(\d+)(?:-(\d+))?$/u.exec(file) : null;
  if (behind !== null) return window(behind[1] ?? file, behind[2] ?? "", behind[3] ?? "");
  return first === "" ? { type: "read", path: file } : window(file, first, last);
}

/** The first lines of a file. */
export function head(path: string, count: string): Reading | undefined {
  const file = fileOperand(path);
  return file === undefined ? undefined : window(file, "1", count);
}

function window(path: string, first: string, last: string): Reading {
  const offset = Math.max(1, Number(first));
  return { type: "read", path, offset, limit: Math.max(1, (last === "" ? offset : Number(last)) - offset + 1) };
}

export function outline(path: string): Intent | undefined {
  const file = fileOperand(path.replace(/^\s*(?:this|the)\s+file\s*:?\s+/iu, "").replace(/\s+(?:to|for)\s+me$/iu, ""));
  return file === undefined ? undefined : { type: "outline", path: file };
}

export function search(text: string, place: string, orName = false): Intent | undefined {
  const bare = text
    .replace(/^\s*(?:-[nriwHE]+\s+)+(?=\S)/u, "")
    .replace(
      /^\s*(?:(?:all|every|any|each)\s+)?(?:(?:the\s+)?(?:occurrences?|uses?|usages?|mentions?|references?|instances?)\s+(?:of|to)\s+)/iu,
      "",
    )
    .replace(/^\s*(?:all|every|any)\s+(?=\S+(?:\s+comments?)?\s*$)/iu, "")
    .replace(/^\s*the\s+(?:word|text|string|phrase|line)\s+/iu, "")
    .replace(/(?<=\S)\s+comments?\s*$/iu, "");
  const wanted = textOperand(bare);
  const path = folderOperand(place.replace(/^\s*(?:the\s+)?file\s+/iu, ""));
  return wanted === "" ? undefined : { type: "search", text: wanted, orName, ...(path === undefined ? {} : { path }) };
}

/** Names: a pattern as it is, a plain word anywhere in a name. */
export function find(pattern: string, place: string): Intent | undefined {
  const wanted = textOperand(pattern);
  const path = folderOperand(place);
  if (wanted === "") return undefined;
  return { type: "find", pattern: /[*?[{./]/u.test(wanted) ? wanted : `*${wanted}*`, ...(path === undefined ? {} : { path }) };
}

/** `ts files`, `.md files`, `test files`, `*.ts files`. */
export function findKind(kind: string, place: string): Intent | undefined {
  const word = textOperand(kind);
  const ending =
    ENDINGS.get(word.toLowerCase()) ?? (SHORT_ENDINGS.test(word) || /^\.[\p{L}\d.]+$/u.test(word) ? word.replace(/^\./u, "") : undefined);
  return find(ending === undefined ? word : `*.${ending}`, place);
}

/** A bare `find` means names when the text looks like a name or a pattern, and contents otherwise. */
export const findOrSearch = (text: string, place: string): Intent | undefined =>
  quoted(text.trim()) === undefined && (/[*?]/u.test(text) || looksLikeFile(text)) && !/\s/u.test(text.trim())
    ? find(text, place)
    : search(text, place, true);

export function replacement(path: string, from: string, to: string): Replacement | undefined {
  const file = fileOperand(path);
  const old = textOperand(from.replace(/^\s*the\s+(?:word|text|string|phrase)\s+/iu, ""));
  return file === undefined || old === "" ? undefined : { type: "replace", path: file, from: old, to: textOperand(to) };
}

/** A text file ends with a line break: one is added where there is none. */
export function create(path: string, content: string): Intent | undefined {
  const file = fileOperand(path);
  const text = textOperand(content);
  return file === undefined ? undefined : { type: "create", path: file, content: text === "" || text.endsWith("\n") ? text : `${text}\n` };
}

/** A tool by its name, with arguments as JSON: how whoever writes one tries it without a model. */
export function call(tool: string, json: string): Intent | undefined {
  const args = json === "" ? {} : parseJson(json);
  return typeof args === "object" && args !== null && !Array.isArray(args) ? { type: "call", tool, args: args as JsonObject } : undefined;
}

/** Which command runs "the tests" is not for a rule to guess. */
export function run(words: string): Intent | undefined {
  const command = commandOperand(words);
  return command === "" || /^(?:the |all |my |our )?(?:tests?|build|checks?|command|it)$/iu.test(command)
    ? undefined
    : { type: "run", command };
}
