import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { CommittedChange, SessionReader } from "../../../src/session/index.js";
import { MemoryDirectory } from "./memory.js";
import { collect } from "./store.js";

/** A random source that gives the same numbers in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

export interface Outcome {
  /** How opening as a writer went. */
  readonly access: "read" | "write" | "refused";
  readonly changes: readonly CommittedChange[];
  readonly damaged: number;
}

export interface Image {
  readonly id: SessionId;
  readonly bytes: Uint8Array;
}

export const imagePath = (id: SessionId): string => `/memory/${id}.smith`;

/** Opens an image for writing: what a restart after an accident does. Only typed errors may come out. */
export async function reopen(image: Image, directory = new MemoryDirectory()): Promise<Outcome> {
  directory.put(imagePath(image.id), image.bytes);
  const opened = await directory.store().open(image.id, "write");
  if (!opened.ok) return { access: "refused", changes: [], damaged: 0 };
  const session: SessionReader = opened.value;
  try {
    const changes = await collect(session.changes());
    return { access: session.access, changes, damaged: session.damage?.().length ?? 0 };
  } finally {
    await session.close();
  }
}

export const idsOf = (changes: readonly CommittedChange[]): readonly EntryId[] =>
  changes.flatMap((change) => change.entries.map((entry) => entry.id));
