import { createHash } from "node:crypto";
import type { ImageShelf } from "../../effect/index.js";
import { imageBytes, type ImagePart } from "../../schema/index.js";
import { MAX_SHELF_IMAGES, MAX_SHELF_UNITS } from "../limits.js";

/** The images one invocation was given. Names are of the host's making and mean nothing elsewhere. The same image is kept once. */
export function createImageShelf(): ImageShelf {
  const kept = new Map<string, ImagePart>();
  const known = new Map<string, string>();
  let units = 0;
  return {
    keep(image, size) {
      const sha256 = createHash("sha256").update(image.base64, "base64").digest("hex");
      const key = `${image.mediaType} ${sha256}`;
      let ref = known.get(key);
      if (ref === undefined) {
        if (kept.size >= MAX_SHELF_IMAGES || units + image.base64.length > MAX_SHELF_UNITS) return undefined;
        ref = `image-${String(kept.size + 1)}`;
        kept.set(ref, { mediaType: image.mediaType, base64: image.base64 });
        known.set(key, ref);
        units += image.base64.length;
      }
      return { ref, mediaType: image.mediaType, bytes: imageBytes(image), sha256, ...size };
    },
    take: (ref) => kept.get(ref),
  };
}
