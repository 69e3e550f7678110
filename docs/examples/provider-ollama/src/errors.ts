import { parseJson, type ProviderError, type ResponseHead } from "smith-agent/plugin";
import { asObject, asText } from "./json.js";

type ErrorClass = ProviderError["class"];

/** What the server says, and what that means for trying again. The first that fits decides. */
const MEANINGS: readonly (readonly [RegExp, ErrorClass])[] = [
  [/context length|context window|prompt too long|input length exceeds/iu, "context-overflow"],
  [/model .*not found|try pulling it/iu, "not-found"],
  [/does not support|requires more system memory|invalid/iu, "invalid"],
  [/unauthorized|forbidden|api key/iu, "auth"],
  [/busy|maximum pending requests|loading model/iu, "overloaded"],
];

/** An answer whose status is not 2xx. */
export function fail(head: ResponseHead, body: string): ProviderError {
  const words = asText(asObject(parseJson(body))?.["error"]) || body.trim() || `HTTP ${head.status} without an explanation`;
  const meant = classOf(words) ?? byStatus(head.status);
  return { class: meant, status: head.status, message: withAdvice(meant, words) };
}

/** An error in place of a line of the answer. */
export const streamError = (words: string): ProviderError => ({ class: classOf(words) ?? "transport", message: words });

const classOf = (words: string): ErrorClass | undefined => MEANINGS.find(([pattern]) => pattern.test(words))?.[1];

function byStatus(status: number): ErrorClass {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not-found";
  if (status === 429) return "rate-limit";
  if (status === 503) return "overloaded";
  return status >= 500 ? "transport" : "invalid";
}

/** A person reads this: what to do is worth more than what was said. */
function withAdvice(meant: ErrorClass, words: string): string {
  const model = /model ["']([^"']+)["'] not found/iu.exec(words)?.[1];
  return meant === "not-found" && model !== undefined ? `${words}. Get it with: ollama pull ${model}` : words;
}
