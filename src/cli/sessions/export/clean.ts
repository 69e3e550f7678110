/**
 * Terminal sequences: CSI, OSC, the other strings, and what is left of two characters; 7-bit and 8-bit forms. Every class ends
 * where the next one begins, so that no input makes this slow.
 */
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-~]/gu;

/** What a reader would not see and what turns text around: controls, directional marks, zero-width characters but joiners, tags. */
const HIDDEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Text as a document may show it: terminal sequences removed, line ends made equal, everything invisible made visible. */
export const cleanText = (text: string): string => text.replace(ANSI, "").replace(/\r\n?/gu, "\n").replace(HIDDEN, picture);

/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/gu, " ").trim();

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

/** At most `max` characters, never half of one. */
export const clipLine = (text: string, max: number): string => {
  const line = cleanLine(text.slice(0, max * 8));
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
};

/** `2026-11-30 09:05 UTC`: a document is read in other time zones than it was written in. */
export const utcMinute = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "an unknown time" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
};

/** `850 ms`, `2.4 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}
