import type { CallId, EffectId, EntryId, SubmissionId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import type { LiveState, SessionReader } from "../../../src/session/index.js";
import { FRAME } from "../../../src/session/codec/index.js";
import { BUILT_ID, FileBuilder } from "./build.js";
import type { Span } from "./build.js";
import { assistant, seqIds, user } from "./entries.js";
import { imagePath } from "./images.js";
import { MemoryDirectory } from "./memory.js";
import { workEntries } from "./work-entries.js";

/** A file with every kind of live fact, and where its checkpoints lie. */
export interface Sample {
  readonly bytes: Buffer;
  readonly checkpoints: readonly Span[];
  readonly ids: readonly EntryId[];
}

export interface Answers {
  readonly live: LiveState;
  readonly admissions: readonly (EntryId | undefined)[];
  readonly found: readonly (EntryId | undefined)[];
  readonly receipt: EntryId | undefined;
  readonly state: unknown;
}

const ids = seqIds();
const make = workEntries(ids);
const [work, child] = [ids.next<WorkId>(), ids.next<WorkId>()];
const [first, second] = [ids.next<SubmissionId>(), ids.next<SubmissionId>()];
const nowhere = ids.next<EntryId>();
const call = ids.next<CallId>();
const [effect, ended] = [ids.next<EffectId>(), ids.next<EffectId>()];

/** Five stretches of changes; a checkpoint may follow each of them. */
const STRETCHES: readonly (readonly (readonly Entry[])[])[] = [
  [
    [{ type: "session-info", id: ids.next(), time: 1, name: "named", cwd: "/w" }],
    [make.submission(first, work, "key one"), make.work(work, "created"), user(ids, "first")],
    [make.submission(second, child, "key two"), make.queue(second, "enqueue"), make.work(child, "created", { parentWork: work })],
  ],
  [[make.put("a", { n: 1 })], [make.intent(effect, call, work), make.intent(ended, call, work)], [make.done(ended, "applied")]],
  [[{ ...assistant(ids, "answer"), usage: { inputTokens: 3 } }], [make.put("b", [1, 2, 3]), make.drop("a")]],
  [[make.queue(second, "deliver"), make.work(child, "settled"), make.receipt(second, child)]],
  [[user(ids, "last"), make.put("a", { n: 2 }, { fork: "copy" })]],
];

/** `after`: stretches that a checkpoint follows. `extra` goes into the first change of every stretch. */
export function sample(after: readonly number[], extra: readonly Entry[] = [], end: "acknowledged" | "open" = "open"): Sample {
  const builder = new FileBuilder();
  const checkpoints: Span[] = [];
  STRETCHES.forEach((changes, stretch) => {
    changes.forEach((entries, index) => builder.commit(index === 0 ? [...entries, ...extra.slice(stretch, stretch + 1)] : entries));
    if (after.includes(stretch)) checkpoints.push(builder.checkpoint());
  });
  if (end === "acknowledged") builder.frame(FRAME.ack, STRETCHES.flat().length, new Uint8Array(0));
  return { bytes: builder.bytes(), checkpoints, ids: STRETCHES.flat(2).map(({ id }) => id) };
}

async function answersOf(session: SessionReader, wanted: readonly EntryId[]): Promise<Answers> {
  const admissions = ["key one", "key two", "no such key"].map(async (key) => (await session.admission(key))?.id);
  const found = [...wanted, nowhere].map(async (id) => (await session.get(id))?.id);
  return {
    live: await session.live(),
    admissions: await Promise.all(admissions),
    found: await Promise.all(found),
    receipt: (await session.receipt(second))?.id,
    state: await session.sessionState("core", "a"),
  };
}

/** What a reader and a writer say of an image. */
export async function ask(bytes: Uint8Array, wanted: readonly EntryId[]): Promise<{ readonly reader: Answers; readonly writer: Answers }> {
  const directory = new MemoryDirectory();
  directory.put(imagePath(BUILT_ID), bytes);
  const answers: Answers[] = [];
  for (const want of ["read", "write"] as const) {
    const opened = await directory.store().open(BUILT_ID, want);
    if (!opened.ok) throw new Error(opened.error.what);
    if (opened.value.access !== want) throw new Error(`opened to ${opened.value.access}`);
    answers.push(await answersOf(opened.value, wanted));
    await opened.value.close();
  }
  const [reader, writer] = answers as [Answers, Answers];
  return { reader, writer };
}
