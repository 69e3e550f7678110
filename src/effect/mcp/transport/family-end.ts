import type { Clock } from "../../../base/index.js";
import { familyOf, processStart, signalFamily, signalProcess } from "../../process/index.js";

export interface FamilyEndPorts {
  readonly clock: Clock;
  readonly mark: string;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/**
 * Ends a server with everything it started. Who is a descendant when it looks is remembered: a process without the mark in its environment is
 * known by its parent alone, which may be gone a moment later.
 */
export class FamilyEnd {
  readonly #ports: FamilyEndPorts;
  readonly #leader: number;
  /** By number: when it started, so that a number given anew is nobody's. */
  readonly #known = new Map<number, string>();

  constructor(leader: number, ports: FamilyEndPorts) {
    this.#leader = leader;
    this.#ports = ports;
  }

  /** Remembers who belongs to it, and gives those that run. Without `/proc` nobody is known. */
  async look(): Promise<readonly number[]> {
    const family = await familyOf(this.#leader, this.#ports.mark);
    for (const pid of family) {
      const start = pid === process.pid || this.#known.has(pid) ? undefined : await processStart(pid);
      if (start !== undefined) this.#known.set(pid, start);
    }
    for (const [pid, start] of this.#known) if ((await processStart(pid)) !== start) this.#known.delete(pid);
    return [...this.#known.keys()];
  }

  async end(): Promise<void> {
    const { clock, mark, graceMs } = this.#ports;
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const strays = await this.look();
      if (!this.#isAlive(strays)) return;
      await signalFamily(this.#leader, mark, signal);
      for (const pid of strays) signalProcess(pid, signal);
      const deadline = clock.monotonic() + graceMs;
      while (clock.monotonic() < deadline && this.#isAlive(await this.look())) await clock.sleep(20);
    }
  }

  /** Without `/proc` only its group is known. */
  #isAlive(running: readonly number[]): boolean {
    return process.platform === "linux" ? running.length > 0 : signalProcess(-this.#leader, 0);
  }
}
