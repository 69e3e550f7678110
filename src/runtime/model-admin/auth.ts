import { err, ok, type Result } from "../../base/index.js";
import {
  type AuthEntry,
  badAuthName,
  credentialMissing,
  credentialRefused,
  type DevicePorts,
  faultOf,
  isAuthName,
  type LookedAt,
  pollDeviceLogin,
  startDeviceLogin,
  trimmed,
} from "../../credential/index.js";
import type { OauthContribution } from "../../plugin/index.js";
import { type ConnectionState, listModels } from "../../provider/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { RuntimeDeps } from "../deps.js";
import { keyUnusable, nothingToCheck, unknownAccount } from "../models/diagnostics.js";
import type { Providers } from "../providers.js";
import type { AuthAccount, AuthAdmin, AuthCheck, AuthPlace } from "./types.js";

interface AuthView {
  readonly connections: () => readonly ConnectionState[];
  readonly closing: AbortSignal;
}

/** Connections that look for the same keys, as one thing a person logs in to. */
interface Account {
  readonly name: string;
  readonly states: readonly [ConnectionState, ...ConnectionState[]];
}

export function createAuthAdmin(deps: Pick<RuntimeDeps, "clock">, providers: Providers, { connections, closing }: AuthView): AuthAdmin {
  const { credentials, host, keys } = providers;
  const oauthOf = (provider: string): OauthContribution | undefined => host.generation.providers.find(({ id }) => id === provider)?.oauth;
  const accounts = (): readonly Account[] => accountsOf(connections());
  const find = (name: string): Account | undefined => accounts().find((account) => account.name === name);
  const store = async (name: string, entry: AuthEntry): Promise<Result<void, Diagnostic>> => {
    const stored = await keys.store.update(
      async (entries) => await Promise.resolve(ok({ entries: new Map([...entries, [name, entry]]), value: undefined })),
    );
    if (stored.ok) await credentials.reload();
    return stored;
  };
  return {
    async overview() {
      const read = await keys.store.read();
      await credentials.reload();
      return {
        accounts: accounts().map(({ name, states }) => accountOf(name, states, { credentials, login: oauthOf(states[0].provider) })),
        stored: read.ok ? [...read.value.entries.keys()].sort() : [],
        file: keys.store.path,
        problems: read.ok ? read.value.warnings : [read.error],
      };
    },
    async storeKey(name, key) {
      if (!isAuthName(name)) return err(badAuthName(name));
      const value = trimmed(key);
      const fault = value === undefined ? "it is blank" : faultOf(value);
      if (value === undefined || fault !== undefined) return err(keyUnusable(name, fault ?? "it is blank"));
      return await store(name, { type: "key", key: value });
    },
    async startDeviceLogin(name, given) {
      const account = find(name);
      const oauth = account === undefined ? undefined : oauthOf(account.states[0].provider);
      const known = accounts().map((one) => one.name);
      if (oauth === undefined) return err(unknownAccount(name, known));
      const ports = { post: keys.post, clock: deps.clock, signal: AbortSignal.any([given, closing]) };
      return await deviceLogin({ name, oauth, store: async (entry) => await store(name, entry) }, ports);
    },
    async remove(name) {
      return await keys.store.update(async (entries) => {
        const rest = new Map([...entries].filter(([known]) => known !== name));
        const had = rest.size < entries.size;
        return await Promise.resolve(ok(had ? { entries: rest, value: true } : { value: false }));
      });
    },
    check: async (name, signal) =>
      await checkAccount(deps, providers, { account: find(name), name, signal: AbortSignal.any([signal, closing]) }),
  };
}

interface DeviceAccount {
  readonly name: string;
  readonly oauth: OauthContribution;
  readonly store: (entry: AuthEntry) => Promise<Result<void, Diagnostic>>;
}

async function deviceLogin({ name, oauth, store }: DeviceAccount, ports: DevicePorts): ReturnType<AuthAdmin["startDeviceLogin"]> {
  const started = await startDeviceLogin(name, oauth, ports);
  if (!started.ok) return started;
  const { userCode, url, completeUrl, expiresAt } = started.value;
  return ok({
    ...{ url, userCode, expiresAt },
    ...(completeUrl === undefined ? {} : { completeUrl }),
    finish: async () => {
      const entry = await pollDeviceLogin(name, oauth, started.value, ports);
      return entry.ok ? await store(entry.value) : entry;
    },
  });
}

/** Best connection first; what needs no key at all is no account. */
function accountsOf(states: readonly ConnectionState[]): readonly Account[] {
  const byName = new Map<string, [ConnectionState, ...ConnectionState[]]>();
  for (const state of states) {
    if (state.lookedAt.length === 0) continue;
    const known = byName.get(state.authName);
    if (known === undefined) byName.set(state.authName, [state]);
    else known.push(state);
  }
  return [...byName].map(([name, members]) => ({ name, states: members }));
}

interface AccountView {
  readonly credentials: Providers["credentials"];
  readonly login: OauthContribution | undefined;
}

function accountOf(name: string, states: Account["states"], { credentials, login }: AccountView): AuthAccount {
  const [first] = states;
  const names = [...new Set(states.flatMap(({ lookedAt }) => lookedAt))];
  return {
    name,
    title: first.title,
    provider: first.provider,
    needsKey: states.some(({ needsKey }) => needsKey),
    places: names.map((place): AuthPlace => ({ name: place, ...credentials.describe(place) })),
    login: login === undefined ? "key" : "device",
  };
}

const lookedIn = ({ title, lookedAt, credential, authName }: ConnectionState): LookedAt => ({
  wanted: title,
  login: authName,
  looked: lookedAt.map((name) => ({ name, found: name === credential ? "used" : "nothing" })),
});

interface Checking {
  readonly account: Account | undefined;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** What it means that the list did not come. */
function refusalOf(state: ConnectionState, problem: Diagnostic): AuthCheck {
  const at = state.credential === undefined ? {} : { place: state.credential };
  if (problem.exit !== 3) return { state: "unreachable", ...at, problem };
  if (state.credential === undefined || problem.source?.type !== "provider") return { state: "not-set", ...at, problem };
  return { state: "refused", ...at, problem: { ...problem, next: credentialRefused(lookedIn(state)).next } };
}

/** One cheap request: the list of models. */
async function checkAccount(
  { clock }: Pick<RuntimeDeps, "clock">,
  providers: Providers,
  { account, name, signal }: Checking,
): Promise<AuthCheck> {
  if (account === undefined) return { state: "not-set", problem: unknownAccount(name, []) };
  const state = account.states.find(({ credential }) => credential !== undefined) ?? account.states[0];
  const { credential: place, endpoint, provider } = state;
  if (place === undefined && state.needsKey) return { state: "not-set", problem: credentialMissing(lookedIn(state)) };
  const at = place === undefined ? {} : { place };
  const lease = providers.host.lease();
  try {
    const adapter = lease.provider(provider);
    if (adapter === undefined || endpoint === undefined || endpoint.baseUrl === "")
      return { state: "unreachable", ...at, problem: state.problem ?? nothingToCheck(name) };
    const { engine, credentials } = providers;
    const listed = await listModels({ engine, clock, credentials }, { adapter, provider, endpoint, signal });
    return listed.ok ? { state: "ready", ...at, models: listed.value.length } : refusalOf(state, listed.error);
  } finally {
    lease.release();
  }
}
