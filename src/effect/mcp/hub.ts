import { randomUUID } from "node:crypto";
import { err, type JsonObject, ok, orAborted, type Result } from "../../base/index.js";
import type { Diagnostic, McpCallInput, McpResourceInfo, McpServerSetting, McpServerView } from "../../schema/index.js";
import { createGuard } from "../process/index.js";
import type { McpAnswer, McpPart, McpRendered, McpReply, McpUse } from "../types.js";
import { readAnswer, readContents, readRendered } from "./content.js";
import { serverUnknown } from "./failures.js";
import { readPages, readResource } from "./listing.js";
import { OauthClient } from "./oauth/client.js";
import { createListCache } from "./server/cache.js";
import type { Connection } from "./server/connection.js";
import { failureOf } from "./server/errors.js";
import { ServerKeeper } from "./server/keeper.js";
import { openTransport, type OpenPorts } from "./server/open.js";
import type { FetchLike } from "./transport/fetch.js";
import type { McpChange, McpCheck, McpHub, McpHubDeps } from "./types.js";

const SETTLE_MS = 10_000;
const MAX_RESOURCES = 1_000;

export class Hub implements McpHub {
  readonly #deps: McpHubDeps;
  readonly #keepers = new Map<string, ServerKeeper>();
  readonly #listeners = new Set<(change: McpChange | undefined) => void>();
  readonly #guard = process.platform === "win32" ? undefined : createGuard();
  readonly #ports: OpenPorts;
  readonly #ending = new Set<Promise<void>>();
  #views: readonly McpServerView[] = [];
  #fetch: FetchLike | undefined;

  constructor(deps: McpHubDeps) {
    this.#deps = deps;
    this.#ports = {
      deps,
      guard: this.#guard,
      fetch: async () => (this.#fetch ??= (await import("./transport/fetch.js")).createFetch(deps.env)),
      oauth: async (setting, url) => await Promise.resolve(this.#oauth(setting, url)),
    };
  }

  servers(): readonly McpServerView[] {
    return this.#views;
  }

  configure(settings: readonly McpServerSetting[]): void {
    const wanted = new Map(settings.map((setting) => [setting.name, setting]));
    for (const [name, keeper] of this.#keepers) {
      if (JSON.stringify(keeper.setting) === JSON.stringify(wanted.get(name))) continue;
      this.#keepers.delete(name);
      this.#end(keeper);
    }
    const cache = createListCache(this.#deps.cacheDir, this.#deps.conceal, randomUUID);
    for (const [name, setting] of wanted) {
      if (this.#keepers.has(name)) continue;
      const keeper: ServerKeeper = new ServerKeeper(setting, {
        ...{ deps: this.#deps, cache },
        open: async (signal) => await openTransport(setting, this.#ports, signal),
        onChange: (change) => {
          if (this.#keepers.get(name) === keeper) this.#changed(change);
        },
      });
      this.#keepers.set(name, keeper);
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
    for (const { setting, view, problem } of keepers)
      if (setting.required && setting.enabled && view.state !== "connected" && view.state !== "stale") {
        const missing = problem ?? (await this.#waitFor(setting.name, signal));
        if (missing !== undefined) return err(missing);
      }
    return ok(undefined);
  }

  async call(input: McpCallInput, use: McpUse): Promise<McpReply<McpAnswer>> {
    const { server, tool, args } = input;
    const operation = `the tool ${tool}`;
    const ask = async (connection: Connection): Promise<McpReply<McpAnswer> | Diagnostic> => {
      const asked = await this.#ask(connection, { server, operation, method: "tools/call", params: { name: tool, arguments: args } }, use);
      if (!asked.isFailure) return { outcome: "applied", result: ok(readAnswer(asked.result)) };
      if (asked.isLost && asked.outcome === "not-applied") return asked.diagnostic;
      return { outcome: asked.outcome, result: err(asked.diagnostic) };
    };
    const first = await this.#with(server, use.signal, ask);
    // Nothing was written the first time, so asking once more repeats nothing.
    const done = first !== undefined && "code" in first ? await this.#with(server, use.signal, ask) : first;
    if (done === undefined) return { outcome: "not-applied", result: err(serverUnknown(server)) };
    return "code" in done ? { outcome: "not-applied", result: err(done) } : done;
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
      all.push(...pages.items.flatMap((item) => readResource(item) ?? []));
    }
    return ok({ resources: all.slice(0, MAX_RESOURCES), truncated: all.length > MAX_RESOURCES });
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

  async check(setting: McpServerSetting, signal: AbortSignal): Promise<Result<McpCheck, Diagnostic>> {
    const { clock } = this.#deps;
    const started = clock.monotonic();
    const none = { load: async () => await Promise.resolve(undefined), save: async () => await Promise.resolve() };
    const keeper = new ServerKeeper(
      { ...setting, enabled: true },
      { deps: this.#deps, cache: none, open: async (stop) => await openTransport(setting, this.#ports, stop), onChange: () => undefined },
    );
    try {
      const made = await keeper.connection(signal);
      if (!made.ok) return made;
      const { stderr, noise } = made.value;
      return ok({
        view: keeper.view,
        tookMs: clock.monotonic() - started,
        stderr: this.#deps.conceal(stderr),
        noise: noise.map(this.#deps.conceal),
      });
    } finally {
      await keeper.close();
    }
  }

  async signIn(
    setting: McpServerSetting,
    use: { readonly signal: AbortSignal; readonly onUrl: (url: string) => void },
  ): Promise<Result<void, Diagnostic>> {
    const { transport, name } = setting;
    const { signInFailed } = await import("./failures.js");
    if (transport.type !== "http") return err(signInFailed(name, "It is started by a command; only servers with a url have a sign-in."));
    if (transport.bearer !== undefined) return err(signInFailed(name, "Its setting names a token, so nothing is signed in."));
    const { signIn } = await import("./oauth/sign-in.js");
    return await signIn(
      transport,
      { clock: this.#deps.clock, fetch: await this.#ports.fetch(), client: this.#oauthPorts(setting, transport.url) },
      use,
    );
  }

  async signOut({ name }: McpServerSetting): Promise<Result<boolean, Diagnostic>> {
    if ((await this.#deps.tokens.load(name)) === undefined) return ok(false);
    const saved = await this.#deps.tokens.save(name, null);
    return saved.ok ? ok(true) : saved;
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const keeper of this.#keepers.values()) this.#end(keeper);
    this.#keepers.clear();
    await Promise.all(this.#ending);
    await this.#guard?.close();
  }

  killNow(): void {
    for (const keeper of this.#keepers.values()) keeper.killNow();
  }

  #oauth(setting: McpServerSetting, url: string): OauthClient {
    return new OauthClient(this.#oauthPorts(setting, url));
  }

  #oauthPorts({ name, transport }: McpServerSetting, url: string): ConstructorParameters<typeof OauthClient>[0] {
    const { tokens, client, onSecret } = this.#deps;
    const oauth = transport.type === "http" ? transport.oauth : undefined;
    return {
      ...{ server: name, url, store: tokens, clientName: client.name, onSecret },
      ...(oauth?.clientId === undefined ? {} : { clientId: oauth.clientId }),
      ...(oauth?.scopes === undefined ? {} : { scopes: oauth.scopes }),
    };
  }

  async #waitFor(server: string, signal: AbortSignal): Promise<Diagnostic | undefined> {
    const made = await this.#keepers.get(server)?.connection(signal);
    return made?.ok === false ? made.error : undefined;
  }

  /** Runs over a connection of a server; undefined: there is no such server. */
  async #with<T>(server: string, signal: AbortSignal, run: (connection: Connection) => Promise<T>): Promise<T | Diagnostic | undefined> {
    const keeper = this.#keepers.get(server);
    if (keeper === undefined) return undefined;
    const made = await keeper.connection(signal);
    return made.ok ? await run(made.value) : made.error;
  }

  /** A request that changes nothing: asked once more over a new connection where the first was lost. */
  async #safely(request: AskedRequest, use: McpUse): Promise<Result<JsonObject, Diagnostic>> {
    const ask = async (connection: Connection): Promise<Asked> => await this.#ask(connection, request, use);
    let asked = await this.#with(request.server, use.signal, ask);
    if (asked !== undefined && "isFailure" in asked && asked.isFailure && asked.isLost)
      asked = await this.#with(request.server, use.signal, ask);
    if (asked === undefined) return err(serverUnknown(request.server));
    if (!("isFailure" in asked)) return err(asked);
    return asked.isFailure ? err(asked.diagnostic) : ok(asked.result);
  }

  async #ask(connection: Connection, { server, operation, method, params }: AskedRequest, use: McpUse): Promise<Asked> {
    try {
      return { isFailure: false, result: await connection.request(method, params, use) };
    } catch (error) {
      const keeper = this.#keepers.get(server);
      const timeoutMs = keeper?.setting.timeoutMs ?? 0;
      const failed = failureOf(error, { server, operation, timeoutMs, signal: use.signal });
      if (failed.isLost) await keeper?.drop(connection);
      return { isFailure: true, ...failed };
    }
  }

  #changed(change: McpChange | undefined): void {
    this.#views = [...this.#keepers.values()].map(({ view }) => view);
    for (const listener of [...this.#listeners]) listener(change);
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

type Asked = { readonly isFailure: false; readonly result: JsonObject } | ({ readonly isFailure: true } & ReturnType<typeof failureOf>);
