const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** UTF-8 bytes of a result that reach the model; what is longer, the host would cut with less to say. */
const MAX_BYTES = 62 * 1024;

/** Head and tail of a text within the bound, whole characters, and between them how much is missing. */
export function boundText(text: string, maxBytes: number = MAX_BYTES): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const head = decoder.decode(bytes.subarray(0, before(bytes, half)));
  const from = before(bytes, bytes.length - half);
  const tail = decoder.decode(bytes.subarray(from));
  const omitted = from - before(bytes, half);
  return `${head}\n[${omitted} of ${bytes.length} bytes left out here; ask for less at once]\n${tail}`;
}

/** The nearest place at or before `index` where a character begins. */
function before(bytes: Uint8Array, index: number): number {
  let at = index;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
