import type { LiveState } from "../live/index.js";
import { stateName } from "../live/index.js";
import type { Reading, Source } from "../reader/index.js";

/** A session read by who writes it. What reads is loaded when something is read: one that begins has nothing to read. */
export function ownReading(source: Source, live: () => Promise<LiveState>): Reading {
  let loaded: Promise<Reading> | undefined;
  const reading = async (): Promise<Reading> =>
    await (loaded ??= import("../reader/index.js").then(({ readingOf }) => readingOf(source, live)));
  async function* each<Item>(open: (own: Reading) => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    yield* open(await reading());
  }
  return {
    damage: () => source.damage.diagnostics(source.id, source.path),
    damagedChanges: () => source.damage.changes(),
    branch: (options) => each((own) => own.branch(options)),
    changes: (options) => each((own) => own.changes(options)),
    scan: (types, options) => each((own) => own.scan(types, options)),
    get: async (id) => await (await reading()).get(id),
    resolveEntry: async (name) => await (await reading()).resolveEntry(name),
    live,
    admission: async (key) => await (await reading()).admission(key),
    receipt: async (submission) => await (await reading()).receipt(submission),
    async sessionState(owner, key, at) {
      // Handlers ask with every event, most often for what has no value; that is known without reading.
      if (at === undefined && !(await live()).states.has(stateName(owner, key))) return undefined;
      return await (await reading()).sessionState(owner, key, at);
    },
    branchState: async (owner, key, leaf) => await (await reading()).branchState(owner, key, leaf),
    unknownFrames: () => each((own) => own.unknownFrames()),
  };
}
