import type { Message } from "smith-agent/plugin";

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;
type UserMessage = Extract<Message, { role: "user" }>;

/** A step of the conversation: a call stands with its result, in the order of the calls. */
export type Step =
  | { readonly type: "user"; readonly message: UserMessage }
  | {
      readonly type: "assistant";
      readonly message: AssistantMessage;
      readonly results: readonly ToolMessage[];
      readonly isOfLastTurn: boolean;
    };

/**
 * The conversation as every server demands it, whatever was stored: each call has one result and it stands directly after the calls.
 * A call without one is told to have been interrupted; a result without its call becomes words of the user.
 */
export function stepsOf(messages: readonly Message[]): readonly Step[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool" && !results.has(message.call)) results.set(message.call, message);
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  const taken = new Set<ToolMessage>();
  const steps: Step[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") steps.push({ type: "user", message });
    else if (message.role === "assistant") steps.push(assistantStep(message, results, taken, index > lastUser));
  }
  // Only now is it known which results no message asked for.
  return taken.size === results.size ? steps : withStrays(messages, steps, taken);
}

function assistantStep(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
  taken: Set<ToolMessage>,
  isOfLastTurn: boolean,
): Step {
  const paired = message.toolCalls.map((call): ToolMessage => {
    const found = results.get(call.call);
    if (found !== undefined && !taken.has(found)) {
      taken.add(found);
      return found;
    }
    const { call: id, providerId, name } = call;
    return { role: "tool", call: id, providerId, name, text: "There is no result: the call was interrupted.", isError: true };
  });
  return { type: "assistant", message, results: paired, isOfLastTurn };
}

/** The steps again, with results that belong to no call in their places. */
function withStrays(messages: readonly Message[], steps: readonly Step[], taken: ReadonlySet<ToolMessage>): readonly Step[] {
  let next = 0;
  return messages.flatMap((message): readonly Step[] => {
    if (message.role === "tool") return taken.has(message) ? [] : strayStep(message);
    const step = steps[next];
    next += 1;
    return step === undefined ? [] : [step];
  });
}

function strayStep({ name, text, images }: ToolMessage): readonly Step[] {
  const message: UserMessage = { role: "user", text: `Result of ${name}:\n${text}`, ...(images === undefined ? {} : { images }) };
  return [{ type: "user", message }];
}
