import type { ConnectionState, ModelEntry } from "../../../runtime/index.js";
import { type DiagnosticSource, targetName } from "../../../schema/index.js";
import type { ModelDesk } from "../desk.js";
import type { Used } from "../used.js";

/** An alias or a group. */
export interface NameRow {
  readonly type: "alias" | "group";
  readonly name: string;
  readonly members: readonly string[];
  readonly source: DiagnosticSource;
  readonly isUsed: boolean;
}

export interface ModelRow {
  /** What to type. */
  readonly selection: string;
  readonly entry: ModelEntry;
  readonly isSetUp: boolean;
  /** It answers without a server. */
  readonly isLocal: boolean;
  readonly isUsed: boolean;
}

/** What would have a key, and where that is looked for. */
export interface Keyless {
  /** What `smith auth login` takes. */
  readonly name: string;
  readonly title: string;
  readonly lookedAt: readonly string[];
}

export interface Listing {
  readonly names: readonly NameRow[];
  readonly models: readonly ModelRow[];
  /** Models of those that are not set up which have the words too and were left out. */
  readonly leftOut: number;
  readonly keyless: readonly Keyless[];
  /** Connections that are set up and of which no model is known. */
  readonly unasked: readonly string[];
}

interface Wanted {
  readonly words: string;
  readonly all: boolean;
}

export function listingOf({ admin, prepared }: ModelDesk, used: Used, { words, all }: Wanted): Listing {
  const states = admin.connections();
  const setUp = new Set(states.filter(({ isReachable }) => isReachable).map(({ provider }) => provider));
  const local = new Set(states.filter(({ endpoint }) => endpoint?.baseUrl === "").map(({ provider }) => provider));
  const entries = entriesOf(admin, used, states);
  const isWanted = wantedBy(admin, words, states);
  const rows = entries.filter(isWanted).map((entry): ModelRow => {
    const selection = targetName(entry.ref);
    return {
      selection,
      entry,
      isSetUp: setUp.has(entry.ref.provider),
      isLocal: local.has(entry.ref.provider),
      isUsed: isUsed(used, entry),
    };
  });
  const wanted = new Set(rows.map(({ entry }) => entry.ref.provider));
  const models = all ? rows : rows.filter(({ isSetUp }) => isSetUp);
  return {
    names: namesOf(prepared.models, used).filter(({ name, members }) =>
      [name, ...members].some((text) => words === "" || admin.isMatch(words, text)),
    ),
    models,
    leftOut: words === "" ? 0 : rows.length - models.length,
    keyless: keylessOf(words === "" ? states : states.filter(({ provider }) => wanted.has(provider)), setUp),
    unasked: unaskedOf(states, entries),
  };
}

/** What is known, and what needs no list to be known: what answers without a server, and what is used now. */
function entriesOf(admin: ModelDesk["admin"], { route }: Used, states: readonly ConnectionState[]): readonly ModelEntry[] {
  const entries = admin.entries();
  const local = states
    .filter(({ isSetUp, endpoint }) => isSetUp && endpoint?.baseUrl === "")
    .flatMap(({ provider }) => {
      const found = admin.route(provider);
      return found.ok ? [found.value.targets[0]] : [];
    });
  const targets = [...(route.ok ? route.value.targets : []), ...local];
  const known = new Set(entries.map(({ ref }) => targetName(ref)));
  const added = new Map(
    targets.filter(({ ref, needsModel }) => !needsModel && !known.has(targetName(ref))).map((target) => [targetName(target.ref), target]),
  );
  return [...entries, ...[...added.values()].map(({ ref, routing }) => admin.find(ref, routing.connection))];
}

function isUsed({ route, selection }: Used, { ref }: ModelEntry): boolean {
  if (!route.ok) return false;
  const [first] = route.value.targets;
  return (selection === undefined || first.routing.via === undefined) && targetName(first.ref) === targetName(ref);
}

/** Of two with one name the later, stronger one. */
function namesOf({ aliases, groups }: ModelDesk["prepared"]["models"], { route, selection }: Used): readonly NameRow[] {
  const via = route.ok ? route.value.targets[0].routing.via : undefined;
  const rows = [
    ...aliases.map(({ name, to, source }) => ({ type: "alias" as const, name, members: [to], source })),
    ...groups.map(({ name, members, source }) => ({ type: "group" as const, name, members, source })),
  ].map((row) => ({ ...row, isUsed: selection !== undefined && via?.[0] === `${row.type} ${row.name}` }));
  return [...new Map(rows.map((row) => [`${row.type} ${row.name}`, row])).values()];
}

/** By the words of a selection; the name of a connection before them means what its server lists. */
function wantedBy(admin: ModelDesk["admin"], words: string, states: readonly ConnectionState[]): (entry: ModelEntry) => boolean {
  if (words === "") return () => true;
  const [head = "", ...rest] = words.split(/[\s/]+/u);
  const connection = states.find((state) => state.connection.toLowerCase() === head.toLowerCase())?.connection;
  const hasWords = (text: string, { ref, also = [], title }: ModelEntry): boolean =>
    [ref.model, ...also, ...(title === undefined ? [] : [title])].some(
      (name) => admin.isMatch(text, name) || admin.isMatch(text, `${ref.provider}/${name}`),
    );
  return (entry) =>
    hasWords(words, entry) ||
    (connection !== undefined && entry.listedBy?.includes(connection) === true && (rest.length === 0 || hasWords(rest.join(" "), entry)));
}

/** One for each key; of a provider that can be asked in another way only what a person configured. */
function keylessOf(states: readonly ConnectionState[], setUp: ReadonlySet<string>): readonly Keyless[] {
  const wanting = states.filter(
    ({ needsKey, isSetUp, isConfigured, provider }) => needsKey && !isSetUp && (isConfigured || !setUp.has(provider)),
  );
  const providers = new Set<string>();
  return wanting.flatMap(({ provider, connection, title, lookedAt, isConfigured, authName }) => {
    const key = isConfigured ? `${provider} ${connection}` : provider;
    if (providers.has(key)) return [];
    providers.add(key);
    return [{ name: authName, title: isConfigured ? connection : title, lookedAt }];
  });
}

function unaskedOf(states: readonly ConnectionState[], entries: readonly ModelEntry[]): readonly string[] {
  const knows = ({ provider, connection }: ConnectionState): boolean =>
    entries.some(({ ref, listedBy }) => ref.provider === provider && (listedBy === undefined || listedBy.includes(connection)));
  return states.filter((state) => state.isSetUp && state.endpoint?.baseUrl !== "" && !knows(state)).map(({ connection }) => connection);
}
