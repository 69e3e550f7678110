import type { WorkId } from "../../base/index.js";
import type { BranchStateEntry, Diagnostic, Entry, StateEntry, WorkEntry } from "../../schema/index.js";
import { sessionLimit, workOwnsUnsettled } from "./diagnostics.js";
import type { LiveFold } from "./fold.js";
import { SESSION_LIMITS, stateName } from "./types.js";
import { valueBytes } from "./value-bytes.js";

/** The change as far as it is checked; inherited work and state of a fork is checked where it is copied. */
interface Relevant {
  readonly works: readonly WorkEntry[];
  readonly states: readonly (StateEntry | BranchStateEntry)[];
}

/**
 * Whether a change may follow what was folded so far: within SESSION_LIMITS, and no work settles before the work it owns.
 * `undefined` when it may. What is over a bound already may stay so, and works the fold never saw are taken as they come.
 */
export function admit(fold: LiveFold, entries: readonly Entry[]): Diagnostic | undefined {
  const relevant = relevantOf(entries);
  if (relevant === undefined) return undefined;
  return checkWorks(fold, relevant.works) ?? checkStates(fold, relevant.states);
}

function relevantOf(entries: readonly Entry[]): Relevant | undefined {
  let works: WorkEntry[] | undefined;
  let states: (StateEntry | BranchStateEntry)[] | undefined;
  for (const entry of entries) {
    if (entry.inherited === true) continue;
    if (entry.type === "work") (works ??= []).push(entry);
    else if (entry.type === "state" || entry.type === "branch-state") (states ??= []).push(entry);
  }
  return works === undefined && states === undefined ? undefined : { works: works ?? [], states: states ?? [] };
}

/** Live works after the change: parents by work, for those the change touches; `undefined` for settled ones. */
type Changed = ReadonlyMap<WorkId, { readonly parent: WorkId | undefined } | undefined>;

function checkWorks(fold: LiveFold, entries: readonly WorkEntry[]): Diagnostic | undefined {
  if (entries.length === 0) return undefined;
  const { works } = fold.parts;
  const changed = changedWorks(fold, entries);
  let count = works.size;
  for (const [work, live] of changed) count += Number(live !== undefined) - Number(works.has(work));
  return (
    over("live works", count, { limit: SESSION_LIMITS.liveWorks, before: works.size }) ??
    over("works owning each other", deepest(fold, changed), { limit: SESSION_LIMITS.ownershipDepth, before: 0 }) ??
    orphaned(fold, changed)
  );
}

function changedWorks(fold: LiveFold, entries: readonly WorkEntry[]): Changed {
  const changed = new Map<WorkId, { readonly parent: WorkId | undefined } | undefined>();
  for (const { work, state, parentWork } of entries) {
    const known = changed.get(work)?.parent ?? fold.parts.works.get(work)?.parent;
    changed.set(work, state === "settled" ? undefined : { parent: parentWork ?? known });
  }
  return changed;
}

/** Depth of the deepest work that the change begins or gives another owner; a chain that runs in a circle counts as too deep. */
function deepest(fold: LiveFold, changed: Changed): number {
  const { works } = fold.parts;
  let deepestDepth = 0;
  for (const [work, live] of changed) {
    const known = works.get(work);
    if (live === undefined || (known !== undefined && known.parent === live.parent)) continue;
    let depth = 1;
    for (let parent = live.parent; parent !== undefined && depth <= SESSION_LIMITS.ownershipDepth; depth += 1) {
      parent = (changed.has(parent) ? changed.get(parent) : works.get(parent))?.parent;
    }
    deepestDepth = Math.max(deepestDepth, depth);
  }
  return deepestDepth;
}

/** A work that would stay behind when its parent settles. */
function orphaned(fold: LiveFold, changed: Changed): Diagnostic | undefined {
  const settles = (work: WorkId | undefined): boolean => work !== undefined && changed.has(work) && changed.get(work) === undefined;
  if (![...changed.values()].includes(undefined)) return undefined;
  for (const [work, live] of changed) {
    if (live?.parent !== undefined && settles(live.parent)) return workOwnsUnsettled(live.parent, work);
  }
  for (const { work, parent } of fold.parts.works.values()) {
    if (parent !== undefined && settles(parent) && !changed.has(work)) return workOwnsUnsettled(parent, work);
  }
  return undefined;
}

/** Items that end because their work settles in the same change still count: the bound holds at every moment of it. */
function checkStates(fold: LiveFold, entries: Relevant["states"]): Diagnostic | undefined {
  const { states } = fold.parts;
  const sizes = new Map<string, number | undefined>();
  for (const entry of entries) {
    const size = entry.operation === "put" ? valueBytes(entry.value) : undefined;
    const excess = over("bytes in one value of state", size ?? 0, { limit: SESSION_LIMITS.stateValueBytes, before: 0 });
    if (excess !== undefined) return excess;
    if (entry.type === "state") sizes.set(stateName(entry.owner, entry.key), size);
  }
  let count = states.size;
  let bytes = fold.stateBytes;
  for (const [name, size] of sizes) {
    count += Number(size !== undefined) - Number(states.has(name));
    bytes += (size ?? 0) - (states.get(name)?.bytes ?? 0);
  }
  return (
    over("pieces of state", count, { limit: SESSION_LIMITS.stateItems, before: states.size }) ??
    over("bytes of state", bytes, { limit: SESSION_LIMITS.stateBytes, before: fold.stateBytes })
  );
}

/** What is over a bound already may stay, but not grow. */
const over = (unit: string, after: number, bound: { readonly limit: number; readonly before: number }): Diagnostic | undefined =>
  after > bound.limit && after > bound.before ? sessionLimit(unit, after, bound.limit) : undefined;
