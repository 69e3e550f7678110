import { err, invariant, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsPatchOutput } from "../../../schema/index.js";
import { confirmPlace, type Place } from "../../paths/index.js";
import type { EffectContext, EffectReply } from "../../types.js";
import { type ChangeDeps, loadBytes, MAX_EDIT_BYTES, refused } from "../change.js";
import { makeDataFolder } from "../data-folder.js";
import { tooLarge } from "../failures.js";
import { runOnAll } from "../locks.js";
import { digestOf } from "../tracker.js";
import { commitAll } from "./commit-all.js";
import { changesNothing } from "./failures.js";
import type { FilePatch } from "./file-patch.js";
import { applySection, type VirtualFile } from "./virtual-files.js";

/** A name as the patch spells it, and the real path it was found to be. */
export interface PlacedName {
  readonly named: string;
  readonly path: string;
}

export interface PatchRequest {
  readonly files: readonly FilePatch[];
  readonly places: readonly PlacedName[];
}

type PatchReply = EffectReply<FsPatchOutput>;

/** Works the whole patch out against the disk under the locks of all its files, and only then changes any. */
export async function patchFiles({ files, places }: PatchRequest, context: EffectContext, deps: ChangeDeps): Promise<PatchReply> {
  const first = await confirmAll(places, context);
  if (!first.ok) return refused(first.error);
  const reals = [...first.value.values()].map(({ real }) => real);
  return runOnAll(deps.locks, reals, async () => {
    // A call before this one may have made or moved some of them.
    const confirmed = await confirmAll(places, context);
    if (!confirmed.ok) return refused(confirmed.error);
    const loaded = await loadAll(confirmed.value);
    if (!loaded.ok) return refused(loaded.error);
    const fileOf = (name: string): VirtualFile => {
      const file = loaded.value.get(name);
      invariant(file !== undefined, "every name of the patch was placed");
      return file;
    };
    for (const file of files) {
      const done = await applySection(file, { computer: deps.computer, tracker: deps.tracker, signal: context.signal, fileOf });
      if (!done.ok) return refused(done.error);
    }
    return finish([...new Set(loaded.value.values())].filter(isChanged), context, deps);
  });
}

const isChanged = ({ before, after }: VirtualFile): boolean =>
  before === undefined || after === undefined ? before !== after : before.bytes !== after && !before.bytes.equals(after);

async function confirmAll(places: readonly PlacedName[], context: EffectContext): Promise<Result<ReadonlyMap<string, Place>, Diagnostic>> {
  const found = new Map<string, Place>();
  for (const { named, path } of places) {
    const place = await confirmPlace(path, context);
    if (!place.ok) return place;
    found.set(named, place.value);
  }
  return ok(found);
}

/** Two names of one file are one file. */
async function loadAll(places: ReadonlyMap<string, Place>): Promise<Result<ReadonlyMap<string, VirtualFile>, Diagnostic>> {
  const byReal = new Map<string, VirtualFile>();
  const byName = new Map<string, VirtualFile>();
  let total = 0;
  for (const [name, place] of places) {
    const known = byReal.get(place.real);
    const loaded = known !== undefined || !place.exists ? undefined : await loadBytes(place);
    if (loaded?.ok === false) return loaded;
    total += loaded?.value.bytes.length ?? 0;
    if (total > MAX_EDIT_BYTES) return err(tooLarge("What the patch changes", total, MAX_EDIT_BYTES));
    const file = known ?? { place, before: loaded?.value, after: loaded?.value.bytes, hunks: 0 };
    byReal.set(place.real, file);
    byName.set(name, file);
  }
  return ok(byName);
}

async function finish(files: readonly VirtualFile[], context: EffectContext, deps: ChangeDeps): Promise<PatchReply> {
  if (files.length === 0) return refused(changesNothing());
  const output = await outputOf(files, context, deps);
  if (!output.ok) return refused(output.error);
  for (const { place } of files) {
    const made = await makeDataFolder(place.real, context);
    if (!made.ok) return refused(made.error);
  }
  const done = await commitAll(files, context.signal, deps);
  const touchedOf = (changed: readonly VirtualFile[]): readonly string[] => changed.map(({ place }) => place.recorded);
  if (done.outcome !== "applied")
    return { outcome: done.outcome, result: err(done.error), ...(done.changed.length === 0 ? {} : { touched: touchedOf(done.changed) }) };
  for (const { place, after } of files) {
    if (after === undefined) deps.tracker.forget(place.real);
    else deps.tracker.saw(place.real, digestOf(after));
  }
  return { outcome: "applied", result: output, touched: touchedOf(files) };
}

/** What is told of each file; one that was moved is told once. */
async function outputOf(
  files: readonly VirtualFile[],
  context: EffectContext,
  deps: ChangeDeps,
): Promise<Result<FsPatchOutput, Diagnostic>> {
  const told: FsPatchOutput["files"][number][] = [];
  for (const file of files) {
    if (file.after === undefined && file.movedAway === true) continue;
    const one = await toldOf(file, context, deps);
    if (!one.ok) return one;
    told.push(one.value);
  }
  return ok({ files: told });
}

async function toldOf(
  file: VirtualFile,
  { signal }: EffectContext,
  { computer }: ChangeDeps,
): Promise<Result<FsPatchOutput["files"][number], Diagnostic>> {
  const { after, movedFrom, hunks } = file;
  const { shown: path } = file.place;
  const before = (movedFrom ?? file).before?.bytes;
  const sides = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  const computed = await computer.compute({ type: "diff", path, ...sides }, signal);
  if (!computed.ok) return computed;
  const { diff, addedLines, removedLines } = computed.value.report;
  const action = actionOf(file);
  const from = movedFrom === undefined ? {} : { from: movedFrom.place.shown };
  return ok({ path, action, created: action === "created", diff, addedLines, removedLines, replacements: hunks, ...from });
}

function actionOf({ before, after, movedFrom }: VirtualFile): FsPatchOutput["files"][number]["action"] {
  if (after === undefined) return "deleted";
  if (movedFrom !== undefined) return "moved";
  return before === undefined ? "created" : "changed";
}
