/**
 * schema: the nouns of smith as types: entries, events, messages, tools, diagnostics, SDK operations.
 * Promises: data only. Must never know: how any of it is stored, sent or drawn. Read first: entry.ts, event.ts.
 */
export * from "./action.js";
export * from "./diagnostic.js";
export * from "./entry.js";
export * from "./event.js";
export * from "./lifecycle.js";
export * from "./message.js";
export * from "./model/index.js";
export * from "./operations.js";
export * from "./provider.js";
export * from "./run.js";
export * from "./sdk/index.js";
export * from "./session.js";
export * from "./tool.js";
export * from "./ui.js";
