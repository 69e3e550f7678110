import type { Stats } from "node:fs";
import { err, ok } from "../../base/index.js";
import type { IdSource, Result } from "../../base/index.js";
import type { Diagnostic, FsChangeOutput, FsEditInput, FsWriteInput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import type { Place } from "../paths/index.js";
import { confirmPlace, missingAt, openRegular, systemFailure } from "../paths/index.js";
import type { Computed, Computer } from "./compute/index.js";
import { makeDataFolder } from "./data-folder.js";
import { tooLarge } from "./failures.js";
import type { Leftovers } from "./leftovers.js";
import type { PathLocks } from "./locks.js";
import { swapFile } from "./swap.js";
import type { FileTracker } from "./tracker.js";

/** Files are changed in memory. */
export const MAX_EDIT_BYTES = 64 * 1024 * 1024;

export interface ChangeDeps {
  readonly ids: IdSource;
  readonly tracker: FileTracker;
  readonly locks: PathLocks;
  readonly computer: Computer;
  readonly leftovers: Leftovers;
}

type ChangeReply = EffectReply<FsChangeOutput>;

export const refused = (error: Diagnostic) => ({ outcome: "not-applied", result: err(error) }) as const;

/**
 * Creates or replaces a file. A file that is there keeps its mode, its encoding and byte order mark, and its line ends when
 * they are all `\r\n` and the content has none; the same content again writes nothing. A file that changed since the session saw it is
 * not replaced; one that it never saw is, and that is told.
 */
export function writeFile(input: FsWriteInput, context: EffectContext, deps: ChangeDeps): Promise<ChangeReply> {
  return onPlace(input.path, context, deps, async (place) => {
    const loaded = place.exists ? await loadBytes(place) : undefined;
    if (loaded?.ok === false) return refused(loaded.error);
    const known = deps.tracker.lastSeen(place.real);
    const isUnseen = loaded !== undefined && loaded.value.bytes.length > 0 && known === undefined;
    const computed = await deps.computer.compute(
      {
        type: "write",
        path: place.shown,
        content: input.content,
        ...(loaded === undefined ? {} : { before: loaded.value.bytes }),
        ...(known === undefined ? {} : { known }),
      },
      context.signal,
    );
    if (!computed.ok) return refused(computed.error);
    const prepared = { place, madeFrom: loaded?.value.stats ?? "absent", computed: computed.value, isUnseen } as const;
    return commitChange(prepared, context, deps);
  });
}

/**
 * Applies exact replacements to the file as it is on disk now. When the session has read (or written) the file and its
 * content is another one today, the edit is refused even if every text still matches: the model decided on something
 * else than what is there. A file the session has not seen may be edited, since exact matching protects it.
 */
export function editFile(input: FsEditInput, context: EffectContext, deps: ChangeDeps): Promise<ChangeReply> {
  return onPlace(input.path, context, deps, async (place) => {
    if (!place.exists) return refused(await missingAt(place, "Use write to create it, or find the file by a part of its name."));
    const loaded = await loadBytes(place);
    if (!loaded.ok) return refused(loaded.error);
    const { bytes: before, stats } = loaded.value;
    const known = deps.tracker.lastSeen(place.real);
    const computed = await deps.computer.compute(
      { type: "edit", path: place.shown, before, edits: input.edits, ...(known === undefined ? {} : { known }) },
      context.signal,
    );
    if (!computed.ok) return refused(computed.error);
    return commitChange({ place, madeFrom: stats, computed: computed.value, isUnseen: false }, context, deps);
  });
}

/** Resolves the recorded path again and works under its lock, whatever spelling it was asked for by. */
async function onPlace(
  recorded: string,
  context: EffectContext,
  deps: ChangeDeps,
  work: (place: Place) => Promise<ChangeReply>,
): Promise<ChangeReply> {
  const first = await confirmPlace(recorded, context);
  if (!first.ok) return refused(first.error);
  return deps.locks.run(first.value.real, async () => {
    // A call before this one may have made the file.
    const place = await confirmPlace(recorded, context);
    return place.ok ? work(place.value) : refused(place.error);
  });
}

export interface LoadedFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

export async function loadBytes(place: Pick<Place, "real" | "shown">): Promise<Result<LoadedFile, Diagnostic>> {
  const opened = await openRegular(place.real, place.shown);
  if (!opened.ok) return opened;
  const { handle, stats } = opened.value;
  try {
    if (stats.size > MAX_EDIT_BYTES) return err(tooLarge(place.shown, stats.size, MAX_EDIT_BYTES));
    return ok({ bytes: await handle.readFile(), stats });
  } catch (error) {
    return err(systemFailure(error, place.shown, "read"));
  } finally {
    await handle.close();
  }
}

interface PreparedChange {
  readonly place: Place;
  readonly madeFrom: Stats | "absent";
  readonly computed: Computed;
  /** Whether it replaces content that the session never saw. */
  readonly isUnseen: boolean;
}

async function commitChange(
  { place, madeFrom, computed, isUnseen }: PreparedChange,
  context: EffectContext,
  deps: ChangeDeps,
): Promise<ChangeReply> {
  const { bytes, digest, replacements, report } = computed;
  const output = { path: place.shown, replacements, ...report };
  if (computed.isSame) {
    deps.tracker.saw(place.real, digest);
    return { outcome: "not-applied", result: ok({ ...output, created: false }) };
  }
  const made = await makeDataFolder(place.real, context);
  if (!made.ok) return refused(made.error);
  const { real, shown, recorded: touched } = place;
  const { signal } = context;
  const done = await swapFile({ real, shown, bytes, madeFrom, unique: deps.ids.next(), signal, leftovers: deps.leftovers });
  if (done.outcome !== "applied")
    return { outcome: done.outcome, result: err(done.error), ...(done.outcome === "unknown" ? { touched } : {}) };
  deps.tracker.saw(real, digest);
  const created = madeFrom === "absent";
  return { outcome: "applied", result: ok({ ...output, created, ...(isUnseen ? { replacedUnseen: true } : {}) }), touched };
}
