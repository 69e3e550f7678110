/**
 * tui: the fullscreen interface. Owns the terminal while it runs and gives it back on every way out.
 * Promises: the first frame before anything heavy; keys typed early are kept; nothing untrusted moves the cursor; idle costs nothing.
 * Must never know: how the agent, tools or providers work; it talks to one RuntimeSession. Read first: types.ts, app.ts.
 */
import { App } from "./app.js";
import type { TuiEnd, TuiOptions } from "./types.js";

export { createProcessPort, type NodeProcess } from "./terminal/index.js";
export type { EnvView, ProcessPort, TerminalInput, TerminalOutput, TuiEnd, TuiOptions, TuiSignal } from "./types.js";

/** Runs the interface until the person leaves, a signal comes or it breaks. Never rejects: a bug of ours ends with status 70. */
export const runTui = async (options: TuiOptions): Promise<TuiEnd> => await new App(options).run();
