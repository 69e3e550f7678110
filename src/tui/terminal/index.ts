/**
 * terminal: the only place that speaks to the terminal: modes and their restoring, input bytes to events, frames to bytes.
 * Promises: restored on every way out; no control byte of others gets through. Must never know: sessions, React. Read first: session.ts, input.ts, writer.ts.
 */
export { foldBurst } from "./burst.js";
export { type Caps, detectCaps } from "./caps.js";
export { InputDecoder } from "./input.js";
export { chord, type InputEvent, type Key, type TerminalReply } from "./keys.js";
export { TerminalSession } from "./session.js";
export { decodeStyles, encodeStyle } from "./style-codes.js";
export { type Frame, FrameWriter, type WriterOptions } from "./writer.js";
