const MAX_SHOWN_LINES = 200;
const MAX_SHOWN_CHARACTERS = 12_000;

const UNDERSTOOD = [
  "list [DIR]",
  "read FILE",
  "find NAME or *.ts",
  "search TEXT in DIR",
  "explain FILE",
  "replace X by Y in FILE",
  "create FILE with TEXT",
  "run COMMAND",
  'call TOOL {"argument":"value"}',
  "fix: run COMMAND, replace X by Y in FILE",
  "summarize this session",
];

const WHAT_I_AM =
  "I am smith's built-in offline model: fixed rules, not a language model. I need no key and no network, and I only understand a few kinds of request:";
const MORE =
  "Join requests with `then`, or put one on a line; put quotes around text that must be taken literally. For anything else connect a model: run smith auth login NAME, set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or LLAMA_SERVER_URL, or see smith models list.";

export const HELP = [WHAT_I_AM, "", ...UNDERSTOOD.map((form) => `- \`${form}\``), "", MORE].join("\n");

/** Says that a request was not understood, quoting it, and what would be. */
export function unknownRequest(text: string): string {
  if (text === "") return HELP;
  const line = text.replace(/\s+/gu, " ");
  const short = [...line].length > 80 ? `${[...line].slice(0, 79).join("")}…` : line;
  return `I did not understand ${inline(short)}, so I did nothing.\n\n${HELP}`;
}

/** A few words as code, whatever backticks and line breaks they hold. */
export function inline(text: string): string {
  if (text === "") return "nothing (an empty text)";
  const flat = text.replace(/\r?\n/gu, "\u23ce");
  const ticks = "`".repeat(longestRun(flat) + 1);
  return flat.includes("`") ? `${ticks} ${flat} ${ticks}` : `\`${flat}\``;
}

/** A heading and what a tool said below it; nothing but a note when it said nothing. */
export const shown = (head: string, text: string): string => `${head}\n${fenced(text)}`;

/** A code block whose fence is longer than any run of backticks inside; long text is cut and told. */
export function fenced(text: string): string {
  const lines = text.replace(/\n+$/u, "").split("\n");
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (kept.length >= MAX_SHOWN_LINES || (characters > MAX_SHOWN_CHARACTERS && kept.length > 0)) break;
    kept.push(line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS).replace(/[\uD800-\uDBFF]$/u, "")} …` : line);
  }
  const fence = "`".repeat(Math.max(3, longestRun(kept.join("\n")) + 1));
  const left = lines.length - kept.length;
  return [fence, ...kept, fence, ...(left === 0 ? [] : [`(${left} more lines are in the tool's result)`])].join("\n");
}

const longestRun = (text: string): number => (text.match(/`+/gu) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
