import { join } from "node:path";
import { isJsonObject, ok, parseJson } from "../../base/index.js";
import type { McpTokenStore } from "../../effect/index.js";
import { createGuardedFile, type GuardedText } from "../../guarded-file/index.js";
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
  return {
    async load(server) {
      const read = await file.read();
      return read.ok ? valuesIn(read.value).get(server) : undefined;
    },
    save: async (server, value) =>
      await file.update(async (before) => {
        const values = new Map(valuesIn(before));
        if (value === null) values.delete(server);
        else values.set(server, value);
        const text = `${JSON.stringify({ format: 1, servers: Object.fromEntries(values) }, undefined, 2)}\n`;
        return await Promise.resolve(ok({ text, value: undefined }));
      }),
  };
}

function valuesIn(content: GuardedText | undefined): ReadonlyMap<string, string> {
  const whole = content === undefined ? undefined : parseJson(content.text);
  const servers = isJsonObject(whole) ? whole["servers"] : undefined;
  if (!isJsonObject(servers)) return new Map();
  return new Map(Object.entries(servers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])));
}
