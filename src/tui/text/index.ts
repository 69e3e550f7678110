/**
 * text: making untrusted text safe, measuring it in cells, styled runs, wrapping.
 * Promises: pure; rows never wider than asked. Must never know: terminals, sessions, Ink. Read first: sanitize.ts, spans.ts.
 */
export { isPrintable, reveal, sanitize, sanitizeLine, StreamSanitizer } from "./sanitize.js";
export { EMPTY_ROW, fitSpans, overlaySpans, row, type Row, rowText, sliceSpans, type Span, span, spansWidth } from "./spans.js";
export { clipText, ellipsize, ellipsizeStart, graphemes, isAscii, isUncertain, textWidth } from "./width.js";
export { wrapSpans, type WrapOptions } from "./wrap.js";
