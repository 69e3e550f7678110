import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { SIGNAL_STATUS, watchInterrupts } from "../eval/interrupts.js";

/** Tells what stopped a command, and gives the status it ends with. */
export function refuse({ errors }: Pick<CommandContext, "errors">, problem: Diagnostic): ExitStatus {
  errors.diagnostic(problem);
  return problem.exit ?? 1;
}

/** Writes a piece of data. False when nobody reads on. */
export async function put({ out }: Pick<CommandContext, "out">, text: string): Promise<boolean> {
  out.write(text);
  await out.ready();
  return out.state() === "open";
}

/** What to do next, for a person who watches. */
export function hint({ errors }: Pick<CommandContext, "errors">, text: string): void {
  if (errors.isTerminal) errors.line(text);
}

/**
 * Work that a signal stops cleanly: what it was making is gone, what was there stays. Ends with the signal's status then, and
 * says nothing of the failure that the stop looks like from inside.
 */
export async function interruptible(
  context: Pick<CommandContext, "host" | "errors">,
  work: (signal: AbortSignal) => Promise<ExitStatus | Diagnostic>,
): Promise<ExitStatus> {
  const interrupts = watchInterrupts(context.host);
  try {
    const end = await work(interrupts.signal);
    const received = interrupts.received();
    if (received !== undefined) return SIGNAL_STATUS[received];
    return typeof end === "number" ? end : refuse(context, end);
  } catch (error) {
    const received = interrupts.received();
    if (received === undefined) throw error;
    return SIGNAL_STATUS[received];
  } finally {
    interrupts.dispose();
  }
}

const DAY_MS = 86_400_000;

/** Work that waits for others to write. A file that is watched does not keep the process; this does, until it ends. */
export async function whileAwake<Value>({ host }: Pick<CommandContext, "host">, work: () => Promise<Value>): Promise<Value> {
  const done = new AbortController();
  const stayAwake = async (): Promise<void> => {
    while (!done.signal.aborted) await host.clock.sleep(DAY_MS, done.signal);
  };
  const awake = stayAwake();
  try {
    return await work();
  } finally {
    done.abort();
    await awake;
  }
}
