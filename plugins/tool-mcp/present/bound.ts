/** UTF-8 bytes of a result that reach the model; what is longer, the host would cut with less to say. */
const MAX_BYTES = 62 * 1024;

/**
 * Head and tail of a text within the bound, whole characters, and between them how much is missing. Only what is kept is looked at: an answer
 * may have a million characters.
 */
export function boundText(text: string, maxBytes: number = MAX_BYTES): string {
  if (text.length * 3 <= maxBytes || (text.length <= maxBytes && headWithin(text, maxBytes) === text.length)) return text;
  const half = Math.floor(maxBytes / 2);
  const [head, tail] = [headWithin(text, half), tailWithin(text, half)];
  return `${text.slice(0, head)}\n[${tail - head} of ${text.length} characters left out here; ask for less at once]\n${text.slice(tail)}`;
}

/** UTF-8 bytes of the character that begins or ends with this unit; a half alone is written as another of 3. */
const bytesOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

function headWithin(text: string, maxBytes: number): number {
  let at = 0;
  let bytes = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    bytes += bytesOf(code);
    if (bytes > maxBytes) return at;
    at += code < 0x10000 ? 1 : 2;
  }
  return at;
}

function tailWithin(text: string, maxBytes: number): number {
  let at = text.length;
  let bytes = 0;
  while (at > 0) {
    const pair = at > 1 ? (text.codePointAt(at - 2) ?? 0) : 0;
    const size = pair < 0x10000 ? 1 : 2;
    bytes += size === 2 ? 4 : bytesOf(text.charCodeAt(at - 1));
    if (bytes > maxBytes) return at;
    at -= size;
  }
  return at;
}
