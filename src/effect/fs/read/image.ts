import type { ImagePart } from "../../../schema/index.js";

export type ImageType = ImagePart["mediaType"];

/** What a whole image says of itself. */
export interface ImageFacts {
  readonly mediaType: ImageType;
  /** Pixels, at least 1. */
  readonly width: number;
  readonly height: number;
}

type Size = Omit<ImageFacts, "mediaType">;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What the first 12 bytes claim to be. */
export function claimedImage(head: Buffer): ImageType | undefined {
  if (head.subarray(0, 8).equals(PNG)) return "image/png";
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff) return "image/jpeg";
  const start = head.toString("latin1", 0, 12);
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  return start.startsWith("RIFF") && start.slice(8) === "WEBP" ? "image/webp" : undefined;
}

/** Names that promise an image, whatever the bytes say. */
export const isImageName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/iu.test(path);

/** Type and size of a complete image by its bytes: its frame is walked to the end, so a cut-off file is none. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const mediaType = claimedImage(bytes);
  if (mediaType === undefined) return undefined;
  const size = SIZES[mediaType](bytes);
  return size === undefined || size.width < 1 || size.height < 1 ? undefined : { mediaType, ...size };
}

const SIZES: { readonly [Type in ImageType]: (bytes: Buffer) => Size | undefined } = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": gifSize,
  "image/webp": webpSize,
};

/** Chunks of length, type, data and checksum from IHDR to IEND. */
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  let hasData = false;
  let at = PNG.length;
  while (at + 12 <= bytes.length) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
    at = end;
  }
  return undefined;
}

/** Markers of JPEG that begin a frame, and of those numbers the three that do not. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Marker segments up to the start of scan, a frame header among them, and an end marker after it. */
function jpegSize(bytes: Buffer): Size | undefined {
  let size: Size | undefined;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker) && at + 9 <= bytes.length) size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === 0xda) return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > at ? size : undefined;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Logical screen, at least one image, trailer (some programs pad with zeros after it). */
function gifSize(bytes: Buffer): Size | undefined {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  if (end <= 14 || bytes[end - 1] !== 0x3b || !bytes.includes(0x2c, 13)) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** A RIFF container that is all there; its first chunk is one of three, and says the size. */
function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return bytes.readUIntBE(23, 3) === 0x9d012a
        ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
        : undefined;
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return bytes[20] === 0x2f ? { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 } : undefined;
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
