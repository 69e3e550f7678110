import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, IdSource } from "../../base/index.js";
import { familyOf, marked, markedGroup, signalFamily, signalProcess } from "./family.js";
import { createGuard } from "./guard.js";
import { type Exit, type Launch, type Running, start } from "./start.js";

export const SUPERVISION = {
  /** Between SIGTERM and SIGKILL. */
  graceMs: 1000,
  /** After the exit: output is complete when nothing came for this long … */
  quietMs: 50,
  /** … or after this long at most … */
  drainMs: 250,
  /** … or this long where the output waits for room. */
  heldUpMs: 10_000,
} as const;

export interface ProcessEnd {
  readonly cause: "exit" | "timeout" | "abort";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** A descendant still holds an output pipe, or, of an owned program, still runs. */
  readonly leftRunning: boolean;
  /** Ends what an owned program left running; whether that still ran. Absent where that is nothing. */
  readonly endRest?: () => Promise<boolean>;
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

/**
 * Each program has a session and group of its own without a terminal. It is done when its process exits. What it left in the
 * background lives on, its output read and dropped, until it ends or the supervisor closes; one that moved to a session of its
 * own, or holds none of the pipes, survives that too, unless the program is owned.
 */
export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { clock } = deps;
  const closing = new AbortController();
  const left = new Set<Left>();
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
      const ending = awaitEnd(started, { ...launch, clock, signal });
      active.set(started, ending);
      const { cause, exit, hasRest } = await ending;
      active.delete(started);
      const end = { cause, exitCode: exit.code, signal: exit.signal };
      const { pid, mark } = started;
      if (!started.isOpen() && !hasRest) {
        guard?.remove(mark);
        return { ...end, leftRunning: false };
      }
      const isOwned = launch.owned === true;
      const rest: Left = {
        running: started,
        members: async () => await (isOwned ? marked(mark) : markedGroup(pid, mark)),
        forget() {
          left.delete(rest);
          guard?.remove(mark);
        },
      };
      left.add(rest);
      if (isOwned) {
        guard?.remove(mark);
        guard?.add(undefined, mark);
      }
      started.letGo(() => {
        if (!isOwned) rest.forget();
      });
      return { ...end, leftRunning: true, ...(isOwned ? { endRest: async () => await endLeft(rest, clock) } : {}) };
    },
    async close() {
      closing.abort();
      // The guard gives what it still knows of the whole grace, also when it is gone already.
      await Promise.all(active.values());
      await Promise.all([...left].map((rest) => endLeft(rest, clock)));
      await guard?.close();
    },
    killNow() {
      // The number of a group left behind may belong to others by now; only its own close can tell.
      for (const { pid } of active.keys()) signalProcess(-pid, "SIGKILL");
    },
  };
}

/** What a program left behind, and whoever of it still runs. */
interface Left {
  readonly running: Running;
  readonly members: () => Promise<readonly number[]>;
  /** Nothing of it is left. */
  readonly forget: () => void;
}

interface Ending {
  readonly cause: ProcessEnd["cause"];
  readonly exit: Exit;
  /** Of an owned program: somebody carries its mark. */
  readonly hasRest: boolean;
}

interface EndDeps extends Pick<Launch, "owned" | "timeoutMs"> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function awaitEnd(running: Running, deps: EndDeps): Promise<Ending> {
  const end = await awaitExit(running, deps);
  return { ...end, hasRest: deps.owned === true && (await marked(running.mark)).length > 0 };
}

async function awaitExit(running: Running, { clock, signal, timeoutMs }: EndDeps): Promise<Omit<Ending, "hasRest">> {
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
  while (running.isOpen()) {
    await clock.sleep(10);
    // The pipes are read between timers: after a long pause of this thread they have not had their turn yet.
    await nextTurn();
    await nextTurn();
    const now = clock.monotonic();
    if (running.isHeldUp() && now - exitMs < SUPERVISION.heldUpMs) continue;
    if (now - exitMs >= SUPERVISION.drainMs) return;
    if (now - Math.max(exitMs, running.lastOutputMs()) >= SUPERVISION.quietMs) return;
  }
}

/** Whether somebody was left to be ended. */
async function endLeft({ running, members, forget }: Left, clock: Clock): Promise<boolean> {
  const signalAll = async (signal: "SIGTERM" | "SIGKILL"): Promise<number> => {
    const alive = await members();
    for (const pid of alive) signalProcess(pid, signal);
    return alive.length;
  };
  const deadline = clock.monotonic() + SUPERVISION.graceMs;
  let alive = await signalAll("SIGTERM");
  const wasLeft = alive > 0;
  while (alive > 0 && clock.monotonic() < deadline) {
    await clock.sleep(50);
    alive = (await members()).length;
  }
  if (alive > 0) await signalAll("SIGKILL");
  running.destroy();
  forget();
  return wasLeft;
}
