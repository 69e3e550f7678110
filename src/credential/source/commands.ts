import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { credentialStopped, credentialUnset } from "../diagnostics.js";
import type { RunCommand } from "../types.js";
import { maskOf } from "../value.js";
import { keyFromCommand } from "./key-command.js";
import type { Learned } from "./learned.js";
import { createSharedWorks } from "./shared-work.js";
import type { CredentialSource } from "./source.js";

/** Commands by the connection they are for. Each is run when its key is first needed, and again after it was refused. */
export function createCommandSource(commands: ReadonlyMap<string, string>, run: RunCommand, learned: Learned): CredentialSource {
  const keys = new Map<string, string>();
  const runs = createSharedWorks<Result<string, Diagnostic>>({ outlivesWaiters: false });
  return {
    has: (connection) => commands.has(connection),
    async ready(connection, signal) {
      const command = commands.get(connection);
      if (command === undefined) return err(credentialUnset(`command:${connection}`));
      if (keys.has(connection)) return ok(undefined);
      const work = async (stop: AbortSignal): Promise<Result<string, Diagnostic>> => {
        const key = await keyFromCommand(connection, command, { run, values: learned.values(), signal: stop });
        if (!key.ok || stop.aborted) return key.ok ? err(credentialStopped(`command:${connection}`)) : key;
        learned.learn([key.value]);
        keys.set(connection, key.value);
        return key;
      };
      const end = await runs.join(connection, work, signal);
      if (end === "aborted") return err(credentialStopped(`command:${connection}`));
      return end.ok ? ok(undefined) : end;
    },
    value: (connection) => keys.get(connection),
    refused(connection) {
      keys.delete(connection);
    },
    describe(connection) {
      const key = keys.get(connection);
      const masked = key === undefined ? undefined : maskOf(key);
      return { isSet: commands.has(connection), kind: "key", ...(masked === undefined ? {} : { masked }) };
    },
    keys: () => [...commands.keys()],
    async close() {
      const left = runs.running();
      for (const one of left) one.stop();
      await Promise.all(left.map(async (one) => await one.ended()));
    },
  };
}
