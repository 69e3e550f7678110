import { err, ok, orAborted, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting, McpServerState, McpServerView } from "../../../schema/index.js";
import { concealed } from "../conceal.js";
import { operationStopped, serverFailed, serverOff } from "../failures.js";
import type { McpChange, McpHubDeps } from "../types.js";
import type { ListCache } from "./cache.js";
import { Connection, type ConnectionPorts, type ServerFacts } from "./connection.js";
import { connectFailure, type Failed, isWall } from "./errors.js";
import { type OpenTransport, sendsToken } from "./open.js";
import { StartLimit } from "./start-limit.js";

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
  readonly #ending = new Set<Promise<void>>();
  #view: McpServerView;
  #connection: Connection | undefined;
  #attempt: Promise<Result<Connection, Diagnostic>> | undefined;
  /** Starts since it was last healthy. */
  #starts = 0;
  #startedMs = 0;
  #openedMs = 0;
  #lastProblem: Diagnostic | undefined;
  #listed = "";
  #areListsOld = false;
  #isRereading = false;
  #isComingBack = false;
  /** Resolves when it is first known what it offers, or that it offers nothing. */
  readonly known: Promise<void>;

  constructor(setting: McpServerSetting, ports: KeeperPorts) {
    this.setting = setting;
    this.#ports = ports;
    const { name, allow, deny, offer, timeoutMs, enabled } = setting;
    const state = enabled ? "connecting" : "off";
    this.#view = { name, state, tools: [], prompts: [], resources: false, notes: [], allow, deny, offer, timeoutMs };
    this.known = enabled ? this.#begin() : Promise.resolve();
    // Whoever waits for it meets what goes wrong.
    this.known.catch(() => undefined);
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
    if (this.#connection !== undefined && this.#connection.end === undefined) return ok(this.#connection);
    if (this.#attempt === undefined && !this.#mayStart())
      return err(
        serverFailed(name, `It was started ${KEEPING.maxStarts} times in a row and did not stay. ${this.#lastProblem?.why ?? ""}`.trim()),
      );
    const made = await orAborted(this.#connect(), signal);
    return made === "aborted" ? err(operationStopped(name, "Connecting")) : made;
  }

  /** A connection that failed a request for good is not used for another one. Returns at once. */
  drop(connection: Connection, { diagnostic }: Pick<Failed, "diagnostic">): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
      if (isWall(diagnostic)) this.#failed(diagnostic);
      else this.#lost(connection.end ?? diagnostic.why);
    }
    this.#end(connection);
  }

  /** A person wants it connected, whatever came before. */
  async reconnect(signal: AbortSignal): Promise<Result<McpServerView, Diagnostic>> {
    const current = this.#connection;
    this.#connection = undefined;
    if (current !== undefined) this.#end(current);
    this.#starts = 0;
    const made = await this.connection(signal);
    return made.ok ? ok(this.#view) : made;
  }

  /** Connects afresh, with the sign-in as it is now; nobody waits for it. */
  signInChanged(): void {
    this.#until(this.#signInChanged());
  }

  /** Nothing is started any more. */
  stop(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.stop();
    if (this.#connection !== undefined) this.#end(this.#connection);
    const attempt = await this.#attempt?.catch(() => undefined);
    if (attempt?.ok === true) this.#end(attempt.value);
    await Promise.all(this.#ending);
  }

  async #signInChanged(): Promise<void> {
    // One under way uses the sign-in that was.
    await this.#attempt;
    if (!this.#closing.signal.aborted) await this.reconnect(this.#closing.signal);
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
    const hasToken = sendsToken(this.setting);
    const { clock, conceal } = this.#ports.deps;
    this.#starts += 1;
    this.#startedMs = clock.monotonic();
    const ports: ConnectionPorts = {
      ...{ server: name, deps: this.#ports.deps, timeoutMs },
      onListsChanged: () => {
        this.#areListsOld = true;
        if (this.#connection !== undefined) this.#reread();
      },
      onLost: (why) => {
        if (connection === undefined || this.#connection !== connection) return;
        this.#connection = undefined;
        this.#lost(why);
        this.#end(connection);
      },
    };
    let connection: Connection | undefined;
    let opened: Result<OpenTransport, Diagnostic> | undefined;
    const limit = new StartLimit(clock, timeoutMs, signal);
    try {
      opened = await limit.within(this.#ports.open(limit.signal));
      if (!opened.ok) return this.#failed(concealed(opened.error, conceal));
      connection = await Connection.open(ports, opened.value, limit);
      const facts = await limit.within(connection.facts(limit.signal));
      if (connection.end !== undefined) throw new Error(connection.end);
      this.#opened(connection, facts);
      return ok(connection);
    } catch (error) {
      const transport = opened?.ok === true ? opened.value : undefined;
      // Read before we end it ourselves.
      const end = connection?.end ?? transport?.end;
      if (connection !== undefined) this.#end(connection);
      const problem = connectFailure(error, { server: name, timeoutMs, signal, conceal, hasToken, end });
      return this.#failed(problem, transport?.stderr?.());
    } finally {
      limit.end();
    }
  }

  #opened(connection: Connection, facts: ServerFacts): void {
    this.#connection = connection;
    this.#openedMs = this.#ports.deps.clock.monotonic();
    this.#lastProblem = undefined;
    this.#listed = JSON.stringify(facts);
    this.#show("connected", facts, { server: this.setting.name, state: "connected", message: "connected" });
    this.#remember(facts);
    if (this.#areListsOld) this.#reread();
  }

  #failed(problem: Diagnostic, stderr = ""): Result<never, Diagnostic> {
    const { name, transport } = this.setting;
    const said = lastLine(this.#ports.deps.conceal(stderr));
    const told = said === "" ? problem : { ...problem, why: `${problem.why} It said: ${said}` };
    this.#lastProblem = told;
    if (this.#closing.signal.aborted) return err(told);
    const isTriedAgain = this.#isComingBack && this.#starts < KEEPING.maxStarts && !isWall(problem);
    const state = isWall(problem) ? "sign-in" : isTriedAgain ? "reconnecting" : "failed";
    const change = isTriedAgain ? undefined : ({ server: name, state, message: told.why } as const);
    const { message: _, ...rest } = this.#view;
    this.#update({ ...rest, state, message: told.why }, change);
    // One that is reached over a network may not be up yet; a program that does not start will not start in a second either.
    if (transport.type === "http" && problem.code === "mcp.server-failed") this.#until(this.#comeBack());
    return err(told);
  }

  /** It went away by itself: it is started again after a while, as often as it may. */
  #lost(why: string): void {
    const { clock, conceal } = this.#ports.deps;
    const { name } = this.setting;
    if (this.#closing.signal.aborted) return;
    if (clock.monotonic() - this.#openedMs >= KEEPING.healthyMs) this.#starts = 0;
    const told = conceal(why).slice(0, 500);
    this.#lastProblem = serverFailed(name, told);
    if (this.#starts >= KEEPING.maxStarts) {
      this.#failed(serverFailed(name, `${told} It was started ${this.#starts} times in a row.`));
      return;
    }
    const { message: _, ...rest } = this.#view;
    this.#update({ ...rest, state: "reconnecting", message: told }, { server: name, state: "reconnecting", message: told });
    this.#until(this.#comeBack());
  }

  async #comeBack(): Promise<void> {
    if (this.#isComingBack) return;
    this.#isComingBack = true;
    const { signal } = this.#closing;
    while (this.#starts < KEEPING.maxStarts) {
      const step = Math.min(Math.max(this.#starts, 1), KEEPING.backoffMs.length) - 1;
      await this.#ports.deps.clock.sleep(KEEPING.backoffMs[step] ?? 0, signal);
      if (signal.aborted || this.#connection !== undefined || this.#starts >= KEEPING.maxStarts) break;
      const made = await this.#connect();
      // It may be gone again by now, with nobody else to bring it back.
      if (made.ok ? this.#connection !== undefined : made.error.code !== "mcp.server-failed") break;
    }
    this.#isComingBack = false;
  }

  /** Somebody needs it: it may be started unless it failed again and again within the last minute. */
  #mayStart(): boolean {
    if (this.#ports.deps.clock.monotonic() - this.#startedMs >= KEEPING.healthyMs) this.#starts = 0;
    return this.#starts < KEEPING.maxStarts;
  }

  #reread(): void {
    if (this.#isRereading) return;
    this.#isRereading = true;
    this.#until(
      this.#readLists().finally(() => {
        this.#isRereading = false;
      }),
    );
  }

  async #readLists(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#areListsOld && !signal.aborted) {
      await this.#ports.deps.clock.sleep(KEEPING.debounceMs, signal);
      this.#areListsOld = false;
      const connection = this.#connection;
      // A connection that broke is told by itself, and a new one lists afresh.
      const facts = await connection?.facts(signal).catch(() => undefined);
      const listed = JSON.stringify(facts);
      if (facts === undefined || this.#connection !== connection || listed === this.#listed) continue;
      this.#listed = listed;
      this.#show("connected", facts, { server: this.setting.name, state: "tools-changed", message: "its lists changed" });
      this.#remember(facts);
    }
  }

  #remember(facts: ServerFacts): void {
    this.#until(this.#ports.cache.save(this.setting, facts));
  }

  /** Something nobody waits for but our own end. */
  #until(work: Promise<void>): void {
    const ending = work.catch(() => undefined).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Closes it without anybody waiting but our own end. */
  #end(connection: Connection): void {
    this.#until(connection.close());
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

const lastLine = (text: string): string => (text.trim().split("\n").at(-1) ?? "").slice(0, 300);
