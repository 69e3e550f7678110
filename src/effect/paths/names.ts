/**
 * File names are bytes. Inside this folder a path is a {@link BytePath}: a string with one character (0 to 255) per byte, so
 * that path arithmetic is plain string work and no name is ever lost in a decoding. People and models see the shown form.
 */
declare const brand: unique symbol;
/** A path as bytes, one character each. Made by {@link fromText}, {@link fromBytes} or {@link parseName} only. */
export type BytePath = string & { readonly [brand]: "BytePath" };

export const fromBytes = (bytes: Buffer): BytePath => bytes.toString("latin1") as BytePath;

/** The path that `text` spells in UTF-8, taken as it is: no escapes. */
export const fromText = (text: string): BytePath => fromBytes(Buffer.from(text, "utf8"));

/** What file system calls take. */
export const bytesOf = (path: BytePath): Buffer => Buffer.from(path, "latin1");

/** UTF-8 reading for matching by patterns; bytes that are no UTF-8 become U+FFFD, so it may not lead back to the file. */
export const textOf = (path: BytePath): string => bytesOf(path).toString("utf8");

/**
 * Characters that could break a line, move the cursor, reorder or hide text, and the backslash that marks escapes.
 * Zero-width joiners stay: emoji and several scripts need them.
 */
const UNSHOWABLE =
  /[\\\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|(?<=^|\/)\s|\s(?=$|\/)/gu;
const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const hexByte = (code: number): string => `\\x${code.toString(16).padStart(2, "0")}`;

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMED[character] ?? (code < 0x80 ? hexByte(code) : `\\u{${code.toString(16)}}`);
}

/**
 * The form of a name that people, models and records see: unambiguous and on one line. Printable names are unchanged;
 * other characters and bytes are escaped (`\n`, `\x1b`, `\u{202e}`, `\xff` for a byte that is no UTF-8, `\\`), and so are
 * blanks at either end of a component. {@link parseName} gives the same bytes back for every name.
 */
export function showName(path: BytePath): string {
  const bytes = bytesOf(path);
  const text = bytes.toString("utf8");
  const readable = Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
  if (readable !== undefined) return readable.replace(UNSHOWABLE, escapeCharacter);
  return showPieces(bytes);
}

/** For names that are not UTF-8 as a whole: valid stretches as text, every other byte as `\xhh`. */
function showPieces(bytes: Buffer): string {
  let shown = "";
  let stretch = 0;
  let index = 0;
  const flush = (): void => {
    shown += bytes.toString("utf8", stretch, index).replace(UNSHOWABLE, escapeCharacter);
  };
  while (index < bytes.length) {
    const width = characterWidth(bytes, index);
    if (width === 0) {
      flush();
      shown += hexByte(bytes[index] ?? 0);
      index += 1;
      stretch = index;
    } else {
      index += width;
    }
  }
  flush();
  return shown;
}

/** Bytes of the UTF-8 character at `index`; 0 when there is none. */
function characterWidth(bytes: Buffer, index: number): number {
  const lead = bytes[index] ?? 0;
  const width = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  const piece = bytes.subarray(index, index + width);
  return piece.length === width && Buffer.from(piece.toString("utf8"), "utf8").equals(piece) ? width : 0;
}

const ESCAPE = /\\(?:([\\nrt])|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\})/gu;
const UNNAMED: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r", t: "\t" };

/** Reads the shown form back. A backslash that starts no escape of {@link showName} stands for itself. */
export function parseName(shown: string): BytePath {
  let path = "";
  let from = 0;
  for (const match of shown.matchAll(ESCAPE)) {
    const [whole, named, byte, point] = match;
    path += fromText(shown.slice(from, match.index));
    if (named !== undefined) path += UNNAMED[named] ?? "";
    else if (byte !== undefined) path += String.fromCharCode(Number.parseInt(byte, 16));
    else if (point !== undefined) path += characterOf(Number.parseInt(point, 16), whole);
    from = match.index + whole.length;
  }
  return (path + fromText(shown.slice(from))) as BytePath;
}

const characterOf = (point: number, otherwise: string): string => fromText(point <= 0x10ffff ? String.fromCodePoint(point) : otherwise);
