import type { CallId, JsonObject } from "../../base/index.js";
import type {
  AccessMode,
  ContextItem,
  HistoryEntry,
  LifecycleEvent,
  Message,
  ModelFacts,
  ModelRef,
  ToolDefinition,
} from "../../schema/index.js";
import type { DispatchOutcome } from "../../tool/index.js";
import type { Projection } from "../context/index.js";
import type { QueuedItem } from "../facts.js";
import type { RoundEnd, Turn, TurnEnd } from "../state.js";

type Of<Type extends LifecycleEvent["type"]> = Extract<LifecycleEvent, { readonly type: Type }>;

/** UTF-16 units of a message that handlers are shown. */
const HEAD_UNITS = 200;
/** Rule of thumb for text of any model, good enough to decide when context gets short. */
const UNITS_PER_TOKEN = 4;
/** What an image of the size that providers make of a large one costs about, whatever its bytes. */
const IMAGE_TOKENS = 1_600;

/** What a request is made with, as far as handlers are told. */
export interface RequestView {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly dispatch: ModelRef;
  readonly facts: Pick<ModelFacts, "contextTokens">;
}

export function requestPrepared(
  turn: Turn,
  view: RequestView,
  projection: Pick<Projection, "messages" | "entries">,
): Of<"request-prepared"> {
  const context = contextItems(projection);
  const contextLimit = view.facts.contextTokens;
  return {
    type: "request-prepared",
    work: turn.work,
    round: turn.rounds + 1,
    model: view.dispatch,
    tools: view.tools.map(({ name }) => name),
    context,
    tokens: estimateTokens(projection.messages) + toTokens(view.system.length + unitsOf(view.tools)),
    ...(contextLimit === undefined ? {} : { contextLimit }),
  };
}

/** Tokens of messages, estimated from their length. */
export const estimateTokens = (messages: readonly Message[]): number =>
  toTokens(messages.reduce((sum, one) => sum + unitsOfMessage(one), 0));

const toTokens = (units: number): number => Math.ceil(units / UNITS_PER_TOKEN);

const unitsOfMessage = (message: Message): number =>
  message.text.length +
  (message.role === "assistant"
    ? message.toolCalls.reduce((sum, call) => sum + call.argsText.length, 0)
    : (message.images?.length ?? 0) * IMAGE_TOKENS * UNITS_PER_TOKEN);

const unitsOf = (tools: readonly ToolDefinition[]): number =>
  tools.reduce((sum, { name, description, parameters }) => sum + name.length + description.length + JSON.stringify(parameters).length, 0);

const contextItems = ({ messages, entries }: Pick<Projection, "messages" | "entries">): readonly ContextItem[] =>
  messages.flatMap((message, index) => {
    const entry = entries[index];
    return entry === undefined
      ? []
      : [
          {
            entry,
            role: message.role,
            units: message.text.length,
            head: message.text.slice(0, HEAD_UNITS).toWellFormed(),
            ...(message.role === "tool" ? { tool: message.name } : {}),
          },
        ];
  });

/** Who began a turn and with what; absent for one that goes on after its process ended. */
export function turnStarted(turn: Turn, history: readonly HistoryEntry[]): Of<"turn-started"> | undefined {
  const [lead] = turn.submissions;
  if (lead === undefined) return undefined;
  const said = history.findLast((entry) => entry.type === "user-message" && entry.submission === lead.submission);
  return said?.type === "user-message"
    ? { type: "turn-started", work: turn.work, submission: lead.submission, text: said.text }
    : undefined;
}

/** `turn` is as it was when the response came; a response that was aborted is nobody's business. */
export function roundSettled(turn: Turn, end: RoundEnd): Of<"round-settled"> | undefined {
  if (end.type === "aborted") return undefined;
  const response = end.type === "done" ? end.result : end.partial;
  return {
    type: "round-settled",
    work: turn.work,
    round: turn.rounds + 1,
    stop: end.type === "done" ? response.stop : "failed",
    text: response.text,
    calls: end.type === "done" ? response.toolCalls.map(({ call, name }) => ({ call, name })) : [],
    ...(response.usage === undefined ? {} : { usage: response.usage }),
  };
}

export interface ProposedFacts {
  readonly call: CallId;
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
  readonly cwd: string;
  readonly mode: AccessMode;
  readonly interactive: boolean;
}

export const toolProposed = (work: Turn["work"], { tool, ...facts }: ProposedFacts): Of<"tool-proposed"> => ({
  type: "tool-proposed",
  work,
  tool: tool.name,
  plugin: tool.plugin,
  readOnly: tool.readOnly,
  ...facts,
});

export const toolSettled = (
  call: { readonly work: Turn["work"]; readonly call: CallId; readonly name: string },
  { output, settlement, args = {} }: DispatchOutcome,
): Of<"tool-settled"> => ({
  type: "tool-settled",
  work: call.work,
  call: call.call,
  tool: call.name,
  args,
  isError: output.isError,
  mutation: settlement.mutation,
  text: output.text,
  touched: settlement.touched ?? [],
});

export const queueDue = (work: Turn["work"], point: "batch" | "stop", queue: readonly QueuedItem[]): Of<"queue-due"> => ({
  type: "queue-due",
  work,
  point,
  queue: queue.map(({ submission, delivery, text }) => ({ submission, delivery, text })),
});

export const turnEnded = ({ work, status, reason, reply, rounds, spend }: TurnEnd): Of<"turn-ended"> => ({
  type: "turn-ended",
  work,
  status,
  reason,
  reply,
  rounds,
  ...(spend.usage === undefined ? {} : { usage: spend.usage }),
});
