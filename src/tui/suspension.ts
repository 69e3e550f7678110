import { nodeTimers } from "./frame/index.js";
import type { Keyboard } from "./keyboard.js";
import type { Screen } from "./screen.js";
import type { ProcessPort } from "./types.js";

/** Ctrl-Z and `fg`: the terminal is given back while the process is stopped, and taken again after. */
export class Suspension {
  /** Set while the process is stopped. */
  private keepAlive: (() => void) | undefined;
  private readonly parts: { readonly screen: Screen; readonly keyboard: Keyboard; readonly process: ProcessPort };

  constructor(parts: Suspension["parts"]) {
    this.parts = parts;
  }

  begin(): void {
    if (this.keepAlive !== undefined) return;
    this.parts.keyboard.detach();
    this.parts.screen.away();
    // With the input paused nothing would keep the process alive between SIGCONT and its handler.
    this.keepAlive = nodeTimers.after(2 ** 30, () => undefined);
    this.parts.process.stop();
  }

  /** Also when something else stopped the process. */
  resume(): void {
    this.end();
    this.parts.screen.back();
    this.parts.keyboard.attach();
  }

  /** Nothing of it keeps the process alive any more. */
  end(): void {
    this.keepAlive?.();
    this.keepAlive = undefined;
  }
}
