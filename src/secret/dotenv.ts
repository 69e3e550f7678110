/** A variable of a file written like `.env`. */
export interface DotenvEntry {
  readonly name: string;
  readonly value: string;
}

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*/u;
/** A quote that ends the value, with nothing but a comment behind it. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };

/**
 * Reads what shells and the usual libraries agree on: `export`, `NAME=value`, comments, single quotes taken as they are, double quotes with
 * escapes and over several lines. Nothing is expanded. A line that is none of these is passed over; so a value is rather taken once too
 * often than missed. Work is linear in the text.
 */
export function parseDotenv(text: string): readonly DotenvEntry[] {
  const entries: DotenvEntry[] = [];
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  for (let at = 0; at < source.length;) {
    const feed = source.indexOf("\n", at);
    const end = feed < 0 ? source.length : feed;
    const line = source.slice(at, end);
    const match = LINE.exec(line);
    if (match === null) {
      at = end + 1;
      continue;
    }
    const from = at + match[0].length;
    const read = valueAt(source, from, end);
    entries.push({ name: match[1] ?? "", value: read.value });
    const next = source.indexOf("\n", read.end);
    at = next < 0 ? source.length : next + 1;
  }
  return entries;
}

interface ReadValue {
  readonly value: string;
  /** Behind it. */
  readonly end: number;
}

function valueAt(source: string, from: number, lineEnd: number): ReadValue {
  const quote = source[from];
  if (quote === '"' || quote === "'" || quote === "`") {
    const quoted = quotedAt(source, from, quote);
    if (quoted !== undefined) return quoted;
  }
  return {
    value: source
      .slice(from, lineEnd)
      .replace(/[ \t]#.*$/u, "")
      .trim(),
    end: lineEnd,
  };
}

/** Undefined where the quote has no end: it is then a character like any other. */
function quotedAt(source: string, from: number, quote: string): ReadValue | undefined {
  let value = "";
  for (let at = from + 1; at < source.length; at += 1) {
    const mark = source[at] ?? "";
    if (mark === quote) return { value, end: at + 1 };
    if (mark === "\\" && quote === '"') {
      const next = source[at + 1] ?? "";
      value += ESCAPES[next] ?? `\\${next}`;
      at += 1;
    } else value += mark;
  }
  return undefined;
}
