import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { clipUtf8, isJsonObject, type JsonObject } from "../../../base/index.js";
import type { McpPromptInfo, McpToolInfo } from "../../../schema/index.js";
import { fewNotes, fitItems, LISTS } from "../bounds.js";
import { elicit } from "../elicitation.js";
import { readPages, readPrompts, readTools } from "../listing.js";
import { NotSent } from "../transport/message.js";
import type { ServerNoise } from "../transport/stdio.js";
import type { McpUse } from "../../types.js";
import type { McpHubDeps } from "../types.js";
import { TimedOut } from "./errors.js";
import { Patience } from "./patience.js";
import { progressTo } from "./progress.js";
import type { StartLimit } from "./start-limit.js";

/** What a connected server is and has. */
export interface ServerFacts {
  readonly title?: string;
  readonly version?: string;
  readonly protocol?: string;
  readonly instructions?: string;
  readonly resources: boolean;
  readonly tools: readonly McpToolInfo[];
  readonly prompts: readonly McpPromptInfo[];
  readonly notes: readonly string[];
}

export interface ConnectionPorts {
  readonly server: string;
  readonly deps: Pick<McpHubDeps, "client" | "clock">;
  readonly timeoutMs: number;
  /** The server says that its tools or prompts are others. */
  readonly onListsChanged: () => void;
  /** It is gone, and nobody asked for that. */
  readonly onLost: (why: string) => void;
}

type OpenTransport = Transport & Partial<ServerNoise> & { readonly end?: string | undefined };

const MAX_INSTRUCTIONS = 8 * 1024;
const MAX_LOG_LINES = 50;
const MAX_LOG_UNITS = 200;
/** Forms that wait for a person at once; any more are declined. */
const MAX_FORMS = 8;
/** The protocol's own timer; ours is the one that counts. */
const NEVER_MS = 2 ** 31 - 1;

/** A request that waits for its answer. */
interface Waiting {
  readonly use: McpUse;
  readonly patience: Patience;
}

/** One session with a server. */
export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #client: Client;
  readonly #transport: OpenTransport;
  /** What the server asks meanwhile is put to the newest that can ask. */
  readonly #waiting = new Set<Waiting>();
  readonly #log: string[] = [];
  /** Of the form that was asked last: its end. */
  #form: Promise<void> = Promise.resolve();
  #forms = 0;
  #end: string | undefined;

  private constructor(ports: ConnectionPorts, client: Client, transport: OpenTransport) {
    this.#ports = ports;
    this.#client = client;
    this.#transport = transport;
  }

  /** Connects and agrees on a revision; rejects with what the transport or the server says, and has closed the transport then. */
  static async open(ports: ConnectionPorts, transport: OpenTransport, limit: StartLimit): Promise<Connection> {
    const [{ Client: SdkClient }, { CfWorkerJsonSchemaValidator }, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/validation/cfworker"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    const client = new SdkClient(ports.deps.client, {
      // No roots: a server told of some takes them for its own folders, whatever a person wrote into its arguments.
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    });
    const connection = new Connection(ports, client, transport);
    client.setRequestHandler(types.ElicitRequestSchema, async ({ params }) => await connection.#elicit(params as unknown as JsonObject));
    client.fallbackNotificationHandler = async ({ method, params }) => {
      connection.#heard(method, params);
      await Promise.resolve();
    };
    client.onerror = () => undefined;
    client.onclose = () => {
      if (connection.#end !== undefined) return;
      connection.#end = transport.end ?? "The connection was closed.";
      ports.onLost(connection.#end);
    };
    try {
      // The protocol's own code heeds the signal while it agrees, and not while it confirms that.
      await limit.within(
        whileAsked(limit.signal, async (asked) => {
          await client.connect(transport, { timeout: NEVER_MS, signal: asked });
        }),
      );
    } catch (error) {
      connection.#end ??= "It was closed.";
      await transport.close().catch(() => undefined);
      throw error;
    }
    return connection;
  }

  /** Why it is of no use any more, once it is. */
  get end(): string | undefined {
    return this.#end;
  }

  get stderr(): string {
    return this.#transport.stderr?.() ?? "";
  }

  get noise(): readonly string[] {
    return this.#transport.lines?.() ?? [];
  }

  /** The last of what it sent as log messages. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** Everything it has. Rejects where its tools cannot be listed. */
  async facts(signal: AbortSignal): Promise<ServerFacts> {
    const client = this.#client;
    const has = client.getServerCapabilities() ?? {};
    const none = { items: [], notes: [] };
    const pages = async (what: "tools" | "prompts") =>
      has[what] === undefined
        ? none
        : await readPages(
            what,
            what,
            async (cursor) => await this.request(`${what}/list`, cursor === undefined ? {} : { cursor }, { signal }),
          );
    const [tools, prompts] = await Promise.all([
      pages("tools"),
      pages("prompts").catch((error: unknown) => ({ items: [], notes: [`Its prompts could not be listed: ${wordsOf(error)}`] })),
    ]);
    const readT = readTools(tools.items);
    const readP = readPrompts(prompts.items);
    const fitT = fitItems("tool", readT.all, LISTS.server);
    const fitP = fitItems("prompt", readP.all, LISTS.server - fitT.units);
    const about = client.getServerVersion();
    const instructions = client.getInstructions();
    const protocol = (this.#transport as { readonly protocolVersion?: string }).protocolVersion;
    return {
      ...(about === undefined ? {} : { title: about.title ?? about.name, version: about.version }),
      ...(protocol === undefined ? {} : { protocol }),
      ...(instructions === undefined || instructions.trim() === "" ? {} : { instructions: clipUtf8(instructions, MAX_INSTRUCTIONS).text }),
      resources: has.resources !== undefined,
      tools: fitT.items,
      prompts: fitP.items,
      notes: fewNotes([tools, prompts, fitT, fitP, readT, readP].flatMap(({ notes }) => notes)),
    };
  }

  /** One request; its result as it came. Progress and a person who is asked keep it alive; an abort tells the server and rejects at once. */
  async request(method: string, params: JsonObject, use: McpUse): Promise<JsonObject> {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const { deps, timeoutMs } = this.#ports;
    if (this.#end !== undefined) throw new NotSent(this.#end);
    const patience = new Patience(deps.clock, timeoutMs);
    const waiting: Waiting = { use, patience };
    const tell = progressTo(use.onProgress, deps.clock);
    this.#waiting.add(waiting);
    try {
      const onprogress = (progress: Progress): void => {
        patience.heard();
        tell(progress);
      };
      const result = await whileAsked(
        AbortSignal.any([use.signal, patience.over]),
        async (signal) => await this.#client.request({ method, params }, ResultSchema, { signal, timeout: NEVER_MS, onprogress }),
      );
      // A result is JSON by the way it came.
      return result as unknown as JsonObject;
    } catch (error) {
      if (patience.over.aborted && !use.signal.aborted) throw new TimedOut("nothing was heard of it");
      throw error;
    } finally {
      patience.end();
      this.#waiting.delete(waiting);
    }
  }

  async close(): Promise<void> {
    this.#end ??= "It was closed.";
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** One form after another: a person answers one question at a time, and its answer is for that one. */
  async #elicit(params: JsonObject) {
    if (this.#forms >= MAX_FORMS) return { action: "decline" as const };
    this.#forms += 1;
    const asking = [...this.#waiting].reverse().find(({ use }) => use.ask !== undefined);
    asking?.patience.hold();
    const before = this.#form;
    const form = (async () => {
      await before;
      const ask = asking !== undefined && this.#waiting.has(asking) ? asking.use.ask : undefined;
      return { ...(await elicit(params, this.#ports.server, ask)) };
    })();
    this.#form = form.then(nothing, nothing);
    try {
      return await form;
    } finally {
      this.#forms -= 1;
      asking?.patience.release();
    }
  }

  #heard(method: string, params: unknown): void {
    // Resources are listed when somebody asks for them.
    if (method === "notifications/tools/list_changed" || method === "notifications/prompts/list_changed") this.#ports.onListsChanged();
    if (method !== "notifications/message" || !isJsonObject(params)) return;
    const { data = null, level, logger } = params;
    const words = typeof data === "string" ? data : JSON.stringify(data);
    const from = typeof logger === "string" ? ` ${logger}` : "";
    this.#log.push(`${typeof level === "string" ? level : "info"}${from}: ${words}`.slice(0, MAX_LOG_UNITS));
    if (this.#log.length > MAX_LOG_LINES) this.#log.shift();
  }
}

const nothing = (): void => undefined;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** Asks with a signal that ends with the answer: the SDK goes on listening, and would cancel what was answered long ago. */
async function whileAsked<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const asked = new AbortController();
  const stop = (): void => {
    asked.abort(signal.reason);
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await ask(asked.signal);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
