import type { Clock } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import type { Facility } from "../types.js";

export const AMBIENT_BOUNDS = { sleepMs: 3_600_000, entropyBytes: 1024 } as const;

export interface AmbientDeps {
  readonly clock: Clock;
  /** Fills with bytes nobody can guess. */
  readonly random: (into: Uint8Array) => void;
}

export interface AmbientFacilities {
  readonly "clock.sleep": Facility<"clock.sleep">;
  readonly "clock.now": Facility<"clock.now">;
  readonly "entropy.bytes": Facility<"entropy.bytes">;
}

/** Nothing of the machine is reached, so no grant is needed. */
export function createAmbientFacilities({ clock, random }: AmbientDeps): AmbientFacilities {
  return {
    "clock.sleep": {
      authorize: async (input) => (input.ms >= 0 && input.ms <= AMBIENT_BOUNDS.sleepMs ? ok(input) : err(badSleep(input.ms))),
      run: async ({ ms }, { signal }) => {
        await clock.sleep(ms, signal);
        return { outcome: "not-applied", result: signal.aborted ? err(sleepStopped()) : ok({ now: clock.now() }) };
      },
    },
    "clock.now": {
      authorize: async (input) => ok(input),
      run: async () => ({ outcome: "not-applied", result: ok({ now: clock.now() }) }),
    },
    "entropy.bytes": {
      authorize: async (input) => {
        const isCount = Number.isInteger(input.count) && input.count >= 1 && input.count <= AMBIENT_BOUNDS.entropyBytes;
        return isCount ? ok(input) : err(badCount(input.count));
      },
      run: async ({ count }) => {
        const bytes = Buffer.alloc(count);
        random(bytes);
        return { outcome: "not-applied", result: ok({ base64: bytes.toString("base64") }) };
      },
    },
  };
}

const badSleep = (ms: number): Diagnostic =>
  diagnostic({
    code: "clock.bad-sleep",
    what: `A sleep of ${ms} ms is not possible.`,
    why: `A sleep lasts 0 to ${AMBIENT_BOUNDS.sleepMs} ms (one hour), and never longer than the call it is in.`,
    next: "Sleep for a shorter time, several times if need be.",
  });

const sleepStopped = (): Diagnostic =>
  diagnostic({
    code: "clock.aborted",
    what: "The sleep was stopped.",
    why: "The call was aborted.",
    next: "End the call; what it waited for is no longer wanted.",
  });

const badCount = (count: number): Diagnostic =>
  diagnostic({
    code: "entropy.bad-count",
    what: `${count} random bytes cannot be given.`,
    why: `One call gives 1 to ${AMBIENT_BOUNDS.entropyBytes} bytes, and each is on record.`,
    next: "Ask for fewer; a seed of 32 bytes is enough for a generator of one's own.",
  });
