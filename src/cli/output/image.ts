import { plural } from "../../base/index.js";
import { imageBytes, type ImagePart } from "../../schema/index.js";

/** `image/png 12 KB`: an image by kind and size, never by its bytes. */
export function imageWords(image: ImagePart): string {
  const bytes = imageBytes(image);
  if (bytes < 1024) return `${image.mediaType} ${plural(bytes, "byte")}`;
  return `${image.mediaType} ${bytes < 1024 * 1024 ? `${String(Math.round(bytes / 1024))} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`}`;
}
