import type { Spend } from "../../../schema/index.js";
import type { SessionReader } from "../../../session/index.js";
import { recoverable } from "../refusal.js";
import { sumOf } from "./recorded.js";

export interface CatchUpPorts {
  /** Newest change to be counted. */
  readonly until: number;
  readonly read: <Value>(use: (reader: SessionReader) => Promise<Value>) => Promise<Value | undefined>;
  /** Told once, unless it was stopped or the file could not be read. */
  readonly onCounted: (spend: Spend) => void;
}

/** Counts beside everything else what a file holds and does not say: of one whose newest checkpoint is from before costs were summed up. */
export interface CatchUp {
  /** At the first call; nothing waits for it. */
  begin(): void;
  /** Nothing is told any more. Resolves when nothing is read any more. */
  stop(): Promise<void>;
}

export function createCatchUp({ until, read, onCounted }: CatchUpPorts): CatchUp {
  const stopped = new AbortController();
  let counting: Promise<unknown> | undefined;
  const count = async (): Promise<void> => {
    const spend = await recoverable(async () => await read(async (reader) => await sumOf(reader, { until, signal: stopped.signal })));
    // What cannot be read is told by whoever shows it.
    if (spend.ok && spend.value !== undefined && !stopped.signal.aborted) onCounted(spend.value);
  };
  return {
    begin() {
      counting ??= count();
    },
    async stop() {
      stopped.abort();
      await counting;
    },
  };
}
