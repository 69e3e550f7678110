import type { WasiOptions } from "quickjs-wasi";

const OK = 0;
const BAD_DESCRIPTOR = 8;

/** What the guest's system calls see. `now` in ms; it stands still until the owner moves it. */
export interface GuestWorld {
  now: number;
}

/**
 * The system below the engine: a clock that only moves between deliveries, bytes from a seed, and no output. The
 * package's own defaults read the real clock and print guest bytes on the terminal.
 */
export function guestSystem(world: GuestWorld, seed: number): WasiOptions {
  return (memory) => {
    const nextByte = seededBytes(seed);
    return {
      clock_time_get(_clock: number, _precision: bigint, result: number): number {
        new DataView(memory.buffer).setBigUint64(result, BigInt(Math.max(0, Math.trunc(world.now))) * 1_000_000n, true);
        return OK;
      },
      random_get(pointer: number, length: number): number {
        const bytes = new Uint8Array(memory.buffer, pointer, length);
        for (let index = 0; index < bytes.length; index += 1) bytes[index] = nextByte();
        return OK;
      },
      fd_write: (): number => BAD_DESCRIPTOR,
    };
  };
}

/** Mulberry32: reproducible, and nothing here may depend on it being more than that. */
function seededBytes(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 24) & 0xff;
  };
}
