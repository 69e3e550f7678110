import { err, ok, type Result } from "../../../base/index.js";
import type { ImagePart } from "../../../schema/index.js";
import { claimedImage, imageFacts, type ImageFacts } from "./image.js";

/** What the strictest of the known providers take: bytes before base64, which are 5 MiB after it, and pixels in width and height. */
export const IMAGE_BOUNDS = { bytes: 3.75 * 1024 * 1024, pixels: 8000 } as const;

/** Why bytes that begin like an image cannot be shown to a model. */
export type ImageProblem =
  { readonly type: "too-large" } | { readonly type: "damaged" } | { readonly type: "too-wide"; readonly facts: ImageFacts };

/** An image a model can be shown, by its bytes. Undefined: they do not begin like one. */
export function imagePart(bytes: Buffer): Result<{ readonly image: ImagePart; readonly facts: ImageFacts }, ImageProblem> | undefined {
  if (claimedImage(bytes) === undefined) return undefined;
  if (bytes.length > IMAGE_BOUNDS.bytes) return err({ type: "too-large" });
  const facts = imageFacts(bytes);
  if (facts === undefined) return err({ type: "damaged" });
  if (Math.max(facts.width, facts.height) > IMAGE_BOUNDS.pixels) return err({ type: "too-wide", facts });
  return ok({ image: { mediaType: facts.mediaType, base64: bytes.toString("base64") }, facts });
}

/** The same in words, of a problem. */
export function imageProblemWords(problem: ImageProblem): string {
  switch (problem.type) {
    case "too-large":
      return `It is an image of more than ${String(IMAGE_BOUNDS.bytes)} bytes, which providers refuse.`;
    case "damaged":
      return "It begins like an image and is cut off or damaged.";
    case "too-wide":
      return `It is an image of ${String(problem.facts.width)} x ${String(problem.facts.height)} pixels; providers refuse more than ${String(IMAGE_BOUNDS.pixels)} in width or height.`;
  }
}
