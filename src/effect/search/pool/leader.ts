import type { MessagePort } from "node:worker_threads";
import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, GrepInput } from "../../../schema/index.js";
import type { BytePath } from "../../paths/index.js";
import { find } from "../find.js";
import type { Scan } from "../grep/index.js";
import { createScan } from "../grep/index.js";
import { list } from "../list.js";
import { compileKind, compilePattern } from "../pattern/index.js";
import type { SearchScope, StopFlag, TaskOf } from "../task.js";
import { readStop, SEARCH_BOUNDS } from "../task.js";
import type { WalkEntry } from "../walk/index.js";
import { newCounts, rootKind, rulesAround, walk } from "../walk/index.js";
import type { Board } from "./board.js";
import type { HelperRequest, SearchRequest, ThreadMessage, WalkedCounts } from "./messages.js";

export interface Leader {
  readonly board: Board;
  /** Helper 1 is the first. */
  readonly helpers: readonly MessagePort[];
  readonly tell: (message: ThreadMessage) => void;
}

/** Performs a search: what walks alone it does itself, files to be read it shares with those helpers that are there. */
export function lead(request: SearchRequest, leader: Leader): void {
  const { id, task } = request;
  const cell = new Int32Array(request.stop);
  const stop: StopFlag = () => readStop(cell);
  switch (task.op) {
    case "find":
      leader.tell({ id, type: "done", result: find(task.input, task.scope, stop) });
      return;
    case "list":
      leader.tell({ id, type: "done", result: list(task.input, task.scope, stop) });
      return;
    case "grep": {
      const walked = leadGrep({ id, task, stop, memory: request.stop }, leader);
      if (!walked.ok) leader.tell({ id, type: "done", result: walked });
    }
  }
}

interface GrepLead {
  readonly id: number;
  readonly task: TaskOf<"grep">;
  readonly stop: StopFlag;
  readonly memory: SharedArrayBuffer;
}

function leadGrep(lead: GrepLead, leader: Leader): Result<void, Diagnostic> {
  const { input, scope } = lead.task;
  const scan = createScan(input, scope, {
    stop: lead.stop,
    began: (path) => {
      leader.board.workOn(0, path);
    },
  });
  if (!scan.ok) return scan;
  const isWanted = compileFilter(input, scope);
  if (!isWanted.ok) return isWanted;
  const root = rootKind(scope);
  if (!root.ok) return root;
  const counts: WalkedCounts = { ...newCounts(), links: 0 };
  const give = createSharing(lead, leader, scan.value);
  const entries = root.value === "file" ? rootFile(scope, counts) : walkFor(input, scope, lead.stop, counts);
  let batches = 0;
  for (const batch of batchesOf(entries, isWanted.value, counts)) {
    give(batches, batch);
    batches += 1;
    if (lead.stop() !== "none") break;
  }
  const isWhole = lead.stop() === "none";
  leader.tell({ id: lead.id, type: "walked", batches, counts, isWhole, spansLines: scan.value.spansLines });
  return ok(undefined);
}

/** Regular files, so many at a time; always the same ones together. */
function* batchesOf(
  entries: Iterable<WalkEntry>,
  isWanted: (path: BytePath) => boolean,
  counts: WalkedCounts,
): Generator<readonly BytePath[]> {
  let batch: BytePath[] = [];
  for (const { path, kind } of entries) {
    if (kind === "directory" || kind === "other" || !isWanted(path)) continue;
    if (kind === "link") {
      counts.links += 1;
      continue;
    }
    batch.push(path);
    if (batch.length < SEARCH_BOUNDS.batchFiles) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function rootFile(scope: SearchScope, counts: WalkedCounts): readonly WalkEntry[] {
  counts.isRootIgnored = rulesAround(scope, false).isRootIgnored;
  return [{ path: scope.root, kind: "file" }];
}

const walkFor = (input: GrepInput, scope: SearchScope, stop: StopFlag, counts: WalkedCounts): Iterable<WalkEntry> =>
  walk(
    {
      scope,
      includeIgnored: input.includeIgnored === true,
      includeHidden: input.includeHidden !== false,
      maxDepth: Infinity,
      showGit: false,
      stop,
    },
    counts,
  );

function compileFilter(input: GrepInput, scope: SearchScope): Result<(path: BytePath) => boolean, Diagnostic> {
  const kind = input.fileType === undefined ? undefined : compileKind(input.fileType);
  if (kind?.ok === false) return err(kind.error);
  const glob = input.glob === undefined ? undefined : compilePattern(input.glob, scope);
  if (glob?.ok === false) return err(glob.error);
  const passedOver = new Set(scope.passedOver);
  return ok((path) => (kind?.value(path) ?? true) && (glob === undefined || glob.value.fit(path) !== "none") && !passedOver.has(path));
}

/** Batches that wait at a helper: it must not run dry while the leader reads files itself. */
const WAITING = 3;
/** So many batches are searched before others are called for. */
const ALONE = 2;

/** Gives files to the helper that has the least to do, or searches them here when all have enough. */
function createSharing(lead: GrepLead, { board, helpers, tell }: Leader, scan: Scan): (index: number, paths: readonly BytePath[]) => void {
  const told = new Set<number>();
  const idle = (): number | undefined => {
    const there = helpers.map((_, index) => index + 1).filter((thread) => board.isThere(thread) && board.pending(thread) < WAITING);
    return there.sort((a, b) => board.pending(a) - board.pending(b))[0];
  };
  const post = (thread: number, message: HelperRequest): void => {
    helpers[thread - 1]?.postMessage(message);
  };
  return (index, paths) => {
    const { id, task, memory } = lead;
    if (index === ALONE) tell({ id, type: "wide" });
    const thread = index < ALONE ? undefined : idle();
    if (thread === undefined) {
      tell({ id, type: "batch", index, result: scan.run(paths) });
      board.workOn(0, undefined);
      return;
    }
    if (!told.has(thread)) post(thread, { type: "search", id, task, stop: memory });
    told.add(thread);
    board.given(thread);
    post(thread, { type: "files", id, index, paths });
  };
}
