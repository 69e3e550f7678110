import type { JsonObject, Message, ProviderRequest } from "smith-agent/plugin";
import { callId, functionName } from "./names.js";
import { type AssistantMessage, type Reader, replayed, withForeignSignature } from "./replay.js";
import type { Traits } from "./traits.js";
import { alternating, type Part, type Turn } from "./turns.js";

type ToolMessage = Extract<Message, { role: "tool" }>;
type Images = Extract<Message, { role: "user" }>["images"];

/** How results are told to this model. */
interface Telling {
  readonly traits: Traits;
  readonly takesImages: boolean;
}

/**
 * The conversation in turns. All results of an answer's calls come in one turn directly after it, in the order of the calls; a call
 * without a result gets one that says so, and a result without a call is told as text.
 */
export function contents({ provider, model, messages, facts }: ProviderRequest, traits: Traits): readonly Turn[] {
  const reader: Reader = { provider, model, traits };
  const telling: Telling = { traits, takesImages: facts.images === true };
  const turns: Turn[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) continue;
    if (message.role === "user") turns.push({ role: "user", parts: [...textParts(message.text), ...imageParts(message.images, telling)] });
    else if (message.role === "tool") turns.push({ role: "user", parts: strayResult(message, telling) });
    else {
      const results = resultsAfter(messages, at);
      turns.push({ role: "model", parts: replayed(message, reader) }, { role: "user", parts: answers(message, results, telling) });
      at += results.length;
    }
  }
  return alternating(turns).map((turn) =>
    turn.role === "model" && traits.demandsSignatures ? { ...turn, parts: withForeignSignature(turn.parts) } : turn,
  );
}

/** The tool messages that follow a message directly. */
function resultsAfter(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (const message of messages.slice(at + 1)) {
    if (message.role !== "tool") break;
    results.push(message);
  }
  return results;
}

function answers({ toolCalls }: AssistantMessage, results: readonly ToolMessage[], telling: Telling): readonly Part[] {
  const left = [...results];
  const responses: Part[] = [];
  const images: Part[] = [];
  for (const call of toolCalls) {
    const found = left.findIndex((result) => result.call === call.call);
    const [result] = found < 0 ? [] : left.splice(found, 1);
    const { part, beside } = response(call, result, telling);
    responses.push(part);
    images.push(...beside);
  }
  return [...responses, ...images, ...left.flatMap((result) => strayResult(result, telling))];
}

function response(
  call: AssistantMessage["toolCalls"][number],
  result: ToolMessage | undefined,
  telling: Telling,
): { readonly part: Part; readonly beside: readonly Part[] } {
  const images = imageParts(result?.images, telling);
  const isInside = telling.traits.imagesInResults && telling.takesImages && images.length > 0;
  const name = functionName(call.name);
  return {
    part: {
      functionResponse: {
        id: callId(call.providerId),
        name,
        response: result === undefined ? { error: "There is no result: the call was not run." } : told(result),
        ...(isInside ? { parts: images } : {}),
      },
    },
    beside: isInside || images.length === 0 ? [] : [{ text: `From the result of ${name}:` }, ...images],
  };
}

/** An object, as the API wants it, with the words it documents for success and failure. */
const told = ({ text, isError }: ToolMessage): JsonObject => (isError ? { error: text } : { output: text });

const strayResult = (result: ToolMessage, telling: Telling): readonly Part[] => [
  { text: `Result of ${result.name}${result.isError ? " (it failed)" : ""}:\n${result.text}` },
  ...imageParts(result.images, telling),
];

const textParts = (text: string): readonly Part[] => (text === "" ? [] : [{ text }]);

function imageParts(images: Images, { takesImages }: Telling): readonly Part[] {
  const given = images ?? [];
  if (given.length === 0) return [];
  if (!takesImages)
    return [{ text: `[${given.length === 1 ? "an image" : `${given.length} images`} left out: this model takes text only]` }];
  return given.map(({ mediaType, base64 }) => ({ inlineData: { mimeType: mediaType, data: base64 } }));
}
