import { looksBinary, sniffEncoding } from "../text-file.js";

/** What files begin with, in latin1, by what they are. From the formats' own specifications; the longer mark first. */
const MARKS: readonly (readonly [mark: string, what: string, at?: number])[] = [
  ["PK\x03\x04", "zip archive"],
  ["PK\x05\x06", "empty zip archive"],
  ["%PDF-", "PDF document"],
  ["\x7fELF", "ELF program or library"],
  ["MZ", "Windows program or library"],
  ["\xfe\xed\xfa\xce", "macOS program or library"],
  ["\xfe\xed\xfa\xcf", "macOS program or library"],
  ["\xce\xfa\xed\xfe", "macOS program or library"],
  ["\xcf\xfa\xed\xfe", "macOS program or library"],
  ["\0asm", "WebAssembly module"],
  ["SQLite format 3\0", "SQLite database"],
  ["\x1f\x8b", "gzip archive"],
  ["BZh", "bzip2 archive"],
  ["\xfd7zXZ\0", "xz archive"],
  ["\x28\xb5\x2f\xfd", "zstd archive"],
  ["7z\xbc\xaf\x27\x1c", "7z archive"],
  ["Rar!\x1a\x07", "rar archive"],
  ["ustar", "tar archive", 257],
  ["\x89PNG\r\n\x1a\n", "damaged PNG image"],
  ["\xff\xd8\xff", "damaged JPEG image"],
  ["GIF8", "damaged GIF image"],
  ["WEBP", "damaged WebP image", 8],
  ["BM", "BMP image"],
  ["II*\0", "TIFF image"],
  ["MM\0*", "TIFF image"],
  ["\0\0\x01\0", "icon"],
  ["ftypheic", "HEIC image", 4],
  ["ftypmif1", "HEIF image", 4],
  ["ftypavif", "AVIF image", 4],
  ["ftyp", "video or audio (MP4)", 4],
  ["\x1aE\xdf\xa3", "video (Matroska or WebM)"],
  ["OggS", "audio or video (Ogg)"],
  ["ID3", "audio (MP3)"],
  ["fLaC", "audio (FLAC)"],
  ["WAVE", "audio (WAV)", 8],
  ["wOFF", "font (WOFF)"],
  ["wOF2", "font (WOFF2)"],
  ["OTTO", "font (OpenType)"],
  ["\0\x01\0\0\0", "font (TrueType)"],
  ["\xca\xfe\xba\xbe", "Java class or macOS program"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "older Office document"],
  ["\xff\xfe\0\0", "UTF-32 text"],
  ["\0\0\xfe\xff", "UTF-32 text"],
];

/** Names of entries that tell what a zip archive is for. */
const ZIPPED: readonly (readonly [mark: string, what: string])[] = [
  ["word/", "Word document (zip)"],
  ["xl/", "Excel workbook (zip)"],
  ["ppt/", "PowerPoint presentation (zip)"],
  ["mimetypeapplication/vnd.oasis.opendocument", "OpenDocument file (zip)"],
  ["mimetypeapplication/epub", "EPUB book (zip)"],
  ["META-INF/", "Java archive (zip)"],
];

/** What the beginning of a file that is no text looks like; undefined where nothing is known of it. */
export const binaryKind = (head: Buffer): string | undefined => markedKind(head) ?? textKind(head);

/** The same by what formats begin with alone. */
export function markedKind(head: Buffer): string | undefined {
  const start = head.toString("latin1");
  const found = MARKS.find(([mark, , at = 0]) => start.startsWith(mark, at));
  if (found?.[1] === "zip archive") return ZIPPED.find(([mark]) => start.includes(mark))?.[1] ?? found[1];
  return found?.[1];
}

/** How many NULs a text may have by accident: so many, or such a share of it. */
const STRAY_NULS = { count: 3, share: 0.01 } as const;

/** Whether a file that begins so is no text. A few NULs in a text are told, not taken for its end. */
export function isBinaryHead(head: Buffer): boolean {
  const { encoding } = sniffEncoding(head);
  if (head.length >= 4 && head.readUInt32BE(0) === 0xfffe0000) return true;
  if (encoding !== "utf-8" || !head.includes(0)) return looksBinary(head, encoding);
  const [even, odd] = zeros(head);
  if (even + odd > Math.max(STRAY_NULS.count, head.length * STRAY_NULS.share)) return true;
  return binaryKind(head) !== undefined || looksBinary(Buffer.from(head.filter((byte) => byte !== 0)), encoding);
}

/** Text that cannot be read for sure, as its encoding is not written anywhere. */
function textKind(head: Buffer): string | undefined {
  const pairs = Math.floor(head.length / 2);
  if (pairs < 2) return undefined;
  const [even, odd] = zeros(head);
  const [few, many] = [pairs * 0.02, pairs * 0.6];
  if (odd >= many && even <= few) return "UTF-16 text without a byte order mark, little-endian";
  if (even >= many && odd <= few) return "UTF-16 text without a byte order mark, big-endian";
  return even + odd === 0 && !hasControls(head) ? "text in an older 8-bit encoding, not UTF-8" : undefined;
}

function zeros(head: Buffer): readonly [even: number, odd: number] {
  const counts: [number, number] = [0, 0];
  for (let index = 0; index < head.length; index += 1) if (head[index] === 0) counts[index % 2 === 0 ? 0 : 1] += 1;
  return counts;
}

const hasControls = (head: Buffer): boolean => /[\u0001-\u0007\u000e-\u001a\u001c-\u001f\u007f]/u.test(head.toString("latin1"));

/** A file that is named like an image and holds none, by what it holds instead. */
export function contentWord(head: Buffer, size: number): string {
  if (size === 0) return "it is empty";
  if (!isBinaryHead(head)) {
    return `text that starts with ${JSON.stringify([...head.toString("utf8", 0, 400)].slice(0, 80).join(""))}`;
  }
  const what = binaryKind(head);
  return what === undefined ? `${String(size)} bytes of another binary format` : `it is a ${what}`;
}
