import { type CallId, createIdSource, type EntryId, type IdSource, type WorkId } from "../../src/base/index.js";
import type { Entry } from "../../src/schema/index.js";
import { ByteRun } from "../../src/session/bytes/index.js";
import { CommitEncoder, draftOf, type PlacedFrame, sealCommit } from "../../src/session/codec/index.js";

const ENTRIES = 1000;
const TURN = 5;
const REPEATS = 20;
const TIME = 1_700_000_000_000;

/** Prompts, answers, calls of tools, their effects and 2 KB results: what a working session is made of. */
function representativeEntries(): readonly Entry[] {
  let seed = 1;
  const ids = createIdSource(
    () => TIME,
    (into) => {
      for (let index = 0; index < into.length; index++) into[index] = (seed = (seed * 48_271) % 2_147_483_647) & 255;
    },
  );
  return Array.from({ length: ENTRIES / TURN }, (_, turn) => turnOf(ids, turn * TURN)).flat();
}

function turnOf(ids: IdSource, at: number): readonly Entry[] {
  const [user, assistant, toolCall] = [ids.next<EntryId>(), ids.next<EntryId>(), ids.next<EntryId>()];
  const shared = { work: ids.next<WorkId>(), call: ids.next<CallId>() };
  const path = `src/part-${at}/file.ts`;
  return [
    {
      type: "user-message",
      id: user,
      time: TIME + at,
      work: shared.work,
      source: "prompt",
      text: `Please look at ${path} and say what it does. `.repeat(3),
    },
    {
      type: "assistant",
      id: assistant,
      parent: user,
      time: TIME + at,
      work: shared.work,
      request: ids.next(),
      stop: "tool-use",
      text: "I will read the file first, then explain its parts one by one. ".repeat(6),
      thinking: [],
      usage: { inputTokens: 1200 + at, outputTokens: 80 },
      dispatch: { provider: "openai-compatible", model: "bench-model" },
    },
    ...toolEntries({ ids, at, path, toolCall, parent: assistant, ...shared }),
  ];
}

function toolEntries(of: {
  ids: IdSource;
  at: number;
  path: string;
  toolCall: EntryId;
  parent: EntryId;
  work: WorkId;
  call: CallId;
}): readonly Entry[] {
  const { ids, at, path, work, call } = of;
  const time = TIME + at;
  return [
    {
      type: "tool-call",
      id: of.toolCall,
      parent: of.parent,
      time,
      work,
      call,
      ordinal: 0,
      name: "read",
      providerId: `call_${at}`,
      argsText: JSON.stringify({ path }),
      args: { path },
    },
    {
      type: "effect-intent",
      id: ids.next(),
      time,
      effect: ids.next(),
      work,
      cause: call,
      operation: "fs.read",
      plugin: "smith.read",
      generation: 1,
      input: { path, limit: 2000 },
    },
    {
      type: "tool-result",
      id: ids.next(),
      parent: of.toolCall,
      time,
      work,
      call,
      name: "read",
      text: `${at}\tconst value = compute(${at}); // a line of an ordinary file\n`.repeat(32),
      isError: false,
      mutation: "not-applied",
      omittedBytes: 0,
      summary: "1-32 of 32",
    },
  ];
}

/** Milliseconds to encode 1,000 entries in commits of one turn each: best of 20, after a warm-up by the repeats themselves. */
export function encodeOnce(): { readonly bestMs: number; readonly bytes: number } {
  const entries = representativeEntries();
  const encoder = new CommitEncoder();
  const run = new ByteRun(4 * 1024 * 1024);
  let bestMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const started = performance.now();
    encodeAll(entries, encoder, run);
    bestMs = Math.min(bestMs, performance.now() - started);
  }
  return { bestMs, bytes: run.length };
}

function encodeAll(entries: readonly Entry[], encoder: CommitEncoder, run: ByteRun): void {
  run.length = 0;
  let previous: number | undefined;
  for (let at = 0; at < entries.length; at += TURN) {
    const turn = entries.slice(at, at + TURN);
    const frames: PlacedFrame[] = encoder.append(
      run,
      turn.map((entry) => draftOf(entry)),
      { seq: at / TURN + 1, time: TIME + at, base: 0, seed: 7, previous, leaf: turn.at(-1)?.id, locate: () => undefined },
    );
    for (const frame of frames) if (frame.seq > 0) sealCommit(run, frame, { base: 0, seed: 7, durableSeq: 0 });
    previous = frames.at(-1)?.at;
  }
}
