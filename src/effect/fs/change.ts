import type { Stats } from "node:fs";
import { err, ok } from "../../base/index.js";
import type { IdSource, Result } from "../../base/index.js";
import type { Diagnostic, FsChangeOutput, FsEditInput, FsWriteInput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import type { Place } from "../paths/index.js";
import { confirmPlace, notFound, openRegular, systemFailure } from "../paths/index.js";
import { unifiedDiff } from "../text/index.js";
import { makeDataFolder } from "./data-folder.js";
import { notText, staleFile, tooLarge } from "./failures.js";
import type { PathLocks } from "./locks.js";
import { replaceAll } from "./replace.js";
import { replaceFile } from "./replace-file.js";
import type { TextFile } from "./text-file.js";
import { decodeFile, encodeFile, fromUnits, toUnits } from "./text-file.js";
import type { FileTracker } from "./tracker.js";
import { digestOf } from "./tracker.js";

/** Files are edited in memory. */
const MAX_EDIT_BYTES = 32 * 1024 * 1024;

export interface ChangeDeps {
  readonly ids: IdSource;
  readonly tracker: FileTracker;
  readonly locks: PathLocks;
}

type ChangeReply = EffectReply<FsChangeOutput>;

const refused = (error: Diagnostic): ChangeReply => ({ outcome: "not-applied", result: err(error) });

/**
 * Creates or replaces a file. A file that is there keeps its mode, its encoding and byte order mark, and its line ends when
 * they are all `\r\n` and the content has none; the same content again writes nothing. Overwriting says what the whole file
 * shall be, so it is not checked for staleness.
 */
export function writeFile(input: FsWriteInput, context: EffectContext, deps: ChangeDeps): Promise<ChangeReply> {
  return onPlace(input.path, context, deps, async (place) => {
    const before = place.exists ? await loadBytes(place) : undefined;
    if (before?.ok === false) return refused(before.error);
    const bytes = contentBytes(input.content, before?.value.bytes);
    return commitChange({ place, before: before?.value, bytes, replacements: 0, isGuarded: false }, context, deps);
  });
}

/**
 * Applies exact replacements to the file as it is on disk now. When the session has read (or written) the file and its
 * content is another one today, the edit is refused even if every text still matches: the model decided on something
 * else than what is there. A file the session has not seen may be edited, since exact matching protects it.
 */
export function editFile(input: FsEditInput, context: EffectContext, deps: ChangeDeps): Promise<ChangeReply> {
  return onPlace(input.path, context, deps, async (place) => {
    if (!place.exists) return refused(notFound(place.shown, "Use write to create it, or find the file by a part of its name."));
    const loaded = await loadBytes(place);
    if (!loaded.ok) return refused(loaded.error);
    const { bytes } = loaded.value;
    if (deps.tracker.isStale(place.real, digestOf(bytes))) return refused(staleFile(place.shown));
    const file = decodeFile(bytes);
    if (file === undefined) return refused(notText(place.shown, bytes.length));
    const replaced = replaceAll(file, place.shown, input.edits);
    if (!replaced.ok) return refused(replaced.error);
    const fresh = encodeFile({ ...file, units: replaced.value.units });
    return commitChange(
      { place, before: loaded.value, bytes: fresh, replacements: replaced.value.replacements, isGuarded: true },
      context,
      deps,
    );
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

interface Loaded {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

async function loadBytes(place: Place): Promise<Result<Loaded, Diagnostic>> {
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

function contentBytes(content: string, before: Buffer | undefined): Buffer {
  const file = before === undefined || before.length === 0 ? undefined : decodeFile(before);
  if (file === undefined) return Buffer.from(content, "utf8");
  const hasOwnMark = content.startsWith("\ufeff") && file.mark.length > 0;
  const units = toUnits(hasOwnMark ? content.slice(1) : content, file.encoding);
  const isReturned = !content.includes("\r") && /\r\n/u.test(file.units) && !/(?<!\r)\n/u.test(file.units);
  return encodeFile({ ...file, units: isReturned ? units.replaceAll("\n", "\r\n") : units });
}

interface PreparedChange {
  readonly place: Place;
  readonly before: Loaded | undefined;
  readonly bytes: Buffer;
  readonly replacements: number;
  /** Whether the file must still be the one `before` was read from. */
  readonly isGuarded: boolean;
}

async function commitChange(prepared: PreparedChange, context: EffectContext, deps: ChangeDeps): Promise<ChangeReply> {
  const { place, before, bytes, replacements } = prepared;
  const report = await unifiedDiff({ path: place.shown, before: readable(before?.bytes), after: readable(bytes) ?? "" });
  const output = { path: place.shown, replacements, ...report };
  if (before?.bytes.equals(bytes) === true) {
    deps.tracker.saw(place.real, digestOf(bytes));
    return { outcome: "not-applied", result: ok({ ...output, created: false }) };
  }
  const made = await makeDataFolder(place.real, context);
  if (!made.ok) return refused(made.error);
  const done = await replaceFile({
    real: place.real,
    shown: place.shown,
    bytes,
    unique: deps.ids.next(),
    signal: context.signal,
    ...(prepared.isGuarded && before !== undefined ? { madeFrom: before.stats } : {}),
  });
  const touched = place.recorded;
  if (done.outcome !== "applied")
    return { outcome: done.outcome, result: err(done.error), ...(done.outcome === "unknown" ? { touched } : {}) };
  deps.tracker.saw(place.real, digestOf(bytes));
  return { outcome: "applied", result: ok({ ...output, created: done.created }), touched };
}

/** Text for the diff; binary content that is overwritten is not shown. */
function readable(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const file: TextFile | undefined = decodeFile(bytes);
  return file === undefined ? "" : fromUnits(file.units, file.encoding);
}
