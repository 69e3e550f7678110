import { err, ok, plural, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { commandFailed, credentialStopped, credentialUnusable } from "../diagnostics.js";
import type { CommandEnd, RunCommand } from "../types.js";
import { faultOf, shownWords, trimmed } from "../value.js";

export const COMMAND_BOUNDS = { timeoutMs: 10_000, maxBytes: 64 * 1024 } as const;

/**
 * The key that a connection's command prints on its first line. Nothing of what it prints gets into a diagnostic: of its standard error
 * a bounded part without `values`, its own output, and what looks like a key.
 */
export async function keyFromCommand(
  connection: string,
  command: string,
  { run, values, signal }: { readonly run: RunCommand; readonly values: Iterable<string>; readonly signal: AbortSignal },
): Promise<Result<string, Diagnostic>> {
  const end = await run({ command, ...COMMAND_BOUNDS }, signal);
  switch (end.type) {
    case "exit":
      return keyOf(connection, end, values);
    case "timeout":
      return err(commandFailed(connection, `it was ended after ${plural(COMMAND_BOUNDS.timeoutMs / 1000, "second")}`, ""));
    case "aborted":
      return err(credentialStopped(`command:${connection}`));
    case "unstarted":
      return err(commandFailed(connection, `it could not be started (${shownWords(end.reason, values)})`, ""));
  }
}

function keyOf(
  connection: string,
  { status, stdout, stderr }: Extract<CommandEnd, { readonly type: "exit" }>,
  values: Iterable<string>,
): Result<string, Diagnostic> {
  const lines = stdout.slice(0, COMMAND_BOUNDS.maxBytes).split(/\r\n|[\r\n]/u);
  const key = trimmed(lines[0]);
  if (status !== 0) {
    const printed = lines.flatMap((line) => trimmed(line) ?? []);
    const said = shownWords(stderr.slice(0, COMMAND_BOUNDS.maxBytes), [...values, ...printed]);
    return err(commandFailed(connection, status === null ? "a signal ended it" : `it ended with status ${String(status)}`, said));
  }
  if (key === undefined) return err(commandFailed(connection, "its first line was empty", ""));
  const fault = faultOf(key);
  return fault === undefined ? ok(key) : err(credentialUnusable(`command:${connection}`, fault));
}
