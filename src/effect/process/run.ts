import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { err, ok } from "../../base/index.js";
import type { Clock, IdSource } from "../../base/index.js";
import type { ProcessInput, ProcessOutput } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import { errnoOf, parseName, textOf } from "../paths/index.js";
import type { OutputCapture, OutputStream } from "./capture.js";
import { createCapture } from "./capture.js";
import type { Environment } from "./environment.js";
import { commandEnvironment, findShell } from "./environment.js";
import { commandStopped, spawnFailed } from "./failures.js";
import { familyOf, markedGroup, signalFamily, signalProcess } from "./family.js";
import { createGuard, type Guard } from "./guard.js";

export const PROCESS_BOUNDS = {
  /** UTF-8 bytes kept of the head, and again of the tail. */
  keepBytes: 32 * 1024,
  timeoutMs: 120_000,
  /** Between SIGTERM and SIGKILL. */
  graceMs: 1000,
  /** After the exit: output is complete when nothing came for this long … */
  quietMs: 50,
  /** … or after this long at most. */
  drainMs: 250,
  progressMs: 200,
  progressCharacters: 4096,
} as const;

export interface ProcessDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** What commands inherit. The composition has taken provider keys out. */
  readonly env: Environment;
}

type ProcessReply = EffectReply<ProcessOutput>;

export interface ProcessRunner {
  /** `input.cwd` is a checked folder in shown form. */
  run(input: ProcessInput & { readonly cwd: string }, context: EffectContext): Promise<ProcessReply>;
  /** Ends commands that still run and groups that were left running. */
  close(): Promise<void>;
  /** SIGKILL to every group at once, without waiting: for a process that is about to end itself. */
  killNow(): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly mark: string;
  readonly capture: OutputCapture;
  /** Resolves with the exit of the command itself, whoever still holds its pipes. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly openPipes: Set<OutputStream>;
  lastOutputMs: number;
}

/**
 * Runs command lines by the shell: a session and group of their own without a terminal, stdin at its end. A command is done
 * when its process exits. What it left in the background lives on, its output read and dropped, until it ends or the
 * runner closes; one that moved to a session of its own, or holds none of the pipes, survives that too.
 */
export function createProcessRunner(deps: ProcessDeps): ProcessRunner {
  const closing = new AbortController();
  const left = new Set<Running>();
  const active = new Set<Running>();
  // Windows has no groups to end, and no shell to do it with.
  const guard = process.platform === "win32" ? undefined : createGuard();
  let shell: Promise<string> | undefined;
  return {
    async run(input, context) {
      shell ??= findShell(deps.env);
      const program = await shell;
      const signal = AbortSignal.any([context.signal, closing.signal]);
      if (signal.aborted) return { outcome: "not-applied", result: err(commandStopped()) };
      const startedMs = deps.clock.monotonic();
      guard?.start();
      const started = await start(input, program, { ...deps, guard });
      if (typeof started === "string") return { outcome: "not-applied", result: err(spawnFailed(program, started)) };
      active.add(started);
      const settled = new AbortController();
      if (context.onProgress !== undefined) reportProgress(started, context.onProgress, deps.clock, settled.signal);
      const ending = await awaitEnd(started, { deps, signal, timeoutMs: input.timeoutMs ?? PROCESS_BOUNDS.timeoutMs });
      settled.abort("over");
      active.delete(started);
      const leftRunning = started.openPipes.size > 0;
      if (leftRunning) {
        letGo(started, left, () => guard?.remove(started.pid));
      } else guard?.remove(started.pid);
      const { text, omittedBytes } = started.capture.end();
      const { code: exitCode, signal: endSignal } = ending.exit;
      const durationMs = Math.round(deps.clock.monotonic() - startedMs);
      const cut = { timedOut: ending.cause === "timeout", aborted: ending.cause === "abort" };
      return {
        outcome: ending.cause === "exit" ? "applied" : "unknown",
        result: ok({ exitCode, signal: endSignal, ...cut, output: text, omittedBytes, durationMs, leftRunning }),
      };
    },
    async close() {
      closing.abort();
      await Promise.all([...left].map((running) => endLeft(running, deps.clock)));
      left.clear();
      await guard?.close();
    },
    killNow() {
      // The number of a group left behind may belong to others by now; only its own close can tell.
      for (const { pid } of active) signalProcess(-pid, "SIGKILL");
    },
  };
}

/** The running command, or the error name of a start that failed. */
async function start(
  input: ProcessInput & { readonly cwd: string },
  shell: string,
  deps: ProcessDeps & { readonly guard: Guard | undefined },
): Promise<Running | string> {
  const mark = deps.ids.next();
  try {
    const child = spawn(shell, ["-c", input.command], {
      cwd: textOf(parseName(input.cwd)),
      env: commandEnvironment(deps.env, mark),
      // A session of its own, so also a group of its own and no terminal to ask on.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid !== undefined) deps.guard?.add(child.pid);
    await once(child, "spawn");
    return watch(child, mark, deps.clock) ?? "ESRCH";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

function watch(child: ChildProcess, mark: string, clock: Clock): Running | undefined {
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) return undefined;
  const capture = createCapture(PROCESS_BOUNDS.keepBytes);
  const exited = new Promise<Awaited<Running["exited"]>>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const running: Running = { child, pid, mark, capture, exited, openPipes: new Set(["stdout", "stderr"]), lastOutputMs: clock.monotonic() };
  for (const [stream, pipe] of [["stdout", stdout] as const, ["stderr", stderr] as const]) {
    pipe.on("data", (chunk: Buffer) => {
      running.lastOutputMs = clock.monotonic();
      capture.push(stream, chunk);
    });
    const end = (): void => {
      running.openPipes.delete(stream);
    };
    pipe.once("end", end).once("close", end).on("error", end);
  }
  return running;
}

interface Ending {
  readonly cause: "exit" | "timeout" | "abort";
  readonly exit: Awaited<Running["exited"]>;
}

interface EndDeps {
  readonly deps: ProcessDeps;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

async function awaitEnd(running: Running, { deps, signal, timeoutMs }: EndDeps): Promise<Ending> {
  const done = new AbortController();
  const limit = deps.clock.sleep(Math.min(Math.max(1, timeoutMs), 2 ** 31 - 1), AbortSignal.any([signal, done.signal]));
  const first = await Promise.race([running.exited, limit.then(() => undefined)]);
  done.abort("over");
  if (first !== undefined) {
    await drain(running, deps.clock);
    return { cause: "exit", exit: first };
  }
  const cause = signal.aborted ? "abort" : "timeout";
  await endFamily(running, deps.clock);
  // A process in an uninterruptible wait of the kernel does not even end by SIGKILL.
  const exit = (await Promise.race([running.exited, deps.clock.sleep(PROCESS_BOUNDS.graceMs)])) ?? { code: null, signal: null };
  await drain(running, deps.clock);
  return { cause, exit };
}

/** SIGTERM to everything the command started, SIGKILL to what is left after the grace. */
async function endFamily({ pid, mark }: Running, clock: Clock): Promise<void> {
  await signalFamily(pid, mark, "SIGTERM");
  const deadline = clock.monotonic() + PROCESS_BOUNDS.graceMs;
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
    if (now - exitMs >= PROCESS_BOUNDS.drainMs) return;
    if (now - Math.max(exitMs, running.lastOutputMs) >= PROCESS_BOUNDS.quietMs) return;
  }
}

/** Keeps reading for a process left behind, so that it is not ended by a broken pipe, without keeping ours alive. */
function letGo(running: Running, left: Set<Running>, onGone: () => void): void {
  left.add(running);
  running.child.unref();
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
  const deadline = clock.monotonic() + PROCESS_BOUNDS.graceMs;
  let alive = await signalAll("SIGTERM");
  while (alive > 0 && clock.monotonic() < deadline) {
    await clock.sleep(50);
    alive = (await markedGroup(running.pid, running.mark)).length;
  }
  if (alive > 0) await signalAll("SIGKILL");
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
}

/** The tail, at most five times a second, until the command settles. */
function reportProgress(running: Running, report: (text: string) => void, clock: Clock, settled: AbortSignal): void {
  let isWaiting = false;
  const onData = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.sleep(PROCESS_BOUNDS.progressMs, settled).then(
      () => {
        isWaiting = false;
        if (!settled.aborted) report(running.capture.tail(PROCESS_BOUNDS.progressCharacters));
      },
      () => undefined,
    );
  };
  running.child.stdout?.on("data", onData);
  running.child.stderr?.on("data", onData);
}
