import type { WasiOptions } from "quickjs-wasi";

const OK = 0;
const BAD_DESCRIPTOR = 8;

/** What the guest's system calls see. `now` in ms; it stands still until the owner moves it. */
export interface GuestWorld {
  now: number;
}

/**
 * The system below the engine: a clock that only moves between deliveries, no entropy (random numbers are the prelude's, from
 * the guest's seed) and no output. The package's own defaults read the real clock and print guest bytes on the terminal.
 */
export function guestSystem(world: GuestWorld): WasiOptions {
  return (memory) => ({
    clock_time_get(_clock: number, _precision: bigint, result: number): number {
      new DataView(memory.buffer).setBigUint64(result, BigInt(Math.max(0, Math.trunc(world.now))) * 1_000_000n, true);
      return OK;
    },
    random_get(pointer: number, length: number): number {
      new Uint8Array(memory.buffer, pointer, length).fill(0);
      return OK;
    },
    fd_write: (): number => BAD_DESCRIPTOR,
  });
}
