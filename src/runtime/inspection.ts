import { err, ok } from "../base/index.js";
import { createSessionStore, SessionStorageError } from "../session/index.js";
import { type RuntimeDeps, storeDeps } from "./shared.js";
import type { Inspection } from "./types.js";

/** Reading of stored sessions without plugins, providers or credentials. Takes no lock and changes nothing. */
export function createInspection(deps: Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process" | "paths">): Inspection {
  const store = createSessionStore(storeDeps(deps, deps.paths.sessions));
  return {
    list: (options = {}) => store.list({ ...options, detail: "summary" }),
    resolve: async (name) => await store.resolve(name),
    async *entries(id, options = {}) {
      const opened = await store.open(id, "read");
      if (!opened.ok) {
        yield opened;
        return;
      }
      try {
        for await (const change of opened.value.changes(options)) for (const entry of change.entries) yield ok(entry);
        // Known in full only now: damage is met on the way.
        for (const found of opened.value.damage?.() ?? []) yield err(found);
      } catch (error) {
        if (!(error instanceof SessionStorageError)) throw error;
        yield err(error.diagnostic);
      } finally {
        await opened.value.close();
      }
    },
    async *grep(pattern, options = {}) {
      for await (const found of store.grep(pattern, options)) {
        if ("damage" in found) yield err(found.damage);
        else yield ok(found);
      }
    },
  };
}
