import { faultyOperations, type Fault } from "../session/support/operations.js";
import { type LiveBench, withLive } from "./live-bench.js";

/** A disk that can be made to refuse writes or syncs. */
export interface Disk {
  fault: Fault;
  on: "write" | "fdatasync";
}

/** As `withLive`, on such a disk. */
export async function onDisk(run: (bench: LiveBench, disk: Disk) => Promise<void>): Promise<void> {
  const disk: Disk = { fault: undefined, on: "write" };
  await withLive(
    async (bench) => {
      await run(bench, disk);
    },
    faultyOperations(({ name }) => (name === disk.on ? disk.fault : undefined)),
  );
}
