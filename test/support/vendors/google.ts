import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { signedPart } from "./signatures.js";
import { argsText, type Asking, inPieces, json, streamed, type Turn, USAGE, type Voice } from "./turn.js";

const STOPS = { limit: "MAX_TOKENS", refusal: "SAFETY", filter: "PROHIBITED_CONTENT" } as const;
const WORDS: { readonly [status: number]: string } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

const usageOf = ({ usage = USAGE }: Turn): JsonObject => ({
  promptTokenCount: usage.input,
  candidatesTokenCount: usage.output,
  totalTokenCount: usage.input + usage.output,
  ...("cached" in usage ? { cachedContentTokenCount: usage.cached ?? 0 } : {}),
});

/** A signed thought, the text in pieces, a signature of its own at the end of a text, calls of which the first is signed. */
function partsOf(turn: Turn, { model }: Asking): { readonly said: readonly JsonObject[]; readonly calls: readonly JsonObject[] } {
  const signed = (part: JsonObject): JsonObject => ({ ...part, thoughtSignature: signedPart(model, part) });
  const text = inPieces(turn.text ?? "").map((piece) => ({ text: piece }));
  const calls = (turn.calls ?? []).map((call, index) => {
    const part = { functionCall: { name: call.name, args: argsOf(argsText(call)), ...(call.id === undefined ? {} : { id: call.id }) } };
    return index === 0 ? signed(part) : part;
  });
  return {
    said: [
      ...inPieces(turn.thinking ?? "").map((piece) => ({ text: piece, thought: true })),
      ...text,
      ...(text.length > 0 && calls.length === 0 && turn.thinking !== undefined ? [signed({ text: "" })] : []),
    ],
    calls,
  };
}

/** Arguments are an object here; what is none is sent as nothing, as the vendor does. */
function argsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function body(turn: Turn, { model, n }: Asking, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const finish = isLast ? { finishReason: turn.stop === undefined ? "STOP" : STOPS[turn.stop] } : {};
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [...parts] }, ...finish }],
    ...(isLast ? { usageMetadata: usageOf(turn) } : {}),
    modelVersion: model,
    responseId: `resp-${String(n)}`,
  };
}

const refusal: Voice["refusal"] = (status, message) => ({ error: { code: status, message, status: WORDS[status] ?? "INTERNAL" } });

export const google: Voice = {
  answer(turn, asking) {
    const { said, calls } = partsOf(turn, asking);
    if (!asking.stream) return json(body(turn, asking, [...said, ...calls], true));
    const event = (value: JsonObject): string => `data: ${JSON.stringify(value)}\r\n\r\n`;
    return streamed(turn, {
      head: said.map((part) => event(body(turn, asking, [part], false))),
      rest: [event(body(turn, asking, calls, true))],
      error: event(refusal(503, "the server is overloaded")),
    });
  },
  refusal,
};
