import type { ProviderDelta, ProviderError } from "smith-agent/plugin";

export type Stop = Extract<ProviderDelta, { type: "end" }>["stop"];

/** Finish reasons of the API that end an answer. What is in neither table is an ordinary stop. */
const STOPS: ReadonlyMap<string, Stop> = new Map([
  ["MAX_TOKENS", "limit"],
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["LANGUAGE", "content-filter"],
  ["BLOCKLIST", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter"],
  ["SPII", "content-filter"],
  ["MODEL_ARMOR", "content-filter"],
  ["IMAGE_SAFETY", "content-filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content-filter"],
  ["IMAGE_RECITATION", "content-filter"],
]);

const AGAIN = "Asked again, it usually does better.";

/**
 * Finish reasons that are failures. What the model got wrong by chance is of a class that is asked again; the rest fails the same way
 * each time.
 */
const FAILURES: ReadonlyMap<string, Pick<ProviderError, "class" | "message">> = new Map([
  [
    "MALFORMED_FUNCTION_CALL",
    { class: "transport", message: `The model made a function call that cannot be read (MALFORMED_FUNCTION_CALL). ${AGAIN}` },
  ],
  ["MALFORMED_RESPONSE", { class: "transport", message: `The model made an answer that cannot be read (MALFORMED_RESPONSE). ${AGAIN}` }],
  [
    "UNEXPECTED_TOOL_CALL",
    { class: "transport", message: `The model called a function it was not given (UNEXPECTED_TOOL_CALL). ${AGAIN}` },
  ],
  [
    "TOO_MANY_TOOL_CALLS",
    { class: "transport", message: `The model made more function calls than its server allows (TOO_MANY_TOOL_CALLS). ${AGAIN}` },
  ],
  [
    "MISSING_THOUGHT_SIGNATURE",
    { class: "invalid", message: "The server misses a thought signature in the conversation (MISSING_THOUGHT_SIGNATURE)." },
  ],
]);

/** Ends that say nothing: after an answer they are an ordinary stop, without one a failure. */
const VAGUE: ReadonlySet<string> = new Set(["OTHER", "FINISH_REASON_UNSPECIFIED", "NO_IMAGE", "IMAGE_OTHER"]);

export const stopOf = (reason: string): Stop => STOPS.get(reason) ?? "stop";

export function failureOf(reason: string, details: string, hasContent: boolean): ProviderError | undefined {
  const known =
    FAILURES.get(reason) ??
    (VAGUE.has(reason) && !hasContent
      ? ({ class: "transport", message: `The server ended the answer before it began and does not say why (${reason}).` } as const)
      : undefined);
  return known === undefined || details === "" ? known : { ...known, message: `${known.message} It says: ${details}` };
}
