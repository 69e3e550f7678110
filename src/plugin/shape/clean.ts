/**
 * What a plugin's words may hold where people see them. A control character could move the cursor, change colours or the title;
 * a bidirectional control could make a text look like another one; half a surrogate pair is no text at all.
 */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
// With the flag u, a pair is one character: only halves are left to match.
const HALVES = /[\ud800-\udfff]/gu;
const BREAKS = /[\t\n]+/gu;
const REPLACEMENT = "\ufffd";

/** Lines and tabs stay, CRLF becomes LF; anything else that is no visible text becomes U+FFFD. */
export const cleanText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(CONTROLS, REPLACEMENT).replace(HALVES, REPLACEMENT);

/** The same for what is shown on one line: breaks and tabs become a space. */
export const cleanLine = (text: string): string => cleanText(text).replace(BREAKS, " ");

/** The first `units` UTF-16 units, never half of a pair, with an ellipsis for the rest. */
export function clipUnits(text: string, units: number): string {
  if (text.length <= units) return text;
  return `${text.slice(0, units - 1).replace(/[\ud800-\udbff]$/u, "")}…`;
}
