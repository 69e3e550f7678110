import type { FsReadOutput } from "../../schema/index.js";

export type ImageType = Extract<FsReadOutput, { type: "image" }>["mediaType"];

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

/** Type of a complete image by its bytes: its frame is walked to the end, so a cut-off file is none. */
export function imageType(bytes: Buffer): ImageType | undefined {
  const claimed = claimedImage(bytes);
  switch (claimed) {
    case "image/png":
      return isWholePng(bytes) ? claimed : undefined;
    case "image/jpeg":
      return isWholeJpeg(bytes) ? claimed : undefined;
    case "image/gif":
      return isWholeGif(bytes) ? claimed : undefined;
    case "image/webp":
      return bytes.length >= 20 && bytes.readUInt32LE(4) + 8 <= bytes.length ? claimed : undefined;
    case undefined:
      return undefined;
  }
}

/** Chunks of length, type, data and checksum from IHDR to IEND. */
function isWholePng(bytes: Buffer): boolean {
  if (bytes.length < 33 || bytes.toString("latin1", 12, 16) !== "IHDR") return false;
  let hasData = false;
  let at = PNG.length;
  while (at + 12 <= bytes.length) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return false;
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData;
    at = end;
  }
  return false;
}

/** Marker segments up to the start of scan, a frame header among them, and an end marker after it. */
function isWholeJpeg(bytes: Buffer): boolean {
  let hasFrame = false;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    hasFrame ||= marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (marker === 0xda) return hasFrame && bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > at;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return false;
}

/** Logical screen, at least one image, trailer (some programs pad with zeros after it). */
function isWholeGif(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end > 14 && bytes[end - 1] === 0x3b && bytes.includes(0x2c, 13);
}
