/** Text cut to a byte bound. `omittedBytes` is 0 when nothing was cut. */
export interface BoundedText {
  readonly text: string;
  readonly omittedBytes: number;
}

const encoder = new TextEncoder();

/** UTF-8 length without allocating the bytes. */
export const utf8Length = (text: string): number => Buffer.byteLength(text, "utf8");

/** Longest prefix of `text` that fits `maxBytes` of UTF-8, never splitting a character. */
export function clipUtf8(text: string, maxBytes: number): BoundedText {
  const total = utf8Length(text);
  if (total <= maxBytes) return { text, omittedBytes: 0 };
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  const clipped = text.slice(0, read);
  return { text: clipped, omittedBytes: total - utf8Length(clipped) };
}

/** `1 file`, `3 files`. */
export const plural = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? "" : "s"}`;

/** At most `maxBytes` (and some 100 for the words that stand for the rest) of UTF-8: head and tail, whole characters only. */
export function cutMiddle(text: string, maxBytes: number): { readonly text: string; readonly omittedBytes: number } {
  const total = utf8Length(text);
  if (total <= maxBytes) return { text, omittedBytes: 0 };
  const bytes = Buffer.from(text, "utf8");
  const half = Math.floor((maxBytes - 100) / 2);
  const head = bytes.subarray(0, characterEnd(bytes, half)).toString("utf8");
  const tail = bytes.subarray(characterStart(bytes, total - half)).toString("utf8");
  const omittedBytes = total - utf8Length(head) - utf8Length(tail);
  return {
    text: `${head}\n… [${String(omittedBytes)} bytes left out here; the whole result had ${String(total)} bytes]\n${tail}`,
    omittedBytes,
  };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function characterEnd(bytes: Uint8Array, wanted: number): number {
  let end = wanted;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return end;
}

function characterStart(bytes: Uint8Array, wanted: number): number {
  let start = wanted;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return start;
}
