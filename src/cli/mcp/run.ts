import type { Clock } from "../../base/index.js";
import type { Inspection, OpenOptions, Runtime } from "../../runtime/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import type { CommonFlags } from "../given-flags.js";
import type { CommandContext } from "../context.js";
import { SIGNAL_STATUS, watchInterrupts } from "../eval/interrupts.js";
import { refuse } from "../output/answers.js";

export interface McpInvocation {
  readonly type: "mcp";
  readonly common: CommonFlags;
}

/** The server itself, which `commands.ts` alone loads. */
export type ServeMcp = (ports: ServerPorts) => Promise<void>;

/** What the server is lent. */
export interface ServerPorts {
  readonly runtime: Runtime;
  readonly inspection: Inspection;
  readonly clock: Clock;
  readonly options: Pick<OpenOptions, "mode" | "tools">;
  readonly input: AsyncIterator<Uint8Array>;
  readonly output: CommandContext["out"];
  readonly signal: AbortSignal;
  readonly onTrouble: (text: string) => void;
  readonly observeDiagnostics: (listener: (diagnostic: Diagnostic) => void) => () => void;
}

/**
 * Serves until standard input ends, a signal comes or nobody reads any more. Nothing but messages of the protocol goes to standard output,
 * whatever fails and whenever.
 */
export async function runMcp(context: CommandContext, invocation: McpInvocation, load: () => Promise<ServeMcp>): Promise<ExitStatus> {
  const { host, out, errors } = context;
  host.stdout.claim?.();
  const interrupts = watchInterrupts(host);
  try {
    const loading = load();
    // Whoever waits for it hears of a failure; a refused start does not care.
    loading.catch(() => undefined);
    const prepared = await context.prepare(invocation.common, false);
    if (!prepared.ok) {
      const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
      return first;
    }
    for (const warning of prepared.value.warnings) errors.diagnostic(warning);
    const heard = createRelay(errors.diagnostic);
    const runtime = await context.runtime.open(prepared.value, host, heard.tell);
    if (!runtime.ok) return refuse(context, runtime.error);
    interrupts.onLast(() => {
      runtime.value.killNow();
    });
    try {
      const { mode, tools } = prepared.value.settings;
      const refused = tools.value === undefined ? undefined : runtime.value.refusedTools(tools.value);
      if (refused !== undefined) return refuse(context, refused);
      await (
        await loading
      )({
        runtime: runtime.value,
        inspection: await context.runtime.inspect(prepared.value.paths, host),
        clock: host.clock,
        options: { mode: mode.value ?? "auto", ...(tools.value === undefined ? {} : { tools: tools.value }) },
        input: host.stdin.chunks(),
        output: out,
        signal: interrupts.signal,
        onTrouble: (text) => {
          errors.line(`smith mcp: ${text}`);
        },
        observeDiagnostics: heard.observe,
      });
    } finally {
      host.stdin.close();
      await runtime.value.close();
    }
    const signal = interrupts.received();
    return signal === undefined ? 0 : SIGNAL_STATUS[signal];
  } finally {
    interrupts.dispose();
  }
}

interface Relay {
  readonly tell: (diagnostic: Diagnostic) => void;
  readonly observe: ServerPorts["observeDiagnostics"];
}

/** Standard error hears of all of them, a client of those that come while it listens. */
function createRelay(always: (diagnostic: Diagnostic) => void): Relay {
  const listeners = new Set<(diagnostic: Diagnostic) => void>();
  return {
    tell: (problem) => {
      always(problem);
      for (const listener of listeners) listener(problem);
    },
    observe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
