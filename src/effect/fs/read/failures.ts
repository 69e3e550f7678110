import type { Diagnostic } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";

export const invalidImage = (path: string, found: string): Diagnostic =>
  diagnostic({
    code: "fs.image-invalid",
    what: `${path} is named like an image but holds none: ${found}.`,
    why: "The type is taken from the bytes; a file that is no whole png, jpeg, gif or webp is never sent to a model as an image.",
    next: "If its text matters, search it with grep; otherwise get the image anew.",
  });

export const imageTooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "fs.image-too-large",
    what: `${path} is an image of ${bytes} bytes.`,
    why: `Images over ${maxBytes} bytes are not read: providers refuse them.`,
    next: "Make a smaller copy of it, for example with `magick IN -resize 2000x2000 OUT.jpg`, and read that.",
  });

export const imageTooWide = (
  path: string,
  { width, height }: { readonly width: number; readonly height: number },
  most: number,
): Diagnostic =>
  diagnostic({
    code: "fs.image-too-wide",
    what: `${path} is an image of ${width} x ${height} pixels.`,
    why: `Images over ${most} pixels in width or height are not read: providers refuse them.`,
    next: "Make a smaller copy of it, for example with `magick IN -resize 2000x2000 OUT`, or cut out the part that matters, and read that.",
  });

export const noRoomForImage = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.image-no-room",
    what: `${path} is an image that this call cannot hand on any more.`,
    why: "One call holds at most 16 images, 8 MiB of base64 together; here there is no room for it, or no place for images at all.",
    next: "Read it in a call of its own, or make a smaller copy.",
  });
