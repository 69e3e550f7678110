import { err, type IdSource, type InvocationId, ok, type Result } from "../../../base/index.js";
import { type GenerationLease, listCommands } from "../../../plugin/index.js";
import type { Action, Diagnostic, InvocationEntry } from "../../../schema/index.js";
import { unknownCommand } from "./diagnostics.js";
import type { Route } from "./lifecycle-port.js";

export interface CommandPorts {
  readonly ids: IdSource;
  readonly cwd: string;
  readonly now: () => number;
  readonly lease: () => GenerationLease;
  readonly route: Route;
  /** Makes the session's file when there is none, and resolves when the entry is durable in it. */
  readonly commit: (entry: InvocationEntry) => Promise<void>;
}

/** A command that ran, with what it wants. */
export interface RanCommand {
  readonly lease: GenerationLease;
  readonly invocation: InvocationEntry;
  /** Its first effect put the invocation on record. */
  readonly isRecorded: boolean;
  readonly actions: readonly Action[];
}

/**
 * Runs the function of a command, found by name or alias. It is on record before its first effect; one that has none and wants nothing
 * leaves no trace. Whoever gets the result gives the lease back.
 */
export async function runCommand(
  ports: CommandPorts,
  asked: { readonly name: string; readonly args: string; readonly signal: AbortSignal },
): Promise<Result<RanCommand, Diagnostic>> {
  const lease = ports.lease();
  let isKept = false;
  try {
    const commands = listCommands(lease.generation);
    const found = commands.find(({ name }) => name === asked.name) ?? commands.find(({ aliases }) => aliases.includes(asked.name));
    if (found === undefined)
      return err(
        unknownCommand(
          asked.name,
          commands.map(({ name }) => name),
        ),
      );
    const { command, resource } = found;
    const args = asked.args.trim();
    const entry: InvocationEntry = {
      type: "invocation",
      id: ports.ids.next(),
      time: ports.now(),
      invocation: ports.ids.next<InvocationId>(),
      plugin: command.plugin,
      generation: lease.generation.number,
      trigger: { type: "command", name: found.name, args },
    };
    let recorded: Promise<void> | undefined;
    const end = ports.route(entry.invocation, "command");
    const ran = await lease
      .command({
        command,
        args,
        invocation: entry.invocation,
        plugin: command.plugin,
        cwd: ports.cwd,
        signal: asked.signal,
        record: () => (recorded ??= ports.commit(entry)),
        ...(resource === undefined ? {} : { resource }),
      })
      .finally(end);
    if (!ran.ok) return ran;
    isKept = true;
    return ok({ lease, invocation: entry, isRecorded: recorded !== undefined, actions: ran.value });
  } finally {
    if (!isKept) lease.release();
  }
}
