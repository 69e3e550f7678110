import type { IdSource } from "../../../base/index.js";
import type { Diagnostic, MutationState } from "../../../schema/index.js";
import type { Leftovers } from "../leftovers.js";
import { type StagedChange, stageChange } from "../swap.js";
import { type FileState, patchBroken } from "./failures.js";
import type { VirtualFile } from "./virtual-files.js";

export interface CommitDeps {
  readonly ids: IdSource;
  readonly leftovers: Leftovers;
}

export type CommitOutcome =
  | { readonly outcome: "applied" }
  | {
      readonly outcome: Exclude<MutationState, "applied">;
      readonly error: Diagnostic;
      /** Files that are, or may be, changed all the same. */
      readonly changed: readonly VirtualFile[];
    };

interface Readied {
  readonly file: VirtualFile;
  readonly staged: StagedChange;
}

/**
 * Changes all files or none. Everything that can fail early fails before the first is changed: all new content lies beside its file by
 * then. If one still cannot be put in place, those before it are put back; where even that fails, it is said which are left changed.
 * Files that go, go last.
 */
export async function commitAll(files: readonly VirtualFile[], signal: AbortSignal, deps: CommitDeps): Promise<CommitOutcome> {
  const ordered = [...files.filter(({ after }) => after !== undefined), ...files.filter(({ after }) => after === undefined)];
  const ready: Readied[] = [];
  let isClean = true;
  const closeAll = async (): Promise<void> => {
    for (const { staged } of ready.toReversed()) isClean = (await staged.close()) && isClean;
  };
  for (const file of ordered) {
    const staged = await stage(file, signal, deps);
    if ("outcome" in staged) {
      await closeAll();
      return { outcome: isClean ? staged.outcome : "unknown", error: staged.error, changed: [] };
    }
    ready.push({ file, staged });
  }
  // From the first change on it goes through: abort is obeyed before, not between.
  const done = await commitEach(ready);
  await closeAll();
  return done.outcome === "not-applied" && !isClean ? { ...done, outcome: "unknown" } : done;
}

const stage = ({ place, before, after, like }: VirtualFile, signal: AbortSignal, { ids, leftovers }: CommitDeps) =>
  stageChange({
    real: place.real,
    shown: place.shown,
    bytes: after,
    madeFrom: before?.stats ?? "absent",
    ...(like === undefined ? {} : { like }),
    unique: ids.next(),
    signal,
    leftovers,
  });

async function commitEach(ready: readonly Readied[]): Promise<CommitOutcome> {
  for (const [index, { file, staged }] of ready.entries()) {
    const done = await staged.commit(index > 0);
    if (done.outcome === "applied") continue;
    if (index === 0) return { ...done, changed: [] };
    const states = new Map<VirtualFile, FileState>(ready.map((each) => [each.file, "unchanged"]));
    for (const each of ready.slice(0, index).toReversed())
      states.set(each.file, (await each.staged.undo(each.file.before?.bytes)) ? "restored" : "changed");
    const changed = ready.map((each) => each.file).filter((each) => states.get(each) === "changed");
    const error = patchBroken({
      path: file.place.shown,
      cause: done.error,
      states: [...states].map(([{ place }, state]) => ({ path: place.shown, state })),
    });
    return { outcome: changed.length === 0 && done.outcome === "not-applied" ? "not-applied" : "unknown", error, changed };
  }
  return { outcome: "applied" };
}
