import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJsonObject, type JsonObject } from "../../../base/index.js";
import type { McpPromptInfo, McpToolInfo } from "../../../schema/index.js";
import { elicit } from "../elicitation.js";
import { readPages, readPrompts, readTools } from "../listing.js";
import type { ServerNoise } from "../transport/stdio.js";
import type { McpUse } from "../../types.js";
import type { McpHubDeps } from "../types.js";

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
  readonly deps: Pick<McpHubDeps, "client" | "cwd">;
  readonly timeoutMs: number;
  /** The server says that its tools or prompts are others. */
  readonly onListsChanged: () => void;
  /** It is gone, and nobody asked for that. */
  readonly onLost: (why: string) => void;
}

type OpenTransport = Transport & Partial<ServerNoise> & { readonly end?: string | undefined; killNow?: () => void };

const MAX_INSTRUCTIONS = 8 * 1024;
/** However much progress a server tells. */
const MAX_TOTAL_MS = 3_600_000;
const MAX_LOG_LINES = 50;

/** One session with a server. */
export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #client: Client;
  readonly #transport: OpenTransport;
  /** Those that wait for an answer now; what the server asks meanwhile is put to the newest that can ask. */
  readonly #uses = new Set<McpUse>();
  readonly #log: string[] = [];
  #isClosed = false;

  private constructor(ports: ConnectionPorts, client: Client, transport: OpenTransport) {
    this.#ports = ports;
    this.#client = client;
    this.#transport = transport;
  }

  /** Connects and agrees on a revision; rejects with what the transport or the server says, and has closed the transport then. */
  static async open(ports: ConnectionPorts, transport: OpenTransport, signal: AbortSignal): Promise<Connection> {
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
      if (connection.#isClosed) return;
      connection.#isClosed = true;
      ports.onLost(transport.end ?? "The connection was closed.");
    };
    try {
      await client.connect(transport, { timeout: ports.timeoutMs, signal });
    } catch (error) {
      connection.#isClosed = true;
      await transport.close().catch(() => undefined);
      throw error;
    }
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get stderr(): string {
    return this.#transport.stderr?.() ?? "";
  }

  get noise(): readonly string[] {
    return [...(this.#transport.lines?.() ?? []), ...this.#log];
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
    const tools = await pages("tools");
    const prompts = await pages("prompts").catch((error: unknown) => ({
      items: [],
      notes: [`Its prompts could not be listed: ${wordsOf(error)}`],
    }));
    const readT = readTools(tools.items);
    const readP = readPrompts(prompts.items);
    const about = client.getServerVersion();
    const instructions = client.getInstructions();
    const protocol = (this.#transport as { readonly protocolVersion?: string }).protocolVersion;
    return {
      ...(about === undefined ? {} : { title: about.title ?? about.name, version: about.version }),
      ...(protocol === undefined ? {} : { protocol }),
      ...(instructions === undefined || instructions.trim() === "" ? {} : { instructions: instructions.slice(0, MAX_INSTRUCTIONS) }),
      resources: has.resources !== undefined,
      tools: readT.all,
      prompts: readP.all,
      notes: [...tools.notes, ...prompts.notes, ...readT.notes, ...readP.notes],
    };
  }

  /** One request; its result as it came. Progress keeps it alive; an abort tells the server and rejects at once. */
  async request(method: string, params: JsonObject, use: McpUse): Promise<JsonObject> {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    this.#uses.add(use);
    try {
      const result = await this.#client.request({ method, params }, ResultSchema, {
        signal: use.signal,
        timeout: this.#ports.timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: MAX_TOTAL_MS,
        ...(use.onProgress === undefined
          ? {}
          : {
              onprogress: ({ progress, total, message }) => {
                use.onProgress?.(progressWords(progress, total, message));
              },
            }),
      });
      return result as unknown as JsonObject;
    } finally {
      this.#uses.delete(use);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  killNow(): void {
    this.#transport.killNow?.();
  }

  async #elicit(params: JsonObject) {
    const asking = [...this.#uses].reverse().find(({ ask }) => ask !== undefined);
    return { ...(await elicit(params, this.#ports.server, asking?.ask)) };
  }

  #heard(method: string, params: unknown): void {
    if (
      method === "notifications/tools/list_changed" ||
      method === "notifications/prompts/list_changed" ||
      method === "notifications/resources/list_changed"
    )
      this.#ports.onListsChanged();
    if (method !== "notifications/message" || !isJsonObject(params)) return;
    const data = params["data"];
    this.#log.push(
      `${String(params["level"] ?? "info")}: ${(typeof data === "string" ? data : JSON.stringify(data ?? null)).slice(0, 200)}`,
    );
    if (this.#log.length > MAX_LOG_LINES) this.#log.shift();
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function progressWords(progress: number, total: number | undefined, message: string | undefined): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? count : `${count} ${message}`;
}
