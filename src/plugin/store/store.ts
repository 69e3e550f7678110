import { join } from "node:path";
import { closest, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { approvedEntry, describeApproval, type LoadPackage, type PackageAtHand } from "./approval.js";
import {
  approvalMoved,
  badPluginId,
  installStopped,
  notInstalled,
  otherId,
  planOver,
  scriptsIgnored,
  storeUnwritten,
  unknownPlugin,
} from "./diagnostics.js";
import type { CompiledPlugin } from "../types.js";
import { isPluginId, isReservedId } from "../ids.js";
import { exists, incomingName, type OwnedRoot, placeOf, putInPlace, removeLeftovers, settle, takeAway } from "./placing.js";
import { createPluginsRecord, own, type PluginsRecord, type RecordFile, type RecordFileDeps, type StoredPlugin } from "./record/index.js";
import type { FetchedPlugin, RegistryDeps } from "./source/index.js";
import { systemWords } from "./tree.js";
import type { Approval, InstalledPlugin, InstallPlan, PluginStore } from "./types.js";

export interface PluginStoreDeps extends RecordFileDeps, RegistryDeps {
  /** User plugins are the folders of `plugins` below it, each named by its id. */
  readonly configDir: string;
  /** Of the record of what was approved, `plugins.json`. */
  readonly dataDir: string;
  readonly loadPackage: LoadPackage;
  /** Ids of all plugins there are, from wherever: what can be enabled and disabled. */
  readonly knownIds: () => Promise<readonly string[]>;
  /** The same plugins as far as they are sound: an approval says whose names one would take. */
  readonly others: () => Promise<readonly CompiledPlugin[]>;
}

/** Installs, removes and approves the plugins of a user. Runs no code of any plugin. */
export const createPluginStore = (deps: PluginStoreDeps): PluginStore => new Store(deps);

class Store implements PluginStore {
  readonly #deps: PluginStoreDeps;
  readonly #root: OwnedRoot;
  readonly #record: RecordFile<PluginsRecord>;
  /** Trees a person was shown by `approval`, by id: `approve` means what was shown. */
  readonly #shown = new Map<string, string>();

  constructor(deps: PluginStoreDeps) {
    this.#deps = deps;
    this.#root = { dir: join(deps.configDir, "plugins"), disk: deps.disk, randomId: deps.randomId };
    this.#record = createPluginsRecord(deps.dataDir, deps);
  }

  async plan(
    spec: string,
    options: { readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<Result<InstallPlan, readonly Diagnostic[]>> {
    const record = await this.#record.read();
    if (!record.ok) return err([record.error]);
    // What unpacks archives and asks the registry is loaded by who installs something, and by nobody else.
    const { fetchPlugin } = await import("./source/index.js");
    const fetched = await fetchPlugin(this.#deps, spec, options);
    if (!fetched.ok) return err([fetched.error]);
    const incoming = join(this.#root.dir, incomingName(this.#root));
    const loaded = await this.#unpack(fetched.value, incoming, record.value);
    const problems = loaded.ok ? refusals(loaded.value, spec, options.signal) : loaded.error;
    if (loaded.ok && problems.length === 0) {
      const others = await this.#deps.others();
      return ok(this.#planOf(fetched.value, loaded.value, { incoming, record: record.value, others }));
    }
    await this.#discard(incoming);
    return err(problems.map((problem) => shownFrom(problem, incoming, spec)));
  }

  async remove(id: string): Promise<Result<{ readonly removed: string }, Diagnostic>> {
    if (!isPluginId(id)) return err(badPluginId(id));
    const taken = await this.#record.change(async (record) => {
      if (own(record.value.plugins, id) === undefined && own(record.value.pending, id) === undefined && !exists(placeOf(this.#root, id)))
        return err(notInstalled(id));
      return ok(await takeAway(this.#root, record, id));
    });
    if (!taken.ok) return taken;
    if (taken.value !== undefined) await this.#discard(taken.value);
    return ok({ removed: id });
  }

  async setEnabled(id: string, enabled: boolean): Promise<Result<void, Diagnostic>> {
    if (!isPluginId(id)) return err(badPluginId(id));
    const known = await this.#deps.knownIds();
    return await this.#record.change(async (record) => {
      const before = await settle(this.#root, record);
      const entry = own(before.plugins, id);
      // One that is gone can still be taken off the list.
      if (entry === undefined && !known.includes(id) && !before.disabled.includes(id)) return err(unknownPlugin(id, closest(id, known)));
      const others = before.disabled.filter((other) => other !== id);
      await record.write({
        ...before,
        ...(entry === undefined ? {} : { plugins: { ...before.plugins, [id]: { ...entry, enabled } } }),
        disabled: enabled || entry !== undefined ? others : [...others, id],
      });
      return ok(undefined);
    });
  }

  async approval(id: string): Promise<Result<Approval, readonly Diagnostic[]>> {
    const found = await this.#installed(id);
    if (!found.ok) return found;
    this.#shown.set(id, found.value.loaded.treeHash);
    return ok(describeApproval(found.value.loaded, found.value.entry, await this.#deps.others()));
  }

  async approve(id: string): Promise<Result<InstalledPlugin, readonly Diagnostic[]>> {
    const found = await this.#installed(id);
    if (!found.ok) return found;
    const { loaded, entry } = found.value;
    const shown = this.#shown.get(id);
    if (shown !== undefined && shown !== loaded.treeHash) return err([approvalMoved(id)]);
    const approved = approvedEntry(loaded, {
      source: entry?.source ?? { type: "folder", path: placeOf(this.#root, id) },
      ...(entry?.integrity === undefined || entry.treeHash !== loaded.treeHash ? {} : { integrity: entry.integrity }),
      approvedAt: this.#deps.clock.now(),
      others: await this.#deps.others(),
    });
    const done = await this.#record.change(async (record) => {
      const before = await settle(this.#root, record);
      await record.write({ ...before, plugins: { ...before.plugins, [id]: { ...approved, enabled: entry?.enabled ?? true } } });
      return ok(undefined);
    });
    return done.ok ? ok(shownEntry({ ...approved, enabled: entry?.enabled ?? true })) : err([done.error]);
  }

  async #installed(
    id: string,
  ): Promise<Result<{ readonly loaded: PackageAtHand; readonly entry: StoredPlugin | undefined }, readonly Diagnostic[]>> {
    if (!isPluginId(id)) return err([badPluginId(id)]);
    const record = await this.#record.change(async (locked) => ok(await settle(this.#root, locked)));
    if (!record.ok) return err([record.error]);
    const place = placeOf(this.#root, id);
    if (!exists(place)) return err([notInstalled(id)]);
    const loaded = await this.#deps.loadPackage(place);
    if (!loaded.ok) return loaded;
    if (loaded.value.compiled.id !== id) return err([otherId(place, loaded.value.compiled.id)]);
    return ok({ loaded: loaded.value, entry: own(record.value.plugins, id) });
  }

  async #unpack({ files }: FetchedPlugin, incoming: string, record: PluginsRecord): Promise<Result<PackageAtHand, readonly Diagnostic[]>> {
    try {
      await removeLeftovers(this.#root, record, this.#deps.clock.now());
      await this.#deps.disk.writeTree(incoming, files);
    } catch (error) {
      return err([storeUnwritten(this.#root.dir, `${systemWords(error)}.`)]);
    }
    return await this.#deps.loadPackage(incoming);
  }

  #planOf(fetched: FetchedPlugin, loaded: PackageAtHand, at: PlannedAt): InstallPlan {
    const { id } = loaded.compiled;
    const { source, integrity, scripts } = fetched;
    const origin = { source, ...(integrity === undefined ? {} : { integrity }) };
    let isOver = false;
    return {
      approval: describeApproval(loaded, own(at.record.plugins, id), at.others),
      ...origin,
      warnings: scripts.length === 0 ? [] : [scriptsIgnored(id, scripts)],
      install: async () => {
        if (isOver) return err(planOver(id));
        isOver = true;
        const entry = approvedEntry(loaded, { ...origin, approvedAt: this.#deps.clock.now(), others: at.others });
        const placed = await this.#record.change(async (record) =>
          ok(await putInPlace(this.#root, record, { incoming: at.incoming, entry })),
        );
        await this.#discard(placed.ok && placed.value !== undefined ? placed.value : at.incoming);
        return placed.ok ? ok(shownEntry(entry)) : placed;
      },
      discard: async () => {
        if (isOver) return;
        isOver = true;
        await this.#discard(at.incoming);
      },
    };
  }

  /** What cannot be removed now is removed as a leftover later. */
  async #discard(dir: string): Promise<void> {
    await this.#deps.disk.removeTree(dir).catch(() => undefined);
  }
}

/** Where a fetched package was unpacked, and what there is besides it. */
interface PlannedAt {
  readonly incoming: string;
  readonly record: PluginsRecord;
  readonly others: readonly CompiledPlugin[];
}

function refusals({ compiled }: PackageAtHand, spec: string, signal: AbortSignal): readonly Diagnostic[] {
  if (signal.aborted) return [installStopped(spec)];
  // The loader has refused such ids; the folder's name is too much to rest on that alone.
  return isPluginId(compiled.id) && !isReservedId(compiled.id) ? [] : [badPluginId(compiled.id)];
}

/** Without what only the store needs. */
const shownEntry = ({ grants: _grants, brought: _brought, ...entry }: StoredPlugin): InstalledPlugin => entry;

/** A problem of the unpacked copy, told of what it was unpacked from. */
function shownFrom(problem: Diagnostic, incoming: string, spec: string): Diagnostic {
  const renamed = (text: string): string => text.replaceAll(incoming, spec);
  const { source } = problem;
  return {
    ...problem,
    what: renamed(problem.what),
    why: renamed(problem.why),
    next: renamed(problem.next),
    ...(source?.type === "file" ? { source: { ...source, path: renamed(source.path) } } : {}),
  };
}
