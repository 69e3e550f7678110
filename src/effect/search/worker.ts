/** Entry of the search thread: one task at a time, synchronous inside, stopped through shared memory. */
import { parentPort } from "node:worker_threads";
import { err, invariant } from "../../base/index.js";
import { searchFailed } from "./failures.js";
import { find } from "./find.js";
import { grep } from "./grep.js";
import { list } from "./list.js";
import type { SearchBegun, SearchRequest, SearchResponse, SearchTask, StopFlag } from "./task.js";
import { readStop } from "./task.js";

function perform(task: SearchTask, stop: StopFlag): SearchResponse["result"] {
  switch (task.op) {
    case "find":
      return find(task.input, task.scope, stop);
    case "grep":
      return grep(task.input, task.scope, stop);
    case "list":
      return list(task.input, task.scope, stop);
  }
}

function answer({ id, task, stop }: SearchRequest): SearchResponse {
  const cell = new Int32Array(stop);
  try {
    return { id, result: perform(task, () => readStop(cell)) };
  } catch (error) {
    return { id, result: err(searchFailed(error instanceof Error ? error.message : String(error))) };
  }
}

const port = parentPort;
invariant(port !== null, "the search worker runs in a thread");
port.on("message", (request: SearchRequest) => {
  const begun: SearchBegun = { id: request.id, result: "begun" };
  port.postMessage(begun);
  port.postMessage(answer(request));
});
