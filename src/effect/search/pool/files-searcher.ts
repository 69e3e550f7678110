import type { Scan } from "../grep/index.js";
import { createScan } from "../grep/index.js";
import { readStop } from "../task.js";
import type { Board } from "./board.js";
import type { HelperRequest, ThreadMessage } from "./messages.js";

export interface Helper {
  readonly board: Board;
  readonly thread: number;
  readonly tell: (message: ThreadMessage) => void;
}

/** Searches the files it is given. */
export function createHelper({ board, thread, tell }: Helper): (request: HelperRequest) => void {
  let current: { readonly id: number; readonly scan: Scan } | undefined;
  return (request) => {
    if (request.type === "search") {
      const cell = new Int32Array(request.stop);
      const { input, scope } = request.task;
      const began = (path: Parameters<Board["workOn"]>[1]): void => {
        board.workOn(thread, path);
      };
      const scan = createScan(input, scope, { stop: () => readStop(cell), began });
      // The leader has compiled the same pattern: it is one.
      current = scan.ok ? { id: request.id, scan: scan.value } : undefined;
      return;
    }
    if (current?.id === request.id) tell({ id: request.id, type: "batch", index: request.index, result: current.scan.run(request.paths) });
    board.workOn(thread, undefined);
    board.done(thread);
  };
}
