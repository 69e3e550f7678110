import type { SessionId } from "../../../src/base/index.js";
import type { CommittedChange } from "../../../src/session/index.js";
import { imagePath } from "../support/images.js";
import { MemoryDirectory } from "../support/memory.js";
import { collect } from "../support/store.js";
import type { DecodedSession } from "./decoder.mjs";
import { decode } from "./decoder.mjs";

/** What two readers that share no code must agree on about a file. */
export interface Reading {
  readonly changes: readonly Pick<CommittedChange, "leaf" | "entries" | "time">[];
  readonly seqs: readonly number[];
  readonly access: "read" | "write";
  /** Bytes of the file that count; a writer cuts off the rest. */
  readonly bytes: number;
}

export function decoded(bytes: Uint8Array): DecodedSession {
  const session = decode(bytes);
  if ("refused" in session) throw new Error(session.refused);
  return session;
}

/** The independent decoder's reading; `undefined` when it refuses the file. */
export function strangersReading(bytes: Uint8Array): Reading | undefined {
  const session = decode(bytes);
  if ("refused" in session) return undefined;
  const isForeign = session.unknown.some((frame) => frame.isCritical);
  const mayWrite = !session.isTailLost && !isForeign;
  return {
    changes: session.commits.map(({ leaf, records, time }) => ({
      // The decoder has no types; what it says is compared, not used.
      leaf: leaf as CommittedChange["leaf"],
      entries: records.map(({ entry }) => entry) as unknown as CommittedChange["entries"],
      time,
    })),
    seqs: session.commits.map(({ seq }) => seq),
    access: mayWrite ? "write" : "read",
    bytes: mayWrite ? session.boundaryInFile : bytes.length,
  };
}

/** The store's reading after opening for writing; `undefined` when it refuses the file. Only typed errors may come out. */
export async function storesReading(id: SessionId, bytes: Uint8Array): Promise<Reading | undefined> {
  const directory = new MemoryDirectory();
  directory.put(imagePath(id), bytes);
  const opened = await directory.store().open(id, "write");
  if (!opened.ok) return undefined;
  const session = opened.value;
  const size = directory.get(imagePath(id)).length;
  const changes = await collect(session.changes());
  return {
    changes: changes.map(({ leaf, entries, time }) => ({ leaf, entries, time })),
    seqs: changes.map(({ position }) => position.seq),
    access: session.access,
    bytes: size,
  };
}
