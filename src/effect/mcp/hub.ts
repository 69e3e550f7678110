import { err, type JsonObject, ok, orAborted, type Result } from "../../base/index.js";
import type { Diagnostic, McpCallInput, McpResourceInfo, McpServerSetting, McpServerView } from "../../schema/index.js";
import { createGuard } from "../process/index.js";
import type { McpAnswer, McpPart, McpRendered, McpReply, McpUse } from "../types.js";
import { concealed } from "./conceal.js";
import { fitItems, fitViews, LISTS, unitsOf } from "./bounds.js";
import { readAnswer, readContents, readRendered } from "./content.js";
import { operationStopped, serverUnknown, signInFailed } from "./failures.js";
import { readPages, readResource } from "./listing.js";
import type { OauthPorts } from "./oauth/client.js";
import { createListCache, type ListCache } from "./server/cache.js";
import type { Connection } from "./server/connection.js";
import { type Failed, failureOf, isWall } from "./server/errors.js";
import { ServerKeeper } from "./server/keeper.js";
import { openTransport, type OpenPorts, sendsToken } from "./server/open.js";
import { httpTarget, lookAt } from "./server/target.js";
import type { FetchLike } from "./transport/fetch.js";
import type { Challenge } from "./transport/refusals.js";
import type { McpChange, McpCheck, McpHub, McpHubDeps } from "./types.js";
import { expand } from "./variables.js";

const SETTLE_MS = 10_000;
const MAX_RESOURCES = 1_000;

export class Hub implements McpHub {
  readonly #deps: McpHubDeps;
  #keepers: ReadonlyMap<string, ServerKeeper> = new Map();
  readonly #listeners = new Set<(change: McpChange | undefined) => void>();
  readonly #guard = process.platform === "win32" ? undefined : createGuard();
  readonly #ports: OpenPorts;
  readonly #ending = new Set<Promise<void>>();
  readonly #live = new Set<{ killNow(): void }>();
  /** By server: what it said of the sign-in it wants. */
  readonly #challenges = new Map<string, Challenge>();
  readonly #sizes = new WeakMap<McpServerView, number>();
  #views: readonly McpServerView[] = [];
  #fetch: FetchLike | undefined;

  constructor(deps: McpHubDeps) {
    this.#deps = deps;
    this.#ports = {
      deps,
      guard: this.#guard,
      live: this.#live,
      fetch: async () => (this.#fetch ??= await makeFetch(deps)),
      signedIn: async (setting, url) => await (await import("./oauth/client.js")).createSignedIn(this.#oauthPorts(setting, url)),
      onChallenge: (server, challenge) => {
        this.#challenges.set(server, challenge);
      },
    };
  }

  servers(): readonly McpServerView[] {
    return this.#views;
  }

  configure(settings: readonly McpServerSetting[]): void {
    const before = this.#keepers;
    const keepers = new Map<string, ServerKeeper>();
    const cache = createListCache(this.#deps);
    for (const setting of settings) {
      const kept = before.get(setting.name);
      const isSame = kept !== undefined && JSON.stringify(kept.setting) === JSON.stringify(setting);
      keepers.set(setting.name, isSame ? kept : this.#keep(setting, cache));
    }
    this.#keepers = keepers;
    for (const [name, keeper] of before) {
      if (keepers.get(name) === keeper) continue;
      this.#end(keeper);
      if (!keepers.has(name)) this.#changed({ server: name, state: "disconnected", message: "it is not configured any more" });
    }
    this.#changed(undefined);
  }

  observe(listener: (change: McpChange | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async settled(signal: AbortSignal): Promise<Result<void, Diagnostic>> {
    const keepers = [...this.#keepers.values()];
    const over = new AbortController();
    const known = Promise.all(keepers.map(async ({ known: one }) => await one)).then(() => undefined);
    await orAborted(Promise.race([known, this.#deps.clock.sleep(SETTLE_MS, over.signal)]), signal);
    over.abort("over");
    for (const { setting, view, problem } of keepers) {
      if (!setting.required || !setting.enabled || view.state === "connected" || view.state === "stale") continue;
      const isDecided = view.state === "failed" || view.state === "sign-in";
      const missing = isDecided ? problem : await this.#waitFor(setting.name, signal);
      if (missing !== undefined) return err(missing);
    }
    return ok(undefined);
  }

  async call(input: McpCallInput, use: McpUse): Promise<McpReply<McpAnswer>> {
    const { server, tool, args } = input;
    const request = { server, operation: `the tool ${tool}`, method: "tools/call", params: { name: tool, arguments: args } };
    // Sent a second time only where nothing was written the first time.
    const asked = await this.#asked(request, use, ({ outcome }) => outcome === "not-applied");
    return asked.isFailure
      ? { outcome: asked.outcome, result: err(asked.diagnostic) }
      : { outcome: "applied", result: ok(readAnswer(asked.result)) };
  }

  async read(server: string, uri: string, use: McpUse): Promise<Result<readonly McpPart[], Diagnostic>> {
    const read = await this.#safely(
      { server, operation: `the resource ${uri.slice(0, 120)}`, method: "resources/read", params: { uri } },
      use,
    );
    return read.ok ? ok(readContents(read.value)) : read;
  }

  async resources(
    server: string,
    use: McpUse,
  ): Promise<Result<{ readonly resources: readonly McpResourceInfo[]; readonly truncated: boolean }, Diagnostic>> {
    const all: McpResourceInfo[] = [];
    let isWhole = true;
    for (const [method, key] of [["resources/list", "resources"] as const, ["resources/templates/list", "resourceTemplates"] as const]) {
      const first = await this.#safely({ server, operation: `its ${key}`, method, params: {} }, use);
      // Templates are optional.
      if (!first.ok && method === "resources/list") return first;
      if (!first.ok) continue;
      const pages = await readPages(key, key, async (cursor) => {
        if (cursor === undefined) return first.value;
        const next = await this.#safely({ server, operation: `its ${key}`, method, params: { cursor } }, use);
        if (!next.ok) throw new Error(next.error.what);
        return next.value;
      });
      isWhole &&= pages.notes.length === 0;
      all.push(...pages.items.flatMap((item) => readResource(item) ?? []));
    }
    const { items } = fitItems("resource", all.slice(0, MAX_RESOURCES), LISTS.server);
    return ok({ resources: items, truncated: !isWhole || items.length < all.length });
  }

  async prompt(
    server: string,
    { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
    use: McpUse,
  ): Promise<Result<McpRendered, Diagnostic>> {
    const asked = await this.#safely(
      { server, operation: `the prompt ${name}`, method: "prompts/get", params: { name, arguments: args } },
      use,
    );
    return asked.ok ? ok(readRendered(asked.value)) : asked;
  }

  async reconnect(server: string, use: McpUse): Promise<Result<McpServerView, Diagnostic>> {
    const keeper = this.#keepers.get(server);
    return keeper === undefined ? err(serverUnknown(server)) : await keeper.reconnect(use.signal);
  }

  async look(setting: McpServerSetting): Promise<Result<string, Diagnostic>> {
    return await lookAt(setting, this.#deps);
  }

  async check(setting: McpServerSetting, signal: AbortSignal): Promise<Result<McpCheck, Diagnostic>> {
    const { clock } = this.#deps;
    const started = clock.monotonic();
    const none = { load: async () => await Promise.resolve(undefined), save: async () => await Promise.resolve() };
    const keeper = new ServerKeeper(
      { ...setting, enabled: true },
      { deps: this.#deps, cache: none, open: async (stop) => await openTransport(setting, this.#ports, stop), onChange: NOBODY },
    );
    try {
      const made = await keeper.connection(signal);
      if (!made.ok) return made;
      const { view } = keeper;
      const tookMs = clock.monotonic() - started;
      // What it wrote is all read at its end.
      await keeper.close();
      const { conceal } = this.#deps;
      const { stderr, noise, log } = made.value;
      return ok({ view: concealed(view, conceal), tookMs, stderr: conceal(stderr), noise: noise.map(conceal), log: log.map(conceal) });
    } finally {
      await keeper.close();
    }
  }

  async signIn(
    setting: McpServerSetting,
    use: { readonly signal: AbortSignal; readonly onUrl: (url: string) => void },
  ): Promise<Result<void, Diagnostic>> {
    const { transport, name } = setting;
    if (transport.type !== "http") return err(signInFailed(name, "It is started by a command; only servers with a url have a sign-in."));
    if (sendsToken(setting)) return err(signInFailed(name, "Its setting names a token, so nothing is signed in."));
    const target = await httpTarget(setting, this.#deps, use.signal);
    if (!target.ok) return target;
    const { url, headers } = target.value;
    const { signIn } = await import("./oauth/sign-in.js");
    const done = await signIn(
      {
        ...{ clock: this.#deps.clock, fetch: await this.#ports.fetch(), oauth: this.#oauthPorts(setting, url.href), headers },
        ...{ randomBytes: this.#deps.randomBytes, challenge: this.#challenges.get(name), callbackPort: transport.oauth?.callbackPort },
        conceal: this.#deps.conceal,
      },
      use,
    );
    if (!done.ok) return done;
    this.#challenges.delete(name);
    // It waits for exactly this.
    this.#keepers.get(name)?.signInChanged();
    return done;
  }

  async signOut({ name }: McpServerSetting): Promise<Result<boolean, Diagnostic>> {
    const kept = await this.#deps.tokens.load(name);
    if (!kept.ok) return kept;
    if (kept.value === undefined) return ok(false);
    const saved = await this.#deps.tokens.save(name, null);
    if (!saved.ok) return saved;
    this.#keepers.get(name)?.signInChanged();
    return ok(true);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const keeper of this.#keepers.values()) this.#end(keeper);
    this.#keepers = new Map();
    this.#views = [];
    await Promise.all(this.#ending);
    await this.#guard?.close();
  }

  killNow(): void {
    for (const keeper of this.#keepers.values()) keeper.stop();
    for (const one of this.#live) one.killNow();
  }

  #keep(setting: McpServerSetting, cache: ListCache): ServerKeeper {
    const keeper: ServerKeeper = new ServerKeeper(setting, {
      ...{ deps: this.#deps, cache },
      open: async (signal) => await openTransport(setting, this.#ports, signal),
      onChange: (change) => {
        if (this.#keepers.get(setting.name) === keeper) this.#changed(change);
      },
    });
    return keeper;
  }

  #oauthPorts({ name, transport }: McpServerSetting, url: string): OauthPorts {
    const { tokens, client, onSecret, env, secret } = this.#deps;
    const oauth = transport.type === "http" ? transport.oauth : undefined;
    const filled =
      oauth?.clientSecret === undefined ? undefined : expand(oauth.clientSecret, "its client secret", { server: name, env, secret });
    if (filled?.ok === true) onSecret(`mcp-${name}`, filled.value);
    const known = filled?.ok === true ? { secret: filled.value } : {};
    return {
      ...{ server: name, url, store: tokens, clientName: client.name, onSecret },
      ...(oauth?.clientId === undefined ? {} : { client: { id: oauth.clientId, ...known } }),
      ...(oauth?.scopes === undefined ? {} : { scopes: oauth.scopes }),
    };
  }

  async #waitFor(server: string, signal: AbortSignal): Promise<Diagnostic | undefined> {
    const made = await this.#keepers.get(server)?.connection(signal);
    return made?.ok === false ? made.error : undefined;
  }

  /** A request that changes nothing: asked once more over a new connection where the first was lost. */
  async #safely(request: AskedRequest, use: McpUse): Promise<Result<JsonObject, Diagnostic>> {
    const asked = await this.#asked(request, use, () => true);
    return asked.isFailure ? err(asked.diagnostic) : ok(asked.result);
  }

  /** Asks, and once more over another connection where the first was lost and `isSafe` says so. */
  async #asked(request: AskedRequest, use: McpUse, isSafe: (failed: Failed) => boolean): Promise<Asked> {
    const keeper = this.#keepers.get(request.server);
    if (keeper === undefined) return notAsked(serverUnknown(request.server));
    for (let attempt = 1; ; attempt += 1) {
      const made = await keeper.connection(use.signal);
      if (!made.ok) return notAsked(made.error);
      const asked = await this.#ask(made.value, { ...request, keeper }, use);
      if (!asked.isFailure || !asked.isLost || attempt === 2 || isWall(asked.diagnostic) || !isSafe(asked)) return asked;
    }
  }

  async #ask(connection: Connection, request: AskedRequest & { readonly keeper: ServerKeeper }, use: McpUse): Promise<Asked> {
    const { server, operation, keeper } = request;
    const { timeoutMs } = keeper.setting;
    const { signal } = use;
    if (signal.aborted) return notAsked(operationStopped(server, operation));
    try {
      return { isFailure: false, result: await connection.request(request.method, request.params, use) };
    } catch (error) {
      const hasToken = sendsToken(keeper.setting);
      const { conceal } = this.#deps;
      const failed = failureOf(error, { server, operation, timeoutMs, signal, hasToken, conceal, end: connection.end });
      if (failed.isLost) keeper.drop(connection, failed);
      return { isFailure: true, ...failed };
    }
  }

  #changed(change: McpChange | undefined): void {
    this.#views = fitViews(
      [...this.#keepers.values()].map(({ view }) => view),
      (view) => this.#sizeOf(view),
    );
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Counted once for each view: a change of one server is no reason to write out all of them. */
  #sizeOf(view: McpServerView): number {
    const size = this.#sizes.get(view) ?? unitsOf(view);
    this.#sizes.set(view, size);
    return size;
  }

  #end(keeper: ServerKeeper): void {
    const ending = keeper.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

interface AskedRequest {
  readonly server: string;
  readonly operation: string;
  readonly method: string;
  readonly params: JsonObject;
}

type Asked = { readonly isFailure: false; readonly result: JsonObject } | ({ readonly isFailure: true } & Failed);

const notAsked = (diagnostic: Diagnostic): Asked => ({ isFailure: true, outcome: "not-applied", diagnostic, isLost: false });

const NOBODY = (): void => undefined;

async function makeFetch({ env }: McpHubDeps): Promise<FetchLike> {
  return (await import("./transport/fetch.js")).createFetch(env);
}
