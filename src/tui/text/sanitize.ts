/** Escape sequences in 7- and 8-bit form. String types (OSC, DCS, APC, PM, SOS) end at BEL, ST or the line's end, so a missing terminator cannot swallow the text behind it. */
const SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** Bidi controls, zero-width space, soft hyphen, BOM, line and paragraph separators, Arabic letter mark, interlinear marks, tags. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u{e0001}/gu;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
const SUSPICIOUS =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const TAB_STOP = 4;

const expandTabs = (text: string): string => (text.includes("\t") ? text.split("\n").map(padTabs).join("\n") : text);

function padTabs(line: string): string {
  let out = "";
  for (const [index, part] of line.split("\t").entries()) {
    if (index > 0) out += " ".repeat(TAB_STOP - (out.length % TAB_STOP));
    out += part;
  }
  return out;
}

/**
 * Untrusted text made safe to draw: no control character but LF, no escape sequence, no bidi control, no lone surrogate; tabs become
 * spaces, CR becomes LF. Applied once, where text from a model, a tool, a file or a person enters the interface.
 */
export function sanitize(untrusted: string): string {
  if (!SUSPICIOUS.test(untrusted)) return untrusted;
  const lines = untrusted
    // First: taking out what stands between two halves must not make them one character.
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(/\r\n?/g, "\n")
    .replace(SEQUENCE, "")
    .replace(CONTROL, "")
    .replace(INVISIBLE, "");
  return expandTabs(lines);
}

/** One line of safe text: line breaks become a space. */
export const sanitizeLine = (untrusted: string): string => sanitize(untrusted).replace(/\s*\n\s*/g, " ");

const named = (code: number): string => `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;

/**
 * Untrusted text with every control character spelled out (`ESC` as `␛`, U+202E as `<U+202E>`), for the one place where hiding is
 * worse than ugliness: what a person is asked to approve. LF stays a line break, CR is shown.
 */
export function reveal(untrusted: string): string {
  if (!SUSPICIOUS.test(untrusted)) return untrusted;
  const shown = untrusted
    .replace(/[\x00-\x08\x0b-\x1f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/\x7f/g, "␡")
    .replace(/[\x80-\x9f]/g, (char) => named(char.charCodeAt(0)))
    .replace(LONE_SURROGATE, (char) => named(char.charCodeAt(0)))
    .replace(INVISIBLE, (char) => named(char.codePointAt(0) ?? 0));
  return expandTabs(shown);
}

/** Whether text may go to the terminal as it is: the writer's last check. */
export const isPrintable = (text: string): boolean => !/[\x00-\x1f\x7f-\x9f]/.test(text);

const OPEN_END =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*\x1b?|\x1b[ -/]*|\r|[\ud800-\udbff])$/;
const MAX_HELD = 4096;

/** Sanitizes a stream of pieces as if they were one text: a sequence cut between two pieces is held back, at most 4 KiB of it. */
export class StreamSanitizer {
  private held = "";

  push(piece: string): string {
    const text = this.held + piece;
    const open = SUSPICIOUS.test(text) ? OPEN_END.exec(text) : null;
    const cut = open === null || text.length - open.index > MAX_HELD ? text.length : open.index;
    this.held = text.slice(cut);
    return sanitize(text.slice(0, cut));
  }

  end(): string {
    const rest = sanitize(this.held);
    this.held = "";
    return rest;
  }
}
