import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { SessionId } from "../../../../src/base/index.js";
import { bundled } from "../../support/program.js";

/** A bundled program and the processes started of it. All are gone after `remove`. */
export interface Contenders {
  start(dir: string, id: SessionId): Contender;
  remove(): Promise<void>;
}

export interface Contender {
  readonly pid: number;
  readonly child: ChildProcess;
  /** All lines so far. */
  readonly lines: readonly string[];
  /** Sends a command and gives the line that answers it. */
  ask(command: string): Promise<string>;
  send(command: string): void;
  /** Resolves when at least that many lines were printed; rejects when the process ended before. */
  reached(count: number): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Kills it at once; resolves when it is gone and every line it wrote is read. */
  kill(): Promise<void>;
}

export async function bundleContender(): Promise<Contenders> {
  const program = await bundled(new URL("./contender.ts", import.meta.url));
  const all: Contender[] = [];
  return {
    start: (dir, id) => {
      const contender = startProcess([program.path, dir, id]);
      all.push(contender);
      return contender;
    },
    remove: async () => {
      await Promise.all(all.map((contender) => contender.kill()));
      await program.remove();
    },
  };
}

function startProcess(args: readonly string[]): Contender {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  if (child.pid === undefined) throw new Error("the process did not start");
  // Commands to a process that was killed go nowhere; its answer is missed, not the pipe.
  child.stdin.on("error", () => undefined);
  const lines: string[] = [];
  let wake: () => void = () => undefined;
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    wake();
  });
  const closed = once(reader, "close").then(() => "closed" as const);
  const exited = once(child, "exit");
  const reached = async (count: number): Promise<void> => {
    while (lines.length < count) {
      const more = new Promise<"more">((resolve) => {
        wake = () => resolve("more");
      });
      if ((await Promise.race([more, closed])) === "closed" && lines.length < count) throw new Error("the process ended early");
    }
  };
  const send = (command: string): void => void child.stdin.write(`${command}\n`);
  return {
    pid: child.pid,
    child,
    lines,
    reached,
    send,
    ask: async (command) => {
      const count = lines.length + 1;
      send(command);
      await reached(count);
      return lines[count - 1] ?? "";
    },
    signal: (name) => void child.kill(name),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exited;
      await closed;
    },
  };
}
