/** Entry of the threads that search: synchronous inside, stopped through shared memory. */
import { parentPort, workerData } from "node:worker_threads";
import { err, invariant } from "../../base/index.js";
import { searchFailed } from "./failures.js";
import type { HelperRequest, SearchRequest, ThreadData, ThreadMessage } from "./pool/index.js";
import { createHelper, lead, openBoard } from "./pool/index.js";

const port = parentPort;
invariant(port !== null, "the search worker runs in a thread");
// Made by this folder alone.
const data = workerData as ThreadData;
const board = openBoard(data.board);
const tell = (message: ThreadMessage): void => {
  port.postMessage(message);
};

const faultOf = (id: number, error: unknown): ThreadMessage => ({
  id,
  type: "done",
  result: err(searchFailed(error instanceof Error ? error.message : String(error))),
});

switch (data.role) {
  case "leader":
    port.on("message", (request: SearchRequest) => {
      tell({ id: request.id, type: "begun" });
      try {
        lead(request, { board, helpers: data.helpers, tell });
      } catch (error) {
        tell(faultOf(request.id, error));
      }
    });
    break;
  case "helper": {
    const help = createHelper({ board, thread: data.thread, tell });
    data.leader.on("message", (request: HelperRequest) => {
      try {
        help(request);
      } catch (error) {
        tell(faultOf(request.id, error));
      }
    });
    board.arrive(data.thread);
  }
}
