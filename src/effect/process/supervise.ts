import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, IdSource } from "../../base/index.js";
import { errnoOf } from "../paths/index.js";
import type { OutputStream } from "./capture.js";
import type { Environment } from "./environment.js";
import { MARK_NAME, familyOf, markedGroup, signalFamily, signalProcess } from "./family.js";
import { createGuard, type Guard } from "./guard.js";

export const SUPERVISION = {
  /** Between SIGTERM and SIGKILL. */
  graceMs: 1000,
  /** After the exit: output is complete when nothing came for this long … */
  quietMs: 50,
  /** … or after this long at most. */
  drainMs: 250,
} as const;

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** A folder that exists. */
  readonly cwd: string;
  /** All of it; the mark of its family is added. */
  readonly env: Environment;
  /** Text for its standard input, closed after it; absent: it has none. */
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Both streams as they come. */
  readonly onData: (stream: OutputStream, chunk: Buffer) => void;
}

export interface ProcessEnd {
  readonly cause: "exit" | "timeout" | "abort";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** A descendant still holds an output pipe. */
  readonly leftRunning: boolean;
}

export interface SupervisorDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Starts programs and ends them with everything they started. */
export interface Supervisor {
  /** Its end, or the error name of a start that failed. An abort before the start is `ECANCELED`. */
  run(launch: Launch, signal: AbortSignal): Promise<ProcessEnd | string>;
  /** Ends programs that still run and groups that were left running. */
  close(): Promise<void>;
  /** SIGKILL to every group at once, without waiting: for a process that is about to end itself. */
  killNow(): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly mark: string;
  /** Resolves with the exit of the program itself, whoever still holds its pipes. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly openPipes: Set<OutputStream>;
  lastOutputMs: number;
}

/**
 * Each program has a session and group of its own without a terminal. It is done when its process exits. What it left in the
 * background lives on, its output read and dropped, until it ends or the supervisor closes; one that moved to a session of its
 * own, or holds none of the pipes, survives that too.
 */
export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { clock } = deps;
  const closing = new AbortController();
  const left = new Set<Running>();
  const active = new Map<Running, Promise<Ending>>();
  // Windows has no groups to end, and no shell to do it with.
  const guard = process.platform === "win32" ? undefined : createGuard();
  return {
    async run(launch, asked) {
      const signal = AbortSignal.any([asked, closing.signal]);
      if (signal.aborted) return "ECANCELED";
      guard?.start();
      const started = await start(launch, { ...deps, guard });
      if (typeof started === "string") return started;
      const ending = awaitEnd(started, { clock, signal, timeoutMs: launch.timeoutMs });
      active.set(started, ending);
      const { cause, exit } = await ending;
      active.delete(started);
      const leftRunning = started.openPipes.size > 0;
      if (leftRunning) {
        letGo(started, left, () => guard?.remove(started.pid));
      } else guard?.remove(started.pid);
      return { cause, exitCode: exit.code, signal: exit.signal, leftRunning };
    },
    async close() {
      closing.abort();
      // The guard gives what it still knows of the whole grace, also when it is gone already.
      await Promise.all(active.values());
      await Promise.all([...left].map((running) => endLeft(running, clock)));
      left.clear();
      await guard?.close();
    },
    killNow() {
      // The number of a group left behind may belong to others by now; only its own close can tell.
      for (const { pid } of active.keys()) signalProcess(-pid, "SIGKILL");
    },
  };
}

/** The running program, or the error name of a start that failed. */
async function start(launch: Launch, deps: SupervisorDeps & { readonly guard: Guard | undefined }): Promise<Running | string> {
  const mark = deps.ids.next();
  try {
    const child = spawn(launch.file, [...launch.args], {
      cwd: launch.cwd,
      env: { ...launch.env, [MARK_NAME]: mark },
      // A session of its own, so also a group of its own and no terminal to ask on.
      detached: true,
      stdio: [launch.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    if (child.pid !== undefined) deps.guard?.add(child.pid);
    await once(child, "spawn");
    feed(child, launch.stdin);
    return watch(child, { mark, clock: deps.clock, onData: launch.onData }) ?? "ESRCH";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

/** A program need not read what it is given. */
function feed(child: ChildProcess, text: string | undefined): void {
  if (text === undefined || child.stdin === null) return;
  child.stdin.on("error", () => undefined);
  child.stdin.end(text);
}

interface Watching extends Pick<Launch, "onData"> {
  readonly mark: string;
  readonly clock: Clock;
}

function watch(child: ChildProcess, { mark, clock, onData }: Watching): Running | undefined {
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) return undefined;
  const exited = new Promise<Awaited<Running["exited"]>>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const running: Running = { child, pid, mark, exited, openPipes: new Set(["stdout", "stderr"]), lastOutputMs: clock.monotonic() };
  for (const [stream, pipe] of [["stdout", stdout] as const, ["stderr", stderr] as const]) {
    pipe.on("data", (chunk: Buffer) => {
      running.lastOutputMs = clock.monotonic();
      onData(stream, chunk);
    });
    const end = (): void => {
      running.openPipes.delete(stream);
    };
    pipe.once("end", end).once("close", end).on("error", end);
  }
  return running;
}

interface Ending {
  readonly cause: ProcessEnd["cause"];
  readonly exit: Awaited<Running["exited"]>;
}

interface EndDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

async function awaitEnd(running: Running, { clock, signal, timeoutMs }: EndDeps): Promise<Ending> {
  const done = new AbortController();
  const limit = clock.sleep(Math.min(Math.max(1, timeoutMs), 2 ** 31 - 1), AbortSignal.any([signal, done.signal]));
  const first = await Promise.race([running.exited, limit.then(() => undefined)]);
  done.abort("over");
  if (first !== undefined) {
    await drain(running, clock);
    return { cause: "exit", exit: first };
  }
  const cause = signal.aborted ? "abort" : "timeout";
  await endFamily(running, clock);
  // A process in an uninterruptible wait of the kernel does not even end by SIGKILL.
  const exit = (await Promise.race([running.exited, clock.sleep(SUPERVISION.graceMs)])) ?? { code: null, signal: null };
  await drain(running, clock);
  return { cause, exit };
}

/** SIGTERM to everything the program started, SIGKILL to what is left after the grace. */
async function endFamily({ pid, mark }: Running, clock: Clock): Promise<void> {
  await signalFamily(pid, mark, "SIGTERM");
  const deadline = clock.monotonic() + SUPERVISION.graceMs;
  while (clock.monotonic() < deadline) {
    await clock.sleep(50);
    if (!(await isAlive(pid, mark))) break;
  }
  if (await isAlive(pid, mark)) await signalFamily(pid, mark, "SIGKILL");
}

async function isAlive(pid: number, mark: string): Promise<boolean> {
  if (process.platform === "linux") return (await familyOf(pid, mark)).length > 0;
  return signalProcess(-pid, 0);
}

/** What is in the pipes at the exit still belongs to the output; a background writer does not hold the call for ever. */
async function drain(running: Running, clock: Clock): Promise<void> {
  const exitMs = clock.monotonic();
  // Usually both pipes are at their end by then.
  await nextTurn();
  while (running.openPipes.size > 0) {
    await clock.sleep(10);
    // The pipes are read between timers: after a long pause of this thread they have not had their turn yet.
    await nextTurn();
    await nextTurn();
    const now = clock.monotonic();
    if (now - exitMs >= SUPERVISION.drainMs) return;
    if (now - Math.max(exitMs, running.lastOutputMs) >= SUPERVISION.quietMs) return;
  }
}

/** Keeps reading for a process left behind, so that it is not ended by a broken pipe, without keeping ours alive. */
function letGo(running: Running, left: Set<Running>, onGone: () => void): void {
  left.add(running);
  running.child.unref();
  running.child.stdin?.destroy();
  for (const pipe of [running.child.stdout, running.child.stderr]) {
    if (pipe === null) continue;
    pipe.removeAllListeners("data");
    pipe.resume();
    if (pipe instanceof Socket) pipe.unref();
    pipe.once("close", () => {
      if (running.openPipes.size > 0) return;
      left.delete(running);
      onGone();
    });
  }
}

async function endLeft(running: Running, clock: Clock): Promise<void> {
  const signalAll = async (signal: "SIGTERM" | "SIGKILL"): Promise<number> => {
    const members = await markedGroup(running.pid, running.mark);
    for (const pid of members) signalProcess(pid, signal);
    return members.length;
  };
  const deadline = clock.monotonic() + SUPERVISION.graceMs;
  let alive = await signalAll("SIGTERM");
  while (alive > 0 && clock.monotonic() < deadline) {
    await clock.sleep(50);
    alive = (await markedGroup(running.pid, running.mark)).length;
  }
  if (alive > 0) await signalAll("SIGKILL");
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
}
