import { type EntryId, err, ok, type Result, type SessionId } from "../../base/index.js";
import { findEffect, loadState, reconcileEffect, recover } from "../../agent/index.js";
import type { Diagnostic, SessionInfoEntry } from "../../schema/index.js";
import { createSessionStore, type NewSession, readDump, type SessionStore, type SessionWriter } from "../../session/index.js";
import { forkUnnamed } from "../diagnostics.js";
import type { RuntimeDeps } from "../deps.js";
import { storeDeps } from "../shared.js";
import { withWriter } from "./stored.js";
import type { Maintenance } from "../types.js";

type MaintenanceDeps = Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process" | "paths">;

/** Changes to stored sessions without opening them for work: no plugins, providers or credentials. */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const store = createSessionStore(storeDeps(deps, deps.paths.sessions));
  const rename = async (id: SessionId, name: string): Promise<Result<void, Diagnostic>> =>
    await withWriter(store, id, async (writer) => {
      await recordName(deps, writer, name);
      return ok(undefined);
    });
  return {
    async fork(source, { name, ...options } = {}) {
      const made = await store.fork(source, options);
      if (!made.ok || name === undefined) return made;
      const named = await rename(made.value.id, name);
      return named.ok ? made : err(forkUnnamed(made.value.id, name, named.error));
    },
    rename,
    remove: async (id) => await store.remove(id),
    repair: async (id, options = {}) => await store.repair(id, options),
    reconcile: async (id, effect, word) =>
      await withWriter(store, id, async (writer) => {
        const facts = await findEffect(writer, effect);
        if (!facts.ok) return facts;
        const state = await loadState(writer, await recover(writer));
        if (!state.ok) return state;
        const { intent } = facts.value;
        const {
          entries,
          state: after,
          refused,
        } = reconcileEffect(state.value, facts.value, word, { ids: deps.ids, time: deps.clock.now() });
        if (refused !== undefined) return err(refused);
        await writer.commit({ entries, leaf: after.leaf ?? null }).durable;
        return ok({ effect: intent.effect, operation: intent.operation });
      }),
    import: async (lines, { asNew, signal }) => await importDump({ deps, store, asNew }, lines, signal),
  };
}

/** The newest name on the branch counts, so it is recorded at its end. */
async function recordName({ clock, ids }: MaintenanceDeps, writer: SessionWriter, name: string): Promise<void> {
  const parent = writer.leaf();
  const info: SessionInfoEntry = {
    type: "session-info",
    id: ids.next<EntryId>(),
    time: clock.now(),
    name,
    ...(parent === undefined ? {} : { parent }),
  };
  await writer.commit({ entries: [info], leaf: info.id }).durable;
}

/** The id of the dump, or a new one when that is taken and `asNew` allows it. */
async function importDump(
  { deps, store, asNew }: { readonly deps: MaintenanceDeps; readonly store: SessionStore; readonly asNew: boolean },
  lines: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<Result<NewSession, Diagnostic>> {
  const dump = await readDump(lines);
  if (!dump.ok) return dump;
  const { header, items } = dump.value;
  const id = asNew && (await isTaken(store, header.session)) ? deps.ids.next<SessionId>() : header.session;
  return await store.import(items, {
    id,
    createdAt: header.created,
    source: { session: header.session, seq: header.seq, epoch: header.epoch },
    ...(signal === undefined ? {} : { signal }),
  });
}

async function isTaken(store: SessionStore, id: SessionId): Promise<boolean> {
  const opened = await store.open(id, "read");
  if (opened.ok) await opened.value.close();
  return opened.ok || opened.error.code !== "session.unknown";
}
