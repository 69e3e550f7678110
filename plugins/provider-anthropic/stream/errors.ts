import type { JsonObject, JsonValue, ProviderError, ResponseHead } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText, bounded } from "../json.js";
import { waitOf } from "./wait.js";

type ErrorClass = ProviderError["class"];

const MAX_WORDS = 4000;
const INVALID = "invalid_request_error";

/** The vendor's types. Of `invalid_request_error` the words tell more. */
const BY_TYPE: ReadonlyMap<string, ErrorClass> = new Map([
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["billing_error", "quota"],
  ["not_found_error", "not-found"],
  ["request_too_large", "context-overflow"],
  ["exceed_context_size_error", "context-overflow"],
  ["rate_limit_error", "rate-limit"],
  ["overloaded_error", "overloaded"],
  ["timeout_error", "transport"],
]);

const BY_STATUS: ReadonlyMap<number, ErrorClass> = new Map([
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [404, "not-found"],
  [408, "transport"],
  [413, "context-overflow"],
  [425, "transport"],
  [429, "rate-limit"],
  [503, "overloaded"],
  [529, "overloaded"],
]);

/** Words of servers, those in front of the vendor's among them; the first that fits decides. */
const BY_WORDS: readonly (readonly [RegExp, ErrorClass])[] = [
  [
    /prompt is too long|exceed(?:s|ed)? (?:the )?(?:maximum|available)? ?(?:context|allowed (?:size|number of))|context[ _-]?(?:length|window|size|limit)|(?:input|request) (?:is )?too (?:long|large)|too many (?:input )?tokens|request exceeds the maximum size/iu,
    "context-overflow",
  ],
  [
    /credit balance|billing|payment required|usage limits?\b|spend(?:ing)? limit|insufficient[ _-](?:quota|credits?|funds)|quota (?:was )?exceeded/iu,
    "quota",
  ],
  [/content[ _-]?filter|blocked by .*polic(?:y|ies)/iu, "content-filter"],
];

/** An answer that is not 2xx, in the server's own words. Redirects, pages for people and the address are the host's to tell. */
export function fail(head: ResponseHead, body: string): ProviderError {
  const { status } = head;
  const facts = factsOf(parseJson(body), body.trim());
  const kind = classOf(facts, status);
  const words = facts.words === "" ? `HTTP ${status} without an explanation` : facts.words;
  const waits = kind === "rate-limit" || kind === "overloaded" || kind === "quota";
  return {
    class: kind,
    status,
    message: bounded(words, MAX_WORDS),
    ...(waits ? waitOf(head) : {}),
  };
}

/** An error in the middle of a stream: `{type: "error", error: {type, message}}` and what servers make of it. */
export function streamError(value: JsonValue): ProviderError {
  const facts = factsOf(value, asText(value));
  const words = facts.words === "" ? "The server ended the answer with an error it does not explain." : facts.words;
  return {
    class: classOf(facts, facts.status),
    message: bounded(words, MAX_WORDS),
    ...(facts.status === undefined ? {} : { status: facts.status }),
  };
}

interface Facts {
  readonly type: string;
  readonly words: string;
  readonly status?: number;
}

function classOf({ type, words }: Facts, status = 0): ErrorClass {
  const meant = BY_WORDS.find(([pattern]) => pattern.test(words))?.[1];
  const known = BY_TYPE.get(type);
  // A limit on what may be spent also comes as a rate limit. The other words only explain a request that is invalid, or an unknown type.
  if (known !== undefined) return known === "rate-limit" && meant === "quota" ? meant : known;
  const byStatus = BY_STATUS.get(status);
  const isFault = type === "api_error" || (status >= 500 && type !== INVALID);
  if (meant !== undefined && mayMean(meant, isFault, byStatus)) return meant;
  return byStatus ?? fallbackOf(type, isFault || status === 0);
}

/** An error inside a stream that explains nothing is the server's own. */
const fallbackOf = (type: string, isFault: boolean): ErrorClass => (isFault && type !== INVALID ? "transport" : "invalid");

/** A server that fails may quote any words, and a status that says it all needs none. */
const mayMean = (meant: ErrorClass, isFault: boolean, byStatus: ErrorClass | undefined): boolean =>
  (!isFault || meant === "context-overflow") && (byStatus === undefined || byStatus === "rate-limit");

/** Finds type and words in `{error: {type, message}}`, `{error: "…"}`, `{message}`, `{detail}`, a list of those, or plain text. */
function factsOf(value: JsonValue | undefined, text: string): Facts {
  const object = asObject(asArray(value)[0] ?? value);
  if (object === undefined) return { type: "", words: text };
  const inner = asObject(object["error"]) ?? object;
  const status = statusOf(inner);
  const words = [inner["message"], object["error"], object["message"], inner["detail"], object["detail"]]
    .map(asText)
    .find((part) => part !== "");
  const type = asText(inner["type"]);
  return {
    type: type === "error" ? "" : type,
    words: words ?? (text === "" ? JSON.stringify(object) : text),
    ...(status === undefined ? {} : { status }),
  };
}

const statusOf = (error: JsonObject): number | undefined =>
  [error["status_code"], error["code"], error["status"]].map(Number).find((number) => number >= 400 && number < 600);
