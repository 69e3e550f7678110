import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, err, ok, parseJson, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { ModelSnapshot } from "../catalog/types.js";
import { isAbsent, readBounded, reasonOf, sweepAbandoned, writeWhole } from "./cache-file.js";
import { snapshotDamaged, snapshotTooLarge, snapshotUnwritten } from "./diagnostics.js";
import { readSnapshot } from "./reader.js";

const MAX_BYTES = 4 * 1024 * 1024;
/** Raised when the shape changes; files of another format are then foreign. */
const FORMAT = 1;
/** The newest and the one before it: what is left when the newest is damaged. */
const KEPT = 2;
/** One from further in the future was made by a clock that was wrong; it would be the newest for good. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** How often the folder is looked through for one load. */
const MAX_LOOKS = 3;

const NAME = /^models-(\d{15})\.json$/u;
const nameOf = (startedAt: number): string => `models-${String(startedAt).padStart(15, "0")}.json`;

export interface SnapshotStoreDeps {
  /** Absolute; made when something is published. */
  readonly dir: string;
  readonly clock: Pick<Clock, "now">;
}

/** What servers said, kept between runs. A file's name has its age, so that of two writers the newer counts whoever comes last. */
export interface SnapshotStore {
  /** The newest one that can be read. What cannot be is said, and the one before it is taken. Never rejects. */
  load(): Promise<{ readonly snapshot?: ModelSnapshot; readonly notes: readonly Diagnostic[] }>;
  /**
   * Makes a snapshot the newest, whole or not at all. `stale`: there is a newer one, which stays. `aborted`: the signal did, before
   * it took its place.
   */
  publish(snapshot: ModelSnapshot, signal: AbortSignal): Promise<Result<"published" | "stale" | "aborted", Diagnostic>>;
}

interface Kept {
  readonly name: string;
  readonly startedAt: number;
}

export function createSnapshotStore({ dir, clock }: SnapshotStoreDeps): SnapshotStore {
  const isPlausible = ({ startedAt }: Kept): boolean => startedAt <= clock.now() + MAX_AHEAD_MS;
  const isStale = (kept: readonly Kept[], { startedAt }: ModelSnapshot): boolean =>
    kept.some((each) => isPlausible(each) && each.startedAt > startedAt);
  return {
    async load() {
      let notes: readonly Diagnostic[] = [];
      // Writers that came in between may have taken away all that was listed; what they wrote is there then.
      for (let look = 0; look < MAX_LOOKS; look += 1) {
        const kept = await keptIn(dir);
        if (!kept.ok) return { notes: [snapshotDamaged(dir, kept.error)] };
        const found = await firstReadable(dir, kept.value.slice(0, 2 * KEPT), isPlausible);
        if (found.snapshot !== undefined || kept.value.length === 0) return found;
        notes = found.notes;
        if (notes.length > 0) break;
      }
      return { notes };
    },
    async publish(snapshot, signal) {
      if (signal.aborted) return ok("aborted");
      const text = JSON.stringify({ format: FORMAT, ...snapshot });
      if (Buffer.byteLength(text) > MAX_BYTES) return err(snapshotTooLarge(Buffer.byteLength(text), MAX_BYTES));
      const before = await keptIn(dir);
      if (!before.ok) return err(snapshotUnwritten(dir, before.error));
      if (isStale(before.value, snapshot)) return ok("stale");
      try {
        if (!(await writeWhole(dir, nameOf(snapshot.startedAt), text, signal))) return ok("aborted");
      } catch (error) {
        return err(snapshotUnwritten(dir, reasonOf(error)));
      }
      const after = await keptIn(dir);
      await tidy(dir, after.ok ? after.value : [], isPlausible);
      await sweepAbandoned(dir, clock.now());
      return ok(after.ok && isStale(after.value, snapshot) ? "stale" : "published");
    },
  };
}

/** The first that can be read, and why those before it cannot. */
async function firstReadable(
  dir: string,
  kept: readonly Kept[],
  isPlausible: (kept: Kept) => boolean,
): Promise<{ readonly snapshot?: ModelSnapshot; readonly notes: readonly Diagnostic[] }> {
  const notes: Diagnostic[] = [];
  for (const each of kept) {
    const read = isPlausible(each) ? await readKept(dir, each) : { problem: "it is from the future" };
    if ("snapshot" in read) return { snapshot: read.snapshot, notes };
    if (read.problem !== "absent") notes.push(snapshotDamaged(join(dir, each.name), read.problem));
  }
  return { notes };
}

/** Newest first. */
async function keptIn(dir: string): Promise<Result<readonly Kept[], string>> {
  try {
    const names = await readdir(dir);
    const kept = names.flatMap((name) => {
      const digits = NAME.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, startedAt: Number(digits) }];
    });
    return ok(kept.sort((left, right) => right.startedAt - left.startedAt));
  } catch (error) {
    return isAbsent(error) ? ok([]) : err(reasonOf(error));
  }
}

async function readKept(
  dir: string,
  { name, startedAt }: Kept,
): Promise<{ readonly snapshot: ModelSnapshot } | { readonly problem: string }> {
  const read = await readBounded(join(dir, name), MAX_BYTES);
  if ("problem" in read) return read;
  const value = parseJson(read.text);
  if (value === undefined) return { problem: "it is not JSON" };
  const isOurs = typeof value === "object" && value !== null && "format" in value && value.format === FORMAT;
  const snapshot = isOurs ? readSnapshot(value) : undefined;
  return snapshot?.startedAt === startedAt ? { snapshot } : { problem: "it is not in the form this version writes" };
}

/** Older ones go, those that a wrong clock made too. Never rejects: one too many costs nothing, and the next publication tries again. */
async function tidy(dir: string, kept: readonly Kept[], isPlausible: (kept: Kept) => boolean): Promise<void> {
  const gone = [...kept.filter(isPlausible).slice(KEPT), ...kept.filter((each) => !isPlausible(each))];
  await Promise.allSettled(gone.map(async ({ name }) => rm(join(dir, name), { force: true, recursive: true })));
}
