import type { Clock, SessionId } from "../../../src/base/index.js";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSessionStore } from "../../../src/session/index.js";
import { assistant, everyEntry, seqIds, user } from "./entries.js";
import { created, depsFor } from "./store.js";

export const SAMPLE_ID = "0190a0a0-0000-7000-8000-0000000000aa" as SessionId;

const stoppedClock: Clock = { now: () => 1_700_000_001_000, monotonic: () => 0, sleep: () => Promise.resolve() };

/** A small file that is the same in every run: fixed clock, ids and generation; one group, so no acknowledgement depends on timing. */
export async function sampleFile(length: "short" | "full" = "full"): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), "smith-sample-"));
  try {
    const random = (into: Uint8Array): void => {
      into.fill(7);
    };
    const store = createSessionStore(depsFor(dir, { clock: stoppedClock, ids: seqIds(), random }));
    const ids = seqIds();
    const writer = await created(store, SAMPLE_ID);
    const prompt = user(ids, "What is in a.txt?");
    const answer = assistant(ids, "A letter.", prompt.id);
    writer.commit({ entries: [prompt], leaf: prompt.id });
    writer.commit({ entries: [answer], leaf: answer.id });
    if (length === "full") writer.commit({ entries: everyEntry(ids), leaf: answer.id });
    await writer.close();
    return await readFile(writer.path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
