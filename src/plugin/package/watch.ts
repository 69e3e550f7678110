import { type FSWatcher, realpathSync, watch } from "node:fs";
import type { Clock } from "../../base/index.js";
import { walkPackage } from "./walk.js";

/** Silence after a change before it is told: editors and checkouts write in bursts. */
const QUIET_MS = 150;
/** A folder that is written to without a pause is told of all the same. */
const LONGEST_BURST_MS = 1_000;
/** How often the folder is looked at where the system reports nothing: it is gone, or watches have run out. */
const POLL_MS = 1_000;
/** Folders may appear while watches are put up. */
const MAX_ROUNDS = 3;

export interface PackageWatch {
  /** Nothing is told, and nothing left behind, once it returned. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Tells of changes to what counts in a package, until closed; changes after the call are not missed, so load after it. Each folder
 * is watched by itself, and all of them anew after each change: that needs no support for whole trees, and survives folders and files
 * that are deleted, renamed over or made again. `onChange` is not told what changed, nor of changes to ignored files.
 */
export function watchPackage(dir: string, onChange: () => void, { clock }: { readonly clock: Clock }): PackageWatch {
  const ended = new AbortController();
  const state: Watch = { root: realPathOf(dir), watchers: [], isBlind: false, events: 0, wake: () => undefined };
  let known = arm(state);
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await change(state, clock, ended.signal);
      await quiet(state, clock, ended.signal);
      if (ended.signal.aborted) break;
      const now = arm(state);
      if (now === known) continue;
      known = now;
      onChange();
    }
  };
  const done = run().finally(() => disarm(state.watchers));
  return {
    close: () => {
      ended.abort("closed");
      state.wake();
      return done;
    },
  };
}

interface Watch {
  readonly root: string;
  watchers: readonly FSWatcher[];
  /** Some folder has no watch. */
  isBlind: boolean;
  /** Counts reports of the system. */
  events: number;
  wake: () => void;
}

/** Puts up watches for the folders as they are now, and returns the state of the files they will report changes of. */
function arm(state: Watch): string {
  let tree = walkPackage(state.root);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const old = state.watchers;
    const folders = tree.folders;
    const fresh = folders.map((folder) => watchFolder(state, folder));
    state.watchers = fresh.filter((watcher) => watcher !== undefined);
    state.isBlind = state.watchers.length < fresh.length;
    disarm(old);
    tree = walkPackage(state.root);
    if (tree.folders.join("\n") === folders.join("\n")) break;
  }
  return JSON.stringify([tree.files, tree.problems]);
}

function watchFolder(state: Watch, folder: string): FSWatcher | undefined {
  const report = (): void => {
    state.events += 1;
    state.wake();
  };
  try {
    const watcher = watch(folder, { persistent: false }, report);
    watcher.on("error", report);
    return watcher;
  } catch {
    return undefined;
  }
}

function disarm(watchers: readonly FSWatcher[]): void {
  for (const watcher of watchers) watcher.close();
}

/** Until something is reported, or until it is time to look where nothing is. */
async function change(state: Watch, clock: Clock, signal: AbortSignal): Promise<void> {
  const seen = state.events;
  const reported = new Promise<void>((resolve) => {
    state.wake = resolve;
    if (signal.aborted || state.events !== seen) resolve();
  });
  if (!state.isBlind) return reported;
  const wait = new AbortController();
  await Promise.race([reported, clock.sleep(POLL_MS, wait.signal)]);
  wait.abort("over");
}

async function quiet(state: Watch, clock: Clock, signal: AbortSignal): Promise<void> {
  const began = clock.monotonic();
  let seen: number;
  do {
    seen = state.events;
    await clock.sleep(QUIET_MS, signal);
  } while (state.events !== seen && !signal.aborted && clock.monotonic() - began < LONGEST_BURST_MS);
}

function realPathOf(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
}
