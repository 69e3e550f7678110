import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type Clock, type IdSource, invariant } from "../../base/index.js";
import { errnoOf } from "../paths/index.js";
import type { Environment } from "./environment.js";
import { MARK_NAME } from "./family.js";
import type { Guard } from "./guard.js";
import type { OutputStream, Room } from "./output/index.js";
import type { OpenTerminal, Terminal } from "./terminal.js";

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** A folder that exists. */
  readonly cwd: string;
  /** All of it; the mark of its family is added. */
  readonly env: Environment;
  /** Text for its standard input, closed after it; absent: it has none. */
  readonly stdin?: string;
  /** Gives it a terminal: input is typed, all output comes as `stdout`. */
  readonly terminal?: OpenTerminal;
  readonly timeoutMs: number;
  /** What it leaves running is ended with the supervisor, wherever it went. */
  readonly owned?: boolean;
  /** Both streams as they come; not read on before there is room. */
  readonly onData: (stream: OutputStream, chunk: Buffer) => Room;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that was started. */
export interface Running {
  readonly pid: number;
  readonly mark: string;
  /** Resolves with the exit of the program itself, whoever still holds its pipes. */
  readonly exited: Promise<Exit>;
  /** Somebody still holds its output. */
  isOpen(): boolean;
  /** Output waits for room. */
  isHeldUp(): boolean;
  lastOutputMs(): number;
  /** Reads on and drops what comes, without keeping this process alive; `onGone` when nobody holds the output any more. */
  letGo(onGone: () => void): void;
  /** Stops reading. */
  destroy(): void;
}

export interface StartDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly guard: Guard | undefined;
}

/** The running program, or the error name of a start that failed. */
export async function start(launch: Launch, { clock, ids, guard }: StartDeps): Promise<Running | string> {
  const mark = ids.next();
  const env = { ...launch.env, [MARK_NAME]: mark };
  let seat: Seat | undefined;
  try {
    seat = launch.terminal === undefined ? pipes(launch) : onTerminal(launch, launch.terminal());
    if (seat === undefined) return "EAGAIN";
    // Before it can do anything: this process may be killed before it knows the number of the other.
    guard?.add(undefined, mark);
    // A session of its own, so also a group of its own and no terminal to ask on.
    const child = spawn(seat.file, [...seat.args], { cwd: launch.cwd, env, detached: true, stdio: [...seat.stdio] });
    if (child.pid !== undefined) guard?.add(child.pid, mark);
    await once(child, "spawn");
    feed(child, launch.stdin);
    return watch(child, mark, { clock, onData: launch.onData, sources: seat.sources(child) });
  } catch (error) {
    guard?.remove(mark);
    seat?.discard();
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

/** Where the output of a program comes from. */
interface Source {
  readonly stream: OutputStream;
  readonly from: Readable;
  /** The program has ended: reads what is there; whether that was all. Absent: the stream itself comes to its end. */
  readonly finish?: (take: (chunk: Buffer) => void) => boolean;
}

/** What is started, and how it is listened to. */
interface Seat extends Pick<Launch, "file" | "args"> {
  readonly stdio: readonly ("pipe" | "ignore")[];
  sources(child: ChildProcess): readonly Source[];
  /** It was not started after all. */
  discard(): void;
}

const pipes = ({ file, args, stdin }: Launch): Seat => ({
  file,
  args,
  stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  sources: ({ stdout, stderr }) => {
    invariant(stdout !== null && stderr !== null, "a program without the pipes it was given");
    return [
      { stream: "stdout", from: stdout },
      { stream: "stderr", from: stderr },
    ];
  },
  discard: () => undefined,
});

/** Takes the terminal for its own, as the first one opened in a session of its own is, and goes on as the program. */
const SEATED = 'exec "$@" <>"$0" >&0 2>&1';

function onTerminal({ file, args, stdin = "" }: Launch, terminal: Terminal | undefined): Seat | undefined {
  if (terminal === undefined) return undefined;
  return {
    file: "/bin/sh",
    args: ["-c", SEATED, terminal.path, file, ...args],
    stdio: ["ignore", "ignore", "ignore"],
    sources: () => {
      terminal.type(stdin);
      return [{ stream: "stdout", from: terminal.output, finish: terminal.finish }];
    },
    discard: terminal.close,
  };
}

/** A program need not read what it is given. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  if (text === undefined || stdin === null) return;
  stdin.on("error", () => undefined);
  stdin.end(text);
}

interface Watching extends Pick<Launch, "onData"> {
  readonly clock: Clock;
  readonly sources: readonly Source[];
}

function watch(child: ChildProcess, mark: string, { clock, onData, sources }: Watching): Running {
  const { pid } = child;
  invariant(pid !== undefined, "a program that was started has a number");
  const open = new Set(sources);
  let lastOutputMs = clock.monotonic();
  const flow = createFlow(onData);
  for (const source of sources) {
    const { stream, from } = source;
    from.on("data", (chunk: Buffer) => {
      lastOutputMs = clock.monotonic();
      flow.take(stream, chunk, from);
    });
    const end = (): void => {
      open.delete(source);
    };
    from.once("end", end).once("close", end).on("error", end);
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      for (const source of sources) {
        if (source.finish?.((chunk) => flow.take(source.stream, chunk)) === true) open.delete(source);
      }
      resolve({ code, signal });
    });
  });
  return {
    pid,
    mark,
    exited,
    isOpen: () => open.size > 0,
    isHeldUp: flow.isHeldUp,
    lastOutputMs: () => lastOutputMs,
    letGo(onGone) {
      child.unref();
      child.stdin?.destroy();
      for (const { from } of sources) {
        from.removeAllListeners("data");
        from.resume();
        if (from instanceof Socket) from.unref();
        from.once("close", () => {
          if (open.size === 0) onGone();
        });
      }
    },
    destroy() {
      for (const { from } of sources) from.destroy();
    },
  };
}

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Hands chunks on; what is faster than its reader is paused. */
function createFlow(onData: Launch["onData"]): {
  readonly take: (stream: OutputStream, chunk: Buffer, from?: Pausable) => void;
  readonly isHeldUp: () => boolean;
} {
  let held = 0;
  return {
    take(stream, chunk, from) {
      const room = onData(stream, chunk);
      if (room === undefined) return;
      held += 1;
      from?.pause();
      const goOn = (): void => {
        held -= 1;
        from?.resume();
      };
      room.then(goOn, goOn);
    },
    isHeldUp: () => held > 0,
  };
}
