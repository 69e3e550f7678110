import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type JsonObject, orAborted } from "../base/index.js";
import type { AccessMode, Diagnostic } from "../schema/index.js";
import { wordsOf } from "./failure.js";
import { attend, canAsk, formAsker } from "./people.js";
import { getPrompt, listPrompts } from "./prompts.js";
import {
  completeSession,
  isOfFolder,
  isSessionTemplate,
  listSessions,
  readSession,
  type ResourcePorts,
  Subscriptions,
  TEMPLATES,
} from "./resources/index.js";
import { Sessions } from "./sessions.js";
import { callTool, listTools, type ToolsPorts } from "./tools.js";
import { LineTransport } from "./wire/index.js";
import type { McpServerPorts } from "./types.js";

/** What came in before the end of the input may still be answered for so long. */
const GRACE_MS = 1_000;

/**
 * Serves one client until its input ends, nothing can be written to it, or `signal` aborts. What runs for it is ended then, and its
 * sessions are closed when this resolves. Never rejects for anything a client does.
 */
export async function serveMcp(ports: McpServerPorts): Promise<void> {
  const { clock, signal, onTrouble } = ports;
  const transport = new LineTransport(ports);
  const server = createServer(ports);
  const sessions = createSessions(ports, server);
  const subscriptions = new Subscriptions({
    ...resourcePorts(ports),
    clock,
    notify: (uri) => {
      tell(server.sendResourceUpdated({ uri }));
    },
  });
  answerTools(server, toolPorts(ports, sessions));
  answerResources(server, resourcePorts(ports), subscriptions);
  answerPrompts(server, ports);
  server.onerror = ({ message }) => {
    onTrouble(message);
  };
  let unobserve: readonly (() => void)[] = [];
  server.oninitialized = () => {
    if (canAsk(server)) takeFirstId(server);
    unobserve = [...unobserve, ...observe(ports, server)];
  };
  try {
    await server.connect(transport);
    await orAborted(transport.ended, signal);
    // Who wrote all its requests and closed the pipe still reads the answers of those that are quick.
    if (!signal.aborted) await Promise.race([transport.answered(), clock.sleep(GRACE_MS, signal)]);
  } finally {
    for (const end of unobserve) end();
    subscriptions.close();
    await server.close();
    await sessions.close();
  }
}

/** A client that is gone is told nothing. */
const tell = (sending: Promise<void>): void => {
  sending.catch(() => undefined);
};

/** The official client does not hear that a request with the id 0 is cancelled: none that may have to be taken back has it. */
const takeFirstId = (server: Server): void => {
  server.ping().catch(() => undefined);
};

const modeOf = ({ options }: McpServerPorts): AccessMode => options.mode ?? "auto";

const resourcePorts = ({ inspection, runtime }: McpServerPorts): ResourcePorts => ({ inspection, cwd: runtime.cwd });

const toolPorts = (ports: McpServerPorts, sessions: Sessions): ToolsPorts => ({
  runtime: ports.runtime,
  sessions,
  mode: modeOf(ports),
  chosen: ports.options.tools,
  isBehind: () => ports.output.isBehind(),
});

const createServer = (ports: McpServerPorts): Server =>
  new Server(
    { name: "smith", title: "smith", version: ports.runtime.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: `smith works in ${ports.runtime.cwd}; paths of its tools are relative to that folder. Its access mode is ${modeOf(ports)}. The tool agent hands over a whole task; the others are its single tools.`,
    },
  );

function createSessions(ports: McpServerPorts, server: Server): Sessions {
  const { runtime, options, onTrouble } = ports;
  const ask = formAsker(server, onTrouble);
  return new Sessions({
    runtime,
    isOwn: async (id) => await isOfFolder(resourcePorts(ports), id, new AbortController().signal),
    options: () => ({ ...options, interactive: canAsk(server) }),
    client: () => server.getClientVersion()?.name ?? "client",
    attend: (session) => (canAsk(server) ? attend(session, ask) : () => undefined),
    onChanged: () => {
      tell(server.sendResourceListChanged());
    },
  });
}

function answerTools(server: Server, ports: ToolsPorts): void {
  server.setRequestHandler(ListToolsRequestSchema, async (_request, { signal }) => await listTools(ports, signal));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const args = (params.arguments ?? {}) as JsonObject;
    return await callTool(ports, { name: params.name, args }, extra);
  });
}

function answerResources(server: Server, ports: ResourcePorts, subscriptions: Subscriptions): void {
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => await listSessions(ports, params?.cursor, signal));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => TEMPLATES);
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => await readSession(ports, params.uri, signal));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }, { signal }) => {
    await subscriptions.add(params.uri, signal);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscriptions.remove(params.uri);
    return {};
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument } }, { signal }) =>
    isSessionTemplate(ref) && argument.name === "id"
      ? await completeSession(ports, argument.value, signal)
      : { completion: { values: [], hasMore: false } },
  );
}

function answerPrompts(server: Server, { runtime }: McpServerPorts): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => listPrompts(runtime));
  server.setRequestHandler(
    GetPromptRequestSchema,
    async ({ params }, { signal }) => await getPrompt(runtime, { name: params.name, args: params.arguments ?? {} }, signal),
  );
}

/** From its initialization on a client may be told things. */
function observe({ runtime, observeDiagnostics }: McpServerPorts, server: Server): readonly (() => void)[] {
  return [
    runtime.observeContributions(() => {
      tell(server.sendToolListChanged());
      tell(server.sendPromptListChanged());
    }),
    observeDiagnostics((problem) => {
      tell(server.sendLoggingMessage({ level: problem.severity, logger: "smith", data: logged(problem) }));
    }),
  ];
}

const logged = (problem: Diagnostic): JsonObject => ({ code: problem.code, message: wordsOf(problem) });
