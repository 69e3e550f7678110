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
