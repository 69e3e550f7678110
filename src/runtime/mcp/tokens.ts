import { join } from "node:path";
import { err, isJsonObject, ok, parseJson, type Result, utf8Length } from "../../base/index.js";
import type { McpTokenStore } from "../../effect/index.js";
import { createGuardedFile, type GuardedText } from "../../guarded-file/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { createLocker } from "../../session/index.js";
import type { RuntimeDeps } from "../deps.js";
import { mcpTokensBusy, mcpTokensFailed } from "./diagnostics.js";

export const mcpTokensPath = (paths: Pick<RuntimeDeps["paths"], "data">): string => join(paths.data, "mcp-auth.json");

const MAX_BYTES = 4 * 1024 * 1024;

/** Sign-ins with servers, in a file that is its owner's alone. What it cannot read it does not replace. */
export function createMcpTokens({ paths, clock }: Pick<RuntimeDeps, "paths" | "clock">): McpTokenStore {
  const path = mcpTokensPath(paths);
  const file = createGuardedFile({
    path,
    clock,
    lock: createLocker(),
    maxBytes: MAX_BYTES,
    failures: { broken: mcpTokensFailed, unwritten: mcpTokensFailed, busy: mcpTokensBusy, stopped: () => mcpTokensBusy(path, 0) },
  });
  const valuesIn = (content: GuardedText | undefined): Result<ReadonlyMap<string, string>, Diagnostic> => {
    const values = valuesOf(content?.text ?? "");
    return values === undefined ? err(mcpTokensFailed(path, "It is not what smith writes there.")) : ok(values);
  };
  return {
    async load(server) {
      const read = await file.read();
      const values = read.ok ? valuesIn(read.value) : read;
      return values.ok ? ok(values.value.get(server)) : values;
    },
    save: async (server, value) =>
      await file.update(async (before) => {
        const known = valuesIn(before);
        if (!known.ok) return known;
        const values = new Map(known.value);
        if (value === null) values.delete(server);
        else values.set(server, value);
        const text = `${JSON.stringify({ format: 1, servers: Object.fromEntries(values) }, undefined, 2)}\n`;
        // What is read is bounded: a larger file would end all sign-ins.
        if (value !== null && utf8Length(text) > MAX_BYTES)
          return err(mcpTokensFailed(path, `With this sign-in it would have more than ${MAX_BYTES} bytes, and was not changed.`));
        return await Promise.resolve(ok({ text, value: undefined }));
      }),
  };
}

/** Undefined: it is something else. A file without a word is one without a sign-in. */
function valuesOf(text: string): ReadonlyMap<string, string> | undefined {
  if (text.trim() === "") return new Map();
  const whole = parseJson(text);
  const servers = isJsonObject(whole) ? whole["servers"] : undefined;
  if (!isJsonObject(servers)) return undefined;
  const values = Object.entries(servers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return values.length === Object.keys(servers).length ? new Map(values) : undefined;
}
