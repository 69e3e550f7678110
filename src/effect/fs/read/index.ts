/**
 * effect/fs/read: what is at a path, told from its bytes: lines of a text, an image, a PDF's text, a folder, or what else it is.
 * Promises: memory is bounded whatever the file; totals are exact; nothing that could block is opened; no text is guessed.
 * Must never know: who asks, how it is shown. Read first: read.ts, text-scan.ts, content-kind.ts.
 */
export { readFileWindow, type ReadDeps } from "./read.js";
export { statFile } from "./stat.js";
export { imageFacts, type ImageFacts } from "./image.js";
export { imagePart, imageProblemWords, type ImageProblem } from "./image-part.js";
