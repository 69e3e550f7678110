import { once } from "node:events";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, err, ok, type Result, type SessionId, type SubmissionId } from "../../src/base/index.js";
import { type McpServerPorts, serveMcp } from "../../src/mcp/index.js";
import type { Inspection, OpenOptions, RunEnd, Runtime, RuntimeSession } from "../../src/runtime/index.js";
import { type Diagnostic, diagnostic, type ToolDefinition } from "../../src/schema/index.js";
import { fakeId, FakeSession } from "../support/fake-session.js";
import { createRealClock } from "../support/real-clock.js";

export const CWD = "/work/project";

export const problem = (fields: Partial<Diagnostic> = {}): Diagnostic =>
  diagnostic({ code: "test.failed", what: "It failed.", why: "Because.", next: "Try again.", ...fields });

export const tool = (name: string, readOnly = true): ToolDefinition => ({
  ...{ name, plugin: "acme.files", description: `does ${name}`, readOnly, timeoutMs: 1_000, summaryKeys: [] },
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
});

/** A session whose prompts run until the test ends them. */
export class ServedSession extends FakeSession {
  override readonly id = fakeId<SessionId>();
  readonly prompts: string[] = [];
  isClosed = false;
  #settle: ((end: RunEnd) => void) | undefined;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor() {
    super();
    this.onClose = () => (this.isClosed = true);
    this.onSubmit = (text) => {
      this.prompts.push(text);
      const settled = new Promise<RunEnd>((resolve) => {
        this.#settle = resolve;
      });
      for (const { resolve } of this.#waiting.filter(({ count }) => count <= this.prompts.length)) resolve();
      return ok({ submission: fakeId<SubmissionId>(), queued: false, settled });
    };
  }

  /** Resolves when so many prompts have been submitted. */
  async submitted(count: number): Promise<void> {
    if (this.prompts.length < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  end(fields: Partial<RunEnd> = {}): void {
    this.#settle?.({ status: "ok", reason: "done", reply: "", ...fields });
  }

  override async abort(): ReturnType<RuntimeSession["abort"]> {
    const aborted = await super.abort();
    this.end({ status: "aborted", reason: "abort" });
    return aborted;
  }
}

export interface ServeOptions {
  readonly tools?: readonly ToolDefinition[];
  readonly options?: McpServerPorts["options"];
  readonly runtime?: Partial<Runtime>;
  readonly inspection?: Partial<Inspection>;
  readonly clock?: Clock;
  readonly capabilities?: ClientCapabilities;
}

export interface Served {
  readonly client: Client;
  /** Those that were made, in order. */
  readonly sessions: readonly ServedSession[];
  readonly opened: readonly (OpenOptions & { readonly name?: string })[];
  readonly troubles: readonly string[];
  readonly notices: readonly { readonly method: string; readonly params?: unknown }[];
  /** Resolves when so many notifications of this kind have come. */
  noticed(method: string, count?: number): Promise<void>;
  setBehind(isBehind: boolean): void;
  /** Nothing can be written any more. */
  breakOutput(): void;
  endInput(): void;
  abort(): void;
  tell(problem: Diagnostic): void;
  changeContributions(): void;
  /** Resolves when the server is over. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

async function* none(): AsyncGenerator<never, void, undefined> {
  // There is nothing.
}

/** A server over two pipes in this process, and the official client on their other ends. */
export async function serve(given: ServeOptions = {}): Promise<Served> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const sessions: ServedSession[] = [];
  const opened: Served["opened"][number][] = [];
  const troubles: string[] = [];
  const notices: Served["notices"][number][] = [];
  const hearers = new Set<(problem: Diagnostic) => void>();
  const contributed = new Set<() => void>();
  const controller = new AbortController();
  let isBehind = false;
  let breakOutput = (): void => undefined;
  let look = (): void => undefined;
  const ended = serveMcp({
    runtime: fakeRuntime(given, { sessions, opened, contributed }),
    inspection: { list: none, entries: none, dump: none, ...given.inspection },
    clock: given.clock ?? createRealClock(),
    options: given.options ?? {},
    input: toServer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
    output: {
      write: (text) => void toClient.write(text),
      isBehind: () => isBehind,
      onBroken: (listener) => (breakOutput = listener),
    },
    signal: controller.signal,
    onTrouble: (text) => troubles.push(text),
    observeDiagnostics: (listener) => {
      hearers.add(listener);
      return () => hearers.delete(listener);
    },
  });
  const client = new Client({ name: "tester", version: "1" }, { capabilities: given.capabilities ?? {} });
  client.fallbackNotificationHandler = async (notification) => {
    notices.push(notification);
    look();
    await Promise.resolve();
  };
  await client.connect(new StdioServerTransport(toClient, toServer));
  // What the client said before has been heard then.
  await client.ping();
  return {
    ...{ client, sessions, opened, troubles, notices, ended },
    async noticed(method, count = 1) {
      const isThere = (): boolean => notices.filter((notice) => notice.method === method).length >= count;
      await new Promise<void>((resolve) => {
        look = () => {
          if (isThere()) resolve();
        };
        look();
      });
    },
    setBehind: (value) => (isBehind = value),
    breakOutput: () => {
      breakOutput();
    },
    endInput: () => void toServer.end(),
    abort: () => {
      controller.abort();
    },
    tell: (told) => {
      for (const hear of hearers) hear(told);
    },
    changeContributions: () => {
      for (const listener of contributed) listener();
    },
    async close() {
      if (!toServer.writableEnded) toServer.end();
      await ended;
      const closed = once(toClient, "close");
      toClient.destroy();
      await Promise.all([closed, client.close()]);
    },
  };
}

interface Made {
  readonly sessions: ServedSession[];
  readonly opened: Served["opened"][number][];
  readonly contributed: Set<() => void>;
}

function fakeRuntime({ tools = [], runtime = {} }: ServeOptions, { sessions, opened, contributed }: Made): Runtime {
  const unused = (): never => {
    throw new Error("a server does not ask for this");
  };
  const find = (name: string): Result<ServedSession, Diagnostic> => {
    const found = sessions.find(({ id }) => id.endsWith(name));
    return found === undefined ? err(problem({ what: `There is no session ${name}.` })) : ok(found);
  };
  return {
    ...{ cwd: CWD, version: "1.2.3", tools, newest: unused, fork: unused, models: unused, reload: unused, close: unused, killNow: unused },
    toolsReady: async () => await Promise.resolve(),
    callable: () => tools,
    refusedTools: () => undefined,
    prompt: unused,
    contributions: () => ({ generation: 1, commands: [], themes: [], keys: [], tools: [], resources: [], plugins: [] }),
    observeContributions: (listener) => {
      contributed.add(listener);
      return () => contributed.delete(listener);
    },
    create: async (options = {}) => {
      const session = new ServedSession();
      sessions.push(session);
      opened.push(options);
      return await Promise.resolve(ok(session));
    },
    open: async (id, options = {}) => {
      opened.push(options);
      return await Promise.resolve(find(id));
    },
    resolve: async (name) => {
      const found = find(name);
      return await Promise.resolve(found.ok ? ok(found.value.id) : found);
    },
    ...runtime,
  };
}

/** Resolves when everything that has been written was read and answered as far as it can be. */
export const turns = async (count = 20): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

export const textOf = (result: unknown): string => {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] };
  return content.map(({ text = "" }) => text).join("");
};
