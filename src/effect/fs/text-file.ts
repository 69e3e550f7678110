/**
 * The text of a file as code units that lose nothing: for UTF-8 one unit per byte (so bytes that are no UTF-8 survive an
 * edit beside them), for UTF-16 one per 16 bits. Matching on units equals matching on characters, since UTF-8 is
 * self-synchronising.
 */
export type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be";

export interface TextFile {
  readonly encoding: TextEncodingName;
  /** The byte order mark the file starts with; empty when none. */
  readonly mark: Buffer;
  readonly units: string;
}

const MARKS: readonly { readonly encoding: TextEncodingName; readonly mark: Buffer }[] = [
  { encoding: "utf-8", mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "utf-16le", mark: Buffer.from([0xff, 0xfe]) },
  { encoding: "utf-16be", mark: Buffer.from([0xfe, 0xff]) },
];

/** Encoding by byte order mark; without one it is UTF-8. */
export function sniffEncoding(head: Buffer): { readonly encoding: TextEncodingName; readonly mark: Buffer } {
  const found = MARKS.find(({ mark }) => head.subarray(0, mark.length).equals(mark));
  return found ?? { encoding: "utf-8", mark: Buffer.alloc(0) };
}

/** How much of a file without a NUL may be control characters or broken UTF-8 before it counts as binary. */
const MAX_ODD_SHARE = 0.1;
const SAMPLE = 8192;

/** Binary by sample: mostly control characters or bytes that are no UTF-8. A NUL anywhere is the reader's own check. */
export function looksBinary(head: Buffer, encoding: TextEncodingName): boolean {
  const sample = head.subarray(0, SAMPLE);
  if (sample.length === 0 || encoding !== "utf-8") return false;
  if (sample.includes(0)) return true;
  const odd = sample.toString("utf8").match(/[\u0001-\u0007\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
  // A single cut character at the end of the sample, or a byte or two of another encoding, is no verdict.
  return odd > 3 && odd > sample.length * MAX_ODD_SHARE;
}

/** Undefined when the bytes are binary. */
export function decodeFile(bytes: Buffer): TextFile | undefined {
  const { encoding, mark } = sniffEncoding(bytes);
  const body = bytes.subarray(mark.length);
  if (encoding === "utf-8")
    return body.includes(0) || looksBinary(body, encoding) ? undefined : { encoding, mark, units: body.toString("latin1") };
  if (body.length % 2 !== 0) return undefined;
  const units = encoding === "utf-16le" ? body.toString("utf16le") : Buffer.from(body).swap16().toString("utf16le");
  return units.includes("\0") ? undefined : { encoding, mark, units };
}

export function encodeFile({ encoding, mark, units }: TextFile): Buffer {
  if (encoding === "utf-8") return mark.length === 0 ? Buffer.from(units, "latin1") : Buffer.concat([mark, Buffer.from(units, "latin1")]);
  const body = Buffer.from(units, "utf16le");
  return Buffer.concat([mark, encoding === "utf-16le" ? body : body.swap16()]);
}

export const toUnits = (text: string, encoding: TextEncodingName): string =>
  encoding === "utf-8" ? Buffer.from(text, "utf8").toString("latin1") : text;

export const fromUnits = (units: string, encoding: TextEncodingName): string =>
  encoding === "utf-8" ? Buffer.from(units, "latin1").toString("utf8") : units;
