import { MessageChannel, Worker } from "node:worker_threads";
import { newBoard, openBoard } from "./board.js";
import type { Board } from "./board.js";
import type { SearchRequest, ThreadData, ThreadMessage } from "./messages.js";

/** One leader, started at once, and helpers, started when there is work for them. */
export interface Threads {
  readonly board: Board;
  readonly count: number;
  post(request: SearchRequest): void;
  /** Starts the helpers. */
  widen(): void;
  /** Hears all threads until the signal aborts; the process is kept alive so long. */
  listen(heard: Heard, until: AbortSignal): void;
  terminate(): Promise<void>;
}

export interface Heard {
  message(message: ThreadMessage): void;
  /** A thread ended, or failed. */
  failed(problem: string): void;
}

/** `count` threads in all; `ended` is called when one is gone, as it then has to be replaced with all others. */
export function startThreads(workerUrl: URL, count: number, ended: () => void): Threads {
  const memory = newBoard(count);
  const channels = Array.from({ length: count - 1 }, () => new MessageChannel());
  const workers: Worker[] = [];
  let listener: Heard | undefined;
  const start = (data: ThreadData, ports: readonly MessageChannel["port1"][]): Worker => {
    const worker = new Worker(workerUrl, { execArgv: [], workerData: data, transferList: [...ports] });
    worker.on("message", (message: ThreadMessage) => listener?.message(message));
    // A fault is told to the search that waits; one without a search must not count as uncaught.
    worker.on("error", (error: unknown) => listener?.failed(error instanceof Error ? error.message : String(error)));
    worker.once("exit", (code) => {
      listener?.failed(`its thread ended with ${String(code)}`);
      ended();
    });
    worker.unref();
    workers.push(worker);
    return worker;
  };
  const ports = channels.map(({ port1 }) => port1);
  const leader = start({ role: "leader", board: memory, helpers: ports }, ports);
  return {
    board: openBoard(memory),
    count,
    post: (request) => {
      leader.postMessage(request);
    },
    widen: () => {
      for (const { port2 } of channels.splice(0)) start({ role: "helper", board: memory, thread: workers.length, leader: port2 }, [port2]);
    },
    listen: (heard, until) => {
      listener = heard;
      leader.ref();
      until.addEventListener("abort", () => {
        listener = undefined;
        leader.unref();
      });
    },
    terminate: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
