import type { Clock, EntryId, SessionId, SubmissionId, WorkId } from "../../src/base/index.js";
import type { Entry } from "../../src/schema/index.js";
import type { SessionStore } from "../../src/session/index.js";
import { createStoreOn } from "../../src/session/store.js";
import { seqIds } from "../../test/session/support/entries.js";
import { imagePath } from "../../test/session/support/images.js";
import { MemoryDirectory } from "../../test/session/support/memory.js";
import { depsFor } from "../../test/session/support/store.js";

const ID = "0190a0a0-0000-7000-8000-0000000000cc" as SessionId;
const NOW = 1_700_000_000_000;

/** Enough of the smallest records to reach into the second block, and for a checkpoint when the file is closed. */
const MANY = 700;

/** A store over memory whose clock stands still and whose ids and generations are the same in every run. */
function storeOn(directory: MemoryDirectory, onWrite: () => void = () => undefined): SessionStore {
  const clock: Clock = { now: () => NOW, monotonic: () => 0, sleep: () => Promise.resolve() };
  const random = (into: Uint8Array): void => into.forEach((_, index) => void (into[index] = 0xa0 + index));
  const operations = directory.operations();
  return createStoreOn(
    depsFor("/memory", { clock, ids: seqIds(NOW), random }),
    {
      ...operations,
      // The directory itself is opened to make names durable.
      open: async (path, flags) => (path === "/memory" ? 0 : operations.open(path, flags)),
      write: async (...args) => {
        const written = await operations.write(...args);
        onWrite();
        return written;
      },
    },
    { prepare: () => undefined, tryLock: () => true },
  );
}

/** A new session, and the next write to its file as a promise. */
async function createWriter(directory: MemoryDirectory) {
  let onWrite: () => void = () => undefined;
  const store = storeOn(directory, () => onWrite());
  const made = await store.create({ id: ID });
  if (!made.ok) throw new Error(made.error.what);
  const nextWrite = (): Promise<void> =>
    new Promise((resolve, reject) => {
      // The writer's own timer does not keep a program alive; this one does.
      const timer = setTimeout(() => reject(new Error("nothing more was written")), 10_000);
      onWrite = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return { writer: made.value, nextWrite };
}

/**
 * The bytes of a session small enough to print and with everything in it: an admission with its message, an acknowledgement,
 * chunks, a change that reaches into the second block, a checkpoint, and a clean end. Made by the real store over memory, with a clock
 * that stands still.
 */
export async function formatSample(): Promise<Buffer> {
  const directory = new MemoryDirectory();
  const { writer, nextWrite } = await createWriter(directory);
  const ids = seqIds(NOW);
  const submission = ids.next<SubmissionId>();
  const work = ids.next<WorkId>();
  const id = (): EntryId => ids.next<EntryId>();
  const text = "What is in a.txt?";
  const admitted: Entry = { type: "submission", id: id(), time: NOW, submission, work, delivery: "turn", text, key: "k-1" };
  const user = { type: "user-message", time: NOW, source: "prompt" } as const;
  const prompt: Entry = { ...user, id: id(), submission, work, text, images: [{ mediaType: "image/png", base64: "iVBORw0KGgo=" }] };
  const running: Entry = { type: "work", id: id(), time: NOW, work, state: "running", checkpoint: { z: -0, a: [1, 1.5] } };
  const chunked: Entry = { ...user, id: id(), parent: prompt.id, text: "smith ".repeat(11_000) };
  const many: Entry[] = [];
  for (let parent = chunked.id; many.length < MANY;) {
    const entry: Entry = { ...user, id: id(), parent, text: "" };
    many.push(entry);
    parent = entry.id;
  }

  await writer.commit({ entries: [admitted, prompt, running], leaf: prompt.id }).durable;
  // Nothing follows for a while, so what is written next is an ACK.
  await nextWrite();
  await writer.commit({ entries: [chunked], leaf: chunked.id }).durable;
  await writer.commit({ entries: many }).durable;
  await writer.close();
  return directory.get(imagePath(ID));
}

/** The same file after the second change was damaged and the file repaired. */
export async function repairedSample(file: Buffer, damagedAt: number): Promise<Buffer> {
  const directory = new MemoryDirectory();
  const bytes = Buffer.from(file);
  bytes.fill(0xff, damagedAt, damagedAt + 16);
  directory.put(imagePath(ID), bytes);
  const repaired = await storeOn(directory).repair(ID);
  if (!repaired.ok) throw new Error(repaired.error.what);
  return directory.get(imagePath(ID));
}
