/**
 * Which modules share a chunk. The bundler makes one for every set of entries (modules that are loaded when reached) that has modules of
 * its own; there are many such sets, and opening a file costs a fifth of a millisecond. So the sets are made fewer:
 * - An entry that is only ever reached when another is there already counts as having all of that one.
 * - Modules that several entries have in common go with the last one that is there before each of them: when they are few, or when most
 *   of what is loaded from there has them.
 * - Modules of two sets go together when what some entries then load for nothing is less than what the others save.
 */

/** Bytes of modules with the same entries that are too few for a chunk of their own: at 30 bytes a microsecond, what opening one costs. */
const FEW_BYTES = 2_500;

/**
 * Imports to add to entries, by entry, so that a bundle made with them has few chunks. `meta` is the metafile of one made without.
 * @returns {Map<string, readonly string[]>}
 */
export function gather(meta, root) {
  const graph = graphOf(meta);
  const entries = entriesOf(graph, root);
  const before = dominators(graph, entries, root);
  const added = new Map([...entries.keys()].map((entry) => [entry, new Set()]));
  for (const [entry, others] of before)
    for (const other of others)
      // One that has the entry in itself cannot be imported by it.
      if (!entries.get(other).has(entry)) for (const file of entries.get(other)) if (file !== other) added.get(entry).add(file);
  // Not with the root: that is there for those who only ask which version this is.
  const hosts = [...entries.keys()].filter((entry) => entry !== root);
  hoist({ graph, entries, before, added, sizes: sizesOf(meta), hosts });
  unite({ graph, entries, before, added, sizes: sizesOf(meta), hosts });
  return new Map([...added].map(([entry, files]) => [entry, [...files].filter(isOwn)]));
}

/** Code of this project only defines things when it is loaded, so that it may be loaded earlier; a package's may do more. */
export const isOwn = (path) => /^(?:src|bin)\//u.test(path);

function graphOf({ inputs }) {
  const paths = (imports, isLazy) =>
    imports.filter(({ kind, external }) => external !== true && (kind === "dynamic-import") === isLazy).map(({ path }) => path);
  return new Map(Object.entries(inputs).map(([path, { imports }]) => [path, { now: paths(imports, false), later: paths(imports, true) }]));
}

/** Each entry with all that is loaded with it. */
function entriesOf(graph, root) {
  const names = new Set([root, ...[...graph.values()].flatMap(({ later }) => later)]);
  return new Map([...names].map((name) => [name, reachable(graph, name)]));
}

function reachable(graph, from) {
  const seen = new Set([from]);
  for (const path of seen) for (const next of graph.get(path)?.now ?? []) seen.add(next);
  return seen;
}

/** Entries that are there whenever one is: whoever loads it was loaded before. */
function dominators(graph, entries, root) {
  const loaders = new Map([...entries.keys()].map((entry) => [entry, new Set()]));
  for (const [loader, files] of entries)
    for (const file of files) for (const entry of graph.get(file)?.later ?? []) loaders.get(entry).add(loader);
  const found = new Map([...entries.keys()].map((entry) => [entry, entry === root ? new Set() : new Set(entries.keys())]));
  for (let isSettled = false; !isSettled;) {
    isSettled = true;
    for (const [entry, known] of found) {
      for (const other of known) {
        const isThere = (loader) => loader === other || found.get(loader).has(other);
        if ([...loaders.get(entry)].every((loader) => loader === entry || isThere(loader))) continue;
        known.delete(other);
        isSettled = false;
      }
    }
  }
  for (const [entry, known] of found) known.delete(entry);
  return found;
}

function sizesOf({ outputs }) {
  const sizes = new Map();
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) sizes.set(path, (sizes.get(path) ?? 0) + bytesInOutput);
  return sizes;
}

/** Moves groups of modules up to the last entry that is there before all that use them, when all they import is there too. */
function hoist({ graph, entries, before, added, sizes, hosts }) {
  const has = (entry, file) => entries.get(entry).has(file) || added.get(entry).has(file);
  const isWorthIt = (host, { users, bytes }) => {
    const next = nextAfter(host, graph, entries);
    return bytes <= FEW_BYTES || users.filter((user) => next.includes(user)).length > next.length / 2;
  };
  let groups = groupsOf({ graph, entries, has, sizes });
  for (let left = -1; left !== groups.length;) {
    left = groups.length;
    groups = groups.filter((group) => {
      const { users, files } = group;
      const host = lastBefore(users, before, hosts);
      if (host === undefined || !isWorthIt(host, group)) return false;
      if (!files.every((file) => graph.get(file).now.every((next) => files.includes(next) || has(host, next)))) return true;
      for (const [entry, others] of before)
        if (entry === host || others.has(host)) for (const file of files) if (!has(entry, file)) added.get(entry).add(file);
      return false;
    });
  }
}

/** Makes two sets of entries one, the most useful two first, for as long as there are any that are worth it. */
function unite({ graph, entries, before, added, sizes, hosts }) {
  const has = (entry, file) => entries.get(entry).has(file) || added.get(entry).has(file);
  const sizeOf = (file) => sizes.get(file) ?? 0;
  /** All that an entry has to load to have these files. */
  const missing = (entry, files) => {
    const found = new Set(files.filter((file) => !has(entry, file)));
    for (const file of found) for (const next of graph.get(file).now) if (!has(entry, next)) found.add(next);
    return [...found];
  };
  const mayHave = (entry, files) => hosts.includes(entry) && files.every((file) => file !== entry && isOwn(file));
  for (;;) {
    const groups = groupsOf({ graph, entries, has, sizes })
      .filter(({ files }) => files.every(isOwn))
      // Whoever comes after one that has the files does not load them.
      .map((group) => ({ ...group, loaders: group.users.filter((user) => !group.users.some((other) => before.get(user).has(other))) }));
    const best = bestPair(groups, ({ files }, entry) => {
      const more = missing(entry, files);
      return mayHave(entry, more) ? more.reduce((sum, file) => sum + sizeOf(file), 0) : Infinity;
    });
    if (best === undefined) return;
    for (const [{ files }, newcomers] of best.moves)
      for (const newcomer of newcomers)
        for (const entry of [newcomer, ...[...before].filter(([, others]) => others.has(newcomer)).map(([name]) => name)])
          for (const file of missing(entry, files)) if (file !== entry) added.get(entry).add(file);
  }
}

/** The two groups that save most when every loader of one also loads the other. */
function bestPair(groups, costOf) {
  let best;
  for (const [index, left] of groups.entries())
    for (const right of groups.slice(index + 1)) {
      const toLeft = right.loaders.filter((entry) => !left.users.includes(entry));
      const toRight = left.loaders.filter((entry) => !right.users.includes(entry));
      const saved = FEW_BYTES * left.loaders.filter((entry) => right.loaders.includes(entry)).length;
      if (saved <= (best?.gain ?? 0) + left.bytes * toLeft.length + right.bytes * toRight.length) continue;
      const cost = (group, newcomers) => newcomers.reduce((sum, entry) => sum + costOf(group, entry), 0);
      const gain = saved - cost(left, toLeft) - cost(right, toRight);
      if (gain > (best?.gain ?? 0))
        best = {
          gain,
          moves: [
            [left, toLeft],
            [right, toRight],
          ],
        };
    }
  return best;
}

/** Entries that are loaded by what is loaded with `host`. */
const nextAfter = (host, graph, entries) => [...new Set([...entries.get(host)].flatMap((file) => graph.get(file)?.later ?? []))];

function groupsOf({ graph, entries, has, sizes }) {
  const groups = new Map();
  for (const file of graph.keys()) {
    if (entries.has(file)) continue;
    const users = [...entries.keys()].filter((entry) => has(entry, file));
    const key = users.join("\n");
    groups.set(key, { users, files: [...(groups.get(key)?.files ?? []), file] });
  }
  const bytesOf = ({ files }) => files.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  return [...groups.values()].map((group) => ({ ...group, bytes: bytesOf(group) }));
}

function lastBefore(users, before, hosts) {
  const common = hosts.filter((host) => users.every((user) => user === host || before.get(user).has(host)));
  return common.sort((left, right) => before.get(right).size - before.get(left).size)[0];
}
