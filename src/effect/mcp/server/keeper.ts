import { orAborted } from "../../../base/index.js";
import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting, McpServerState, McpServerView } from "../../../schema/index.js";
import { operationStopped, serverFailed, serverOff } from "../failures.js";
import type { McpChange, McpHubDeps } from "../types.js";
import type { ListCache } from "./cache.js";
import { Connection, type ConnectionPorts, type ServerFacts } from "./connection.js";
import { failureOf } from "./errors.js";
import type { OpenTransport } from "./open.js";

export interface KeeperPorts {
  readonly deps: McpHubDeps;
  readonly cache: ListCache;
  /** A transport to the server, not started yet. */
  readonly open: (signal: AbortSignal) => Promise<Result<OpenTransport, Diagnostic>>;
  /** Told after the view changed. */
  readonly onChange: (change: McpChange | undefined) => void;
}

export const KEEPING = {
  /** Waits before a server that went away is started again, ms. */
  backoffMs: [1_000, 5_000, 30_000],
  /** Starts in a row that may fail or end early. */
  maxStarts: 5,
  /** A connection that held so long counts as healthy. */
  healthyMs: 60_000,
  /** Between a word that lists changed and reading them again. */
  debounceMs: 100,
} as const;

/** One server: connected in the background, kept, started again when it goes away, within bounds. */
export class ServerKeeper {
  readonly setting: McpServerSetting;
  readonly #ports: KeeperPorts;
  readonly #closing = new AbortController();
  #view: McpServerView;
  #connection: Connection | undefined;
  #attempt: Promise<Result<Connection, Diagnostic>> | undefined;
  /** Starts since it was last healthy. */
  #starts = 0;
  #openedMs = 0;
  #lastProblem: Diagnostic | undefined;
  #isRereading = false;
  /** Resolves when it is first known what it offers, or that it offers nothing. */
  readonly known: Promise<void>;

  constructor(setting: McpServerSetting, ports: KeeperPorts) {
    this.setting = setting;
    this.#ports = ports;
    const { name, allow, deny, offer, timeoutMs, enabled } = setting;
    const state = enabled ? "connecting" : "off";
    this.#view = { name, state, tools: [], prompts: [], resources: false, notes: [], allow, deny, offer, timeoutMs };
    this.known = enabled ? this.#begin() : Promise.resolve();
  }

  get view(): McpServerView {
    return this.#view;
  }

  /** Why it cannot be used, where that is known. */
  get problem(): Diagnostic | undefined {
    return this.#lastProblem;
  }

  /** A connection that works, made if need be: waited for by whoever needs one. */
  async connection(signal: AbortSignal): Promise<Result<Connection, Diagnostic>> {
    const { name, enabled } = this.setting;
    if (!enabled) return err(serverOff(name));
    if (this.#connection !== undefined && !this.#connection.isClosed) return ok(this.#connection);
    if (this.#attempt === undefined && this.#starts >= KEEPING.maxStarts)
      return err(
        serverFailed(name, `It was started ${KEEPING.maxStarts} times in a row and did not stay. ${this.#lastProblem?.why ?? ""}`.trim()),
      );
    const made = await orAborted(this.#connect(), signal);
    return made === "aborted" ? err(operationStopped(name, "Connecting")) : made;
  }

  /** A connection that failed a request is not used for another one. */
  async drop(connection: Connection): Promise<void> {
    if (this.#connection === connection) this.#connection = undefined;
    await connection.close();
  }

  /** A person wants it connected, whatever came before. */
  async reconnect(signal: AbortSignal): Promise<Result<McpServerView, Diagnostic>> {
    const current = this.#connection;
    if (current !== undefined) await this.drop(current);
    this.#starts = 0;
    const made = await this.connection(signal);
    return made.ok ? ok(this.#view) : made;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const attempt = await this.#attempt?.catch(() => undefined);
    await Promise.all([this.#connection?.close(), attempt?.ok === true ? attempt.value.close() : undefined]);
  }

  killNow(): void {
    this.#closing.abort();
    this.#connection?.killNow();
  }

  async #begin(): Promise<void> {
    const cached = await this.#ports.cache.load(this.setting);
    if (cached !== undefined && this.#connection === undefined) this.#show("stale", cached);
    const connecting = this.#connect();
    if (cached === undefined) await connecting;
    else connecting.catch(() => undefined);
  }

  async #connect(): Promise<Result<Connection, Diagnostic>> {
    this.#attempt ??= this.#start().finally(() => {
      this.#attempt = undefined;
    });
    return await this.#attempt;
  }

  async #start(): Promise<Result<Connection, Diagnostic>> {
    const { signal } = this.#closing;
    const { name, timeoutMs } = this.setting;
    this.#starts += 1;
    const opened = await this.#ports.open(signal);
    if (!opened.ok) return this.#failed(opened.error);
    const isLost: { why?: string } = {};
    const ports: ConnectionPorts = {
      ...{ server: name, deps: this.#ports.deps, timeoutMs },
      onListsChanged: () => {
        void this.#reread();
      },
      onLost: (why) => {
        isLost.why = why;
        if (this.#connection === connection) this.#lost(why);
      },
    };
    let connection: Connection | undefined;
    try {
      connection = await Connection.open(ports, opened.value, signal);
      const facts = await connection.facts(signal);
      if (isLost.why !== undefined) return this.#failed(serverFailed(name, isLost.why));
      this.#connection = connection;
      this.#openedMs = this.#ports.deps.clock.monotonic();
      this.#lastProblem = undefined;
      this.#show("connected", facts, { server: name, state: "connected", message: "connected" });
      void this.#ports.cache.save(this.setting, facts);
      return ok(connection);
    } catch (error) {
      await connection?.close();
      const { diagnostic } = failureOf(error, { server: name, operation: "connecting", timeoutMs, signal });
      const stderr = connection?.stderr ?? opened.value.stderr?.() ?? "";
      return this.#failed(diagnostic, stderr);
    }
  }

  #failed(problem: Diagnostic, stderr = ""): Result<never, Diagnostic> {
    const { name } = this.setting;
    const said = this.#ports.deps.conceal(stderr).trim().split("\n").at(-1)?.slice(0, 300);
    const told = said === undefined || said === "" ? problem : { ...problem, why: `${problem.why} It said: ${said}` };
    this.#lastProblem = told;
    if (this.#closing.signal.aborted) return err(told);
    const state = problem.code === "mcp.sign-in-needed" ? "sign-in" : "failed";
    const { message: _, ...rest } = this.#view;
    this.#update({ ...rest, state, message: told.why, ...(state === "failed" ? {} : {}) }, { server: name, state, message: told.why });
    return err(told);
  }

  /** It went away by itself: it is started again after a while, as often as it may. */
  #lost(why: string): void {
    const { clock } = this.#ports.deps;
    const { name } = this.setting;
    this.#connection = undefined;
    if (this.#closing.signal.aborted) return;
    if (clock.monotonic() - this.#openedMs >= KEEPING.healthyMs) this.#starts = 0;
    this.#lastProblem = serverFailed(name, why);
    if (this.#starts >= KEEPING.maxStarts) {
      this.#failed(serverFailed(name, `${why} It was started ${this.#starts} times in a row.`));
      return;
    }
    const { message: _, ...rest } = this.#view;
    this.#update({ ...rest, state: "reconnecting", message: why }, { server: name, state: "reconnecting", message: why });
    void this.#restart(KEEPING.backoffMs[Math.min(this.#starts - 1, KEEPING.backoffMs.length - 1)] ?? 0);
  }

  async #restart(delayMs: number): Promise<void> {
    await this.#ports.deps.clock.sleep(Math.max(0, delayMs), this.#closing.signal);
    if (!this.#closing.signal.aborted && this.#connection === undefined) await this.#connect();
  }

  async #reread(): Promise<void> {
    if (this.#isRereading) return;
    this.#isRereading = true;
    const { signal } = this.#closing;
    await this.#ports.deps.clock.sleep(KEEPING.debounceMs, signal);
    this.#isRereading = false;
    const connection = this.#connection;
    if (connection === undefined || signal.aborted) return;
    try {
      const facts = await connection.facts(signal);
      if (this.#connection !== connection) return;
      this.#show("connected", facts, { server: this.setting.name, state: "tools-changed", message: "its lists changed" });
      await this.#ports.cache.save(this.setting, facts);
    } catch {
      // What it listed before stays; a connection that broke is told by itself.
    }
  }

  #show(state: McpServerState, facts: ServerFacts, change?: McpChange): void {
    const { name, allow, deny, offer, timeoutMs } = this.#view;
    this.#update({ ...facts, name, state, allow, deny, offer, timeoutMs }, change);
  }

  #update(view: McpServerView, change: McpChange | undefined): void {
    this.#view = view;
    this.#ports.onChange(change);
  }
}
