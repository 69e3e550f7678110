import type { MessagePort } from "node:worker_threads";
import type { BatchResult } from "../grep/index.js";
import type { BytePath } from "../../paths/index.js";
import type { SearchResult, SearchTask, TaskOf } from "../task.js";
import type { WalkCounts } from "../walk/index.js";

/** What a thread of the pool is started with. */
export type ThreadData =
  | { readonly role: "leader"; readonly board: SharedArrayBuffer; readonly helpers: readonly MessagePort[] }
  | { readonly role: "helper"; readonly board: SharedArrayBuffer; readonly thread: number; readonly leader: MessagePort };

/** To the leader. */
export interface SearchRequest {
  readonly id: number;
  readonly task: SearchTask;
  readonly stop: SharedArrayBuffer;
}

/** From the leader to a helper: a search, then files of it. */
export type HelperRequest =
  | { readonly type: "search"; readonly id: number; readonly task: TaskOf<"grep">; readonly stop: SharedArrayBuffer }
  | { readonly type: "files"; readonly id: number; readonly index: number; readonly paths: readonly BytePath[] };

/** From any thread to the client. */
export type ThreadMessage = { readonly id: number } & (
  | { /** From here its time counts. */ readonly type: "begun" }
  /** There is work for more threads. */
  | { readonly type: "wide" }
  | { readonly type: "batch"; readonly index: number; readonly result: BatchResult }
  /** All files are given to somebody, in so many batches. */
  | {
      readonly type: "walked";
      readonly batches: number;
      readonly counts: WalkedCounts;
      readonly isWhole: boolean;
      readonly spansLines: boolean;
    }
  | { readonly type: "done"; readonly result: SearchResult }
);

export interface WalkedCounts extends WalkCounts {
  links: number;
}
