import { validate as validateAnthropic } from "../strict-anthropic.js";
import { type StrictRule, validate as validateChat } from "../strict-chat.js";
import { validate as validateGoogle } from "../strict-google.js";
import { validate as validateResponses } from "../strict-responses.js";
import { apiOf, type Asked, modelOf } from "./api.js";
import { anthropicAlterations, googleAlterations, responsesAlterations } from "./signatures.js";

/** What servers behind Chat Completions commonly refuse. */
const CHAT_RULES: readonly StrictRule[] = ["content-present", "one-system-first", "text-results"];
/** Gemini of the third generation and later refuses calls that nobody signed. */
const DEMANDS_SIGNATURES = /^gemini-(?:[3-9]|\d\d)/u;

/** Everything the vendor of this API would refuse in a request, in words; empty for what is no request to a model. */
export function complaintsOf(asked: Asked): readonly string[] {
  const { body, rawBody } = asked;
  const api = apiOf(asked.path);
  if (api === undefined) return [];
  if (api === "chat") return validateChat(body, CHAT_RULES);
  if (api === "anthropic") return [...validateAnthropic(body), ...anthropicAlterations(body)];
  if (api === "responses") return [...validateResponses(body), ...responsesAlterations(body)];
  const model = modelOf(asked);
  const rules = { demandsSignatures: DEMANDS_SIGNATURES.test(model) };
  return [...validateGoogle(rawBody === "" ? "{}" : rawBody, rules), ...googleAlterations(body, model)];
}
