/** One way a value is written. `tag` names it in references; that of the value itself is empty. */
export interface Form {
  readonly tag: string;
  readonly text: string;
}

/** A line of a value of several is looked for by itself from this length on. */
const MIN_LINE = 8;

/**
 * Every form a value is looked for in, without repetitions: itself, each of its lines, and what JSON, URLs, HTML, shells, hex and base64
 * make of it. Inside of longer base64 text it has one of three forms, by where it begins; characters it shares with its neighbours are
 * none of it. Bounded: some 25 for each value, each at most six times as long, plus its lines.
 */
export function formsOf(value: string): readonly Form[] {
  const seen = new Map<string, Form>();
  for (const form of [...written(value), ...encoded(value), ...linesOf(value)]) {
    if (!seen.has(form.text)) seen.set(form.text, form);
  }
  return [...seen.values()];
}

function written(value: string): readonly Form[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(wellFormed(value));
  const strict = url.replace(/[!'()*]/gu, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", wellFormed(value)]]).toString().slice(1);
  return [
    { tag: "", text: value },
    { tag: "crlf", text: value.replace(/\r?\n/gu, "\r\n") },
    { tag: "json", text: json },
    { tag: "json-slash", text: json.replaceAll("/", "\\/") },
    { tag: "json-ascii", text: json.replace(/[^\x20-\x7e]/gu, unicodeEscape) },
    { tag: "url", text: url },
    { tag: "url-strict", text: strict },
    { tag: "url-form", text: form },
    { tag: "url-path", text: encodeURI(wellFormed(value)) },
    ...lowered("url", url),
    ...lowered("url-strict", strict),
    { tag: "shell", text: value.replaceAll("'", `'\\''`) },
    { tag: "html", text: value.replace(/[&<>"']/gu, (mark) => HTML[mark] ?? mark) },
  ];
}

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Half a pair of surrogates cannot be encoded. */
const wellFormed = (value: string): string => value.replace(/[\ud800-\udfff]/gu, "\ufffd");

const unicodeEscape = (mark: string): string =>
  mark
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

const lowered = (tag: string, text: string): readonly Form[] => [
  { tag: `${tag}-lower`, text: text.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()) },
];

function encoded(value: string): readonly Form[] {
  const bytes = Buffer.from(value, "utf8");
  const hex = bytes.toString("hex");
  const whole = bytes.toString("base64");
  const inner = [0, 1, 2].map((shift) => innerBase64(bytes, shift));
  return [
    { tag: "hex", text: hex },
    { tag: "hex-upper", text: hex.toUpperCase() },
    { tag: "base64", text: whole },
    { tag: "base64-bare", text: whole.replace(/=+$/u, "") },
    ...inner.map((text, shift) => ({ tag: `base64:${String(shift)}`, text })),
    { tag: "base64url", text: bytes.toString("base64url") },
    { tag: "base64url-padded", text: urlSafe(whole) },
    ...inner.map((text, shift) => ({ tag: `base64url:${String(shift)}`, text: urlSafe(text) })),
  ];
}

const urlSafe = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_");

/** The characters that come of these bytes alone when `shift` bytes stand before them in a group of three. */
function innerBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

export const linesIn = (value: string): readonly string[] => value.split(/\r?\n/u);

/** Programs show texts line by line. Frames such as `-----BEGIN CERTIFICATE-----` are the same in all of them. */
function linesOf(value: string): readonly Form[] {
  const lines = linesIn(value);
  if (lines.length === 1) return [];
  return lines.flatMap((line, index) =>
    line.trim().length < MIN_LINE || line.startsWith("-----") ? [] : [{ tag: lineTag(index), text: line }],
  );
}

export const lineTag = (index: number): string => `line${String(index + 1)}`;
