import type { Workload } from "./workload.js";

export interface Built {
  /** What the other calls take. */
  readonly name: string;
  readonly entries: number;
  readonly textBytes: number;
}

/** One way to store the same sessions. Counts are returned so that nothing is skipped unseen. */
export interface Form {
  build(workload: Workload, entries: number): Promise<Built>;
  /** To the last screen. */
  open(name: string): Promise<number>;
  /** Every so many-th id. */
  ids(name: string, every: number): Promise<readonly string[]>;
  /** Milliseconds of each. */
  get(name: string, ids: readonly string[]): AsyncIterable<number>;
  list(detail: "header" | "summary"): Promise<number>;
  grep(name: string, pattern: RegExp): Promise<number>;
}
