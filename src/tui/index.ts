/**
 * tui: the fullscreen interface. Owns the terminal while it runs and gives it back on every way out.
 * Promises: the first frame before anything heavy; keys typed early are kept; nothing untrusted moves the cursor; idle costs nothing.
 * Must never know: how the agent, tools or providers work; it talks to one RuntimeSession. Read first: types.ts, start.ts, app.ts.
 */
export { runTui } from "./start.js";
export type { EnvView, ProcessPort, TerminalInput, TerminalOutput, TuiEnd, TuiOptions, TuiSignal } from "./types.js";
