import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Receipt, RunEnd, RuntimeSession } from "../runtime/index.js";
import type { AccessMode } from "../schema/index.js";
import { failed, wordsOf } from "./failure.js";
import { progressOf, type RequestExtra, tellRun } from "./progress.js";
import type { Sessions } from "./sessions.js";

export const AGENT_TOOL = "agent";

const input = z.strictObject({
  prompt: z.string().trim().min(1).describe("What to do, with all it takes to know: smith sees nothing of your conversation."),
  session: z.string().min(1).optional().describe("Id of a session to go on in, as an earlier result names it; a new one when left out."),
  model: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("Model, alias or group to use for it, as the option --model names one; when left out, the one its session has."),
});

const count = z.int().min(0).optional();

const output = z.object({
  session: z.string().describe("Id of the session it ran in"),
  status: z.enum(["ok", "aborted", "error", "stalled", "maxTurns", "limit"]),
  reason: z.string().describe("Why it ended"),
  usage: z
    .object({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count })
    .optional()
    .describe("Tokens, as far as the models told them"),
  cost: z.number().optional().describe("US dollars, where the prices are known"),
});

const DESCRIPTION =
  "Hands a whole task to smith, a coding agent that works in the folder this server was started in: it reads and searches files and, as far as its access mode allows, changes them and runs commands, for as many rounds as it takes. Answers with its reply. Give the session of the answer to go on in the same conversation.";

/** Wire form: no meta keys of the generator's dialect are needed. */
const schemaOf = (schema: z.ZodType): Tool["inputSchema"] => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { ...rest, type: "object" } as Tool["inputSchema"];
};

const TITLE = "Run a prompt with smith";

export function agentTool(mode: AccessMode): Tool {
  const isReadOnly = mode === "read-only" || mode === "plan";
  return {
    name: AGENT_TOOL,
    title: TITLE,
    description: DESCRIPTION,
    inputSchema: schemaOf(input),
    outputSchema: schemaOf(output),
    // It asks a model, and its tools may reach anything that its mode allows.
    annotations: { title: TITLE, readOnlyHint: isReadOnly, ...(isReadOnly ? {} : { destructiveHint: true }), openWorldHint: true },
  };
}

export interface AgentPorts {
  readonly sessions: Sessions;
  readonly isBehind: () => boolean;
}

/**
 * One prompt to its end. Prompts of one session run one after another, so a request that is cancelled aborts no other prompt; single calls
 * in that session it does.
 */
export async function runAgent({ sessions, isBehind }: AgentPorts, args: unknown, extra: RequestExtra): Promise<CallToolResult> {
  const asked = input.safeParse(args);
  if (!asked.success) return failed(`Invalid arguments for ${AGENT_TOOL}, so it was not run: ${z.prettifyError(asked.error)}`);
  const seat = await sessions.seat(asked.data.session);
  if (!seat.ok) return failed(wordsOf(seat.error));
  const { session } = seat.value;
  const tell = progressOf(extra, isBehind);
  const prompt = async (): Promise<CallToolResult> => {
    const unobserve = tell === undefined ? undefined : session.observe(tellRun(tell));
    try {
      return await ask(session, asked.data, {
        signal: extra.signal,
        onBegun: () => {
          tell?.(`session ${session.id}`);
          if (asked.data.session === undefined) sessions.begun();
        },
      });
    } finally {
      unobserve?.();
    }
  };
  try {
    return (await seat.value.alone(extra.signal, prompt)) ?? failed("It was cancelled before it began.");
  } finally {
    await seat.value.release();
  }
}

async function ask(
  session: RuntimeSession,
  { prompt, model }: z.infer<typeof input>,
  { signal, onBegun }: { readonly signal: AbortSignal; readonly onBegun: () => void },
): Promise<CallToolResult> {
  if (model !== undefined) {
    const chosen = await session.setModel(model);
    if (!chosen.ok) return failed(wordsOf(chosen.error));
  }
  // Whatever else runs in the session is not steered by this.
  const begun = await session.submit({ text: prompt, delivery: "follow-up" });
  if (!begun.ok) return failed(wordsOf(begun.error));
  onBegun();
  return resultOf(session, await settled(session, begun.value, signal));
}

async function settled(session: RuntimeSession, receipt: Receipt, signal: AbortSignal): Promise<RunEnd> {
  let stopping: Promise<unknown> | undefined;
  const stop = (): void => {
    stopping ??= session.withdraw(receipt.submission).then(async (isTaken) => (isTaken ? undefined : await session.abort()));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await receipt.settled;
  } finally {
    signal.removeEventListener("abort", stop);
    await stopping;
  }
}

function resultOf(session: RuntimeSession, { status, reason, reply, usage, cost, error }: RunEnd): CallToolResult {
  const isError = status !== "ok";
  const trouble = error === undefined ? `The run ended: ${status}, ${reason}.` : wordsOf(error);
  const text = isError ? [reply, trouble].filter((part) => part !== "").join("\n\n") : reply;
  return {
    content: [{ type: "text", text }],
    structuredContent: {
      session: session.id,
      status,
      reason,
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    },
    isError,
  };
}
