/**
 * sdk: the host operations a plugin may ask for: names, inputs, outputs.
 * Promises: data only, JSON. Must never know: who serves them. Read first: table.ts.
 */
export * from "./files.js";
export * from "./job.js";
export * from "./mcp.js";
export * from "./process.js";
export * from "./search.js";
export * from "./sub-agent.js";
export * from "./table.js";
export * from "./work.js";
