import type { respond } from "../../provider/index.js";
import type { AssistantResult, ProviderRequest, ThinkingPart, ToolCall } from "../../schema/index.js";
import type { Secrets } from "./secrets.js";

type Concealing = Pick<Secrets, "conceal" | "concealJson" | "concealKnown" | "stream">;
type Events = ReturnType<typeof respond>;

/**
 * What a model says, with secrets replaced: models repeat what they once saw, and guess. A delta waits while it may be the start of a
 * secret; what waits comes before the end.
 */
export async function* concealEvents(events: Events, secrets: Concealing): Events {
  let text = secrets.stream();
  let thinking = secrets.stream();
  for await (const event of events) {
    switch (event.type) {
      case "text":
      case "thinking": {
        const shown = (event.type === "text" ? text : thinking).push(event.text);
        if (shown !== "") yield { ...event, text: shown };
        break;
      }
      case "retry":
      case "failover":
        // What waited is of an attempt that is over.
        [text, thinking] = [secrets.stream(), secrets.stream()];
        yield secrets.concealJson(event);
        break;
      case "attempt":
        yield event;
        break;
      case "done":
      case "failed":
      case "aborted": {
        const rests = [
          { type: "thinking", text: thinking.end() },
          { type: "text", text: text.end() },
        ] as const;
        for (const rest of rests) if (rest.text !== "") yield rest;
        if (event.type === "done") yield { ...event, result: concealResult(event.result, secrets) };
        else if (event.type === "aborted") yield { ...event, partial: concealResult(event.partial, secrets) };
        else yield { ...event, error: secrets.concealJson(event.error), partial: concealResult(event.partial, secrets) };
        break;
      }
    }
  }
}

export function concealResult(result: AssistantResult, secrets: Concealing): AssistantResult {
  const text = secrets.conceal(result.text);
  const thinking = mapSame(result.thinking, (part) => concealThinking(part, result.text, secrets));
  const toolCalls = mapSame(result.toolCalls, (call) => concealCall(call, secrets));
  if (text === result.text && thinking === result.thinking && toolCalls === result.toolCalls) return result;
  return { ...result, text, thinking, toolCalls };
}

/** The very same list where nothing changed. */
function mapSame<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

/** A signature is of the text as it was: for another text it would be refused. */
function concealThinking(part: ThinkingPart, before: string, secrets: Concealing): ThinkingPart {
  const text = secrets.conceal(part.text);
  const after = placeAfter(part, before, secrets);
  if (text === part.text) return after === part.after ? part : { ...part, ...(after === undefined ? {} : { after }) };
  return {
    text,
    ...(part.kind === undefined ? {} : { kind: part.kind }),
    ...(part.id === undefined ? {} : { id: part.id }),
    ...(after === undefined ? {} : { after }),
  };
}

function placeAfter({ after }: ThinkingPart, before: string, secrets: Concealing): ThinkingPart["after"] {
  if (after === undefined) return undefined;
  const text = secrets.conceal(before.slice(0, after.text)).length;
  return text === after.text ? after : { ...after, text };
}

/** The text of arguments stays the JSON of the arguments. */
function concealCall(call: ToolCall, secrets: Concealing): ToolCall {
  const { args } = call;
  const name = secrets.conceal(call.name);
  const changed = args === undefined ? undefined : secrets.concealJson(args);
  const argsText = secrets.conceal(call.argsText);
  if (name === call.name && changed === args && argsText === call.argsText) return call;
  return {
    ...call,
    name,
    argsText: changed === undefined ? argsText : JSON.stringify(changed),
    ...(changed === undefined ? {} : { args: changed }),
  };
}

/**
 * The last line: all that is said in a request. What is recorded has no secrets in it, so this changes what was recorded before one was
 * known. Each message is looked at once as long as no secret is learned.
 */
export function concealRequest(request: ProviderRequest, secrets: Concealing): ProviderRequest {
  const { system, messages, tools, sampling } = request;
  return {
    ...request,
    system: secrets.conceal(system),
    messages: mapSame(messages, (message) => secrets.concealKnown(message)),
    tools: secrets.concealJson(tools),
    ...(sampling === undefined ? {} : { sampling: secrets.concealJson(sampling) }),
  };
}
