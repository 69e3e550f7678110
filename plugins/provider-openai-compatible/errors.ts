import type { JsonObject, JsonValue, ProviderError, ResponseHead } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText, bounded } from "./json.js";
import { isToldToWait, waitOf } from "./wait.js";

type ErrorClass = ProviderError["class"];

const MAX_WORDS = 4000;

const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum context|(?:prompt|input|request)(?: is)? too (?:long|large)|too many (?:input )?tokens|exceed_context|maximum (?:prompt|input) length|reduce the length/iu;
const QUOTA =
  /insufficient[ _-](?:quota|credits?|balance|funds)|quota[ _](?:is |was |has been )?(?:exceeded|exhausted|used up)|(?:exceeded|used up) your (?:current |monthly |daily |weekly )?quota|(?:out|no|run out) of (?:quota|credits?)|no (?:remaining )?credits|credit balance|billing|payment required|(?:usage|spending|spend|key|monthly|daily|weekly|budget) limit (?:is |was |has been )?(?:exceeded|reached)|(?:reached|exceeded|hit) (?:your |the |its )?(?:\w+ )?(?:usage|spending|spend|monthly|weekly|budget) limit|exceeded[ _]budget|budget has been exceeded|requests per day|tokens per day|free-models-per-day/iu;
/** A model, its prompt template or a grammar that cannot take the conversation: the same request fails the same way. */
const TEMPLATE =
  /(?:image|audio|video|multimodal|vision) (?:input|content|data)?\s*(?:is |are )?not supported|does(?: not|n't) support (?:image|vision|tool|audio)|mmproj|jinja|chat[ _-]?template|template (?:error|render)|roles must alternate|system message must|unable to generate parser|failed to parse (?:grammar|messages)|raise_exception/iu;

/** Words of the code and type fields that servers put into an error object. */
const WORDS: readonly (readonly [RegExp, ErrorClass])[] = [
  [/insufficient_quota|quota_exceeded|budget_exceeded/iu, "quota"],
  [/rate[ _-]?limit|too_many_requests/iu, "rate-limit"],
  [/overloaded|unavailable|capacity|loading/iu, "overloaded"],
  [/authentication|permission|invalid_api_key|unauthorized|forbidden/iu, "auth"],
  [/content[ _-]?(?:filter|policy)|moderation|safety/iu, "content-filter"],
  [/not_found/iu, "not-found"],
  [/invalid|bad_request|tool_use_failed|unsupported/iu, "invalid"],
];

/** Classes for which waiting helps, so that how long matters. */
const WAITED_FOR: ReadonlySet<ErrorClass> = new Set(["rate-limit", "overloaded", "transport"]);

interface Facts {
  readonly words: string;
  readonly codes: string;
  readonly status?: number;
}

/** Classes an answer that is not 2xx, in the server's own words. Redirects, pages for people and the address are the host's to tell. */
export function fail(head: ResponseHead, body: string): ProviderError {
  const status = head.status;
  const value = parseJson(body);
  const facts = factsOf(value, body);
  const wait = waitOf(head, value, facts.words);
  const kind = classify({ ...facts, status }, isToldToWait(head, facts.words));
  const words = facts.words === "" ? `HTTP ${status} without an explanation` : facts.words;
  return {
    class: kind,
    status,
    message: bounded(words, MAX_WORDS),
    ...(WAITED_FOR.has(kind) ? wait : {}),
  };
}

/** The error of an event in the middle of a stream, whatever its shape. */
export function streamError(error: JsonValue): ProviderError {
  const facts = factsOf(error, "");
  return {
    class: classify(facts, false),
    message: bounded(facts.words === "" ? "The server ended the answer with an error it does not explain." : facts.words, MAX_WORDS),
    ...(facts.status === undefined ? {} : { status: facts.status }),
  };
}

interface Rule {
  readonly class: ErrorClass;
  /** Statuses the rule is for; an error inside a stream has none and every rule is tried on it. */
  readonly statuses: readonly number[] | "any";
  readonly matches: (facts: Facts, hasRetryAfter: boolean) => boolean;
}

/** In order; the first that matches decides. What none matches is classed by its status alone. */
const RULES: readonly Rule[] = [
  { class: "quota", statuses: "any", matches: ({ codes }) => /insufficient_quota|budget_exceeded/iu.test(codes) },
  { class: "context-overflow", statuses: [400, 413, 422, 500], matches: ({ codes, words }) => OVERFLOW.test(`${codes} ${words}`) },
  { class: "invalid", statuses: [400, 422, 500], matches: ({ words }) => TEMPLATE.test(words) },
  // A used-up quota does not come back by waiting a second; one with a time to wait for is an ordinary rate limit.
  {
    class: "quota",
    statuses: [400, 403, 429],
    matches: ({ codes, words }, hasRetryAfter) => !hasRetryAfter && QUOTA.test(`${codes} ${words}`),
  },
  { class: "content-filter", statuses: [400, 422], matches: ({ codes }) => /content[ _-]?(?:filter|policy)/iu.test(codes) },
];

function classify(facts: Facts, hasRetryAfter: boolean): ErrorClass {
  const { status } = facts;
  const rule = RULES.find(
    ({ statuses, matches }) => (status === undefined || statuses === "any" || statuses.includes(status)) && matches(facts, hasRetryAfter),
  );
  if (rule !== undefined) return rule.class;
  if (status !== undefined) return statusClass(status);
  return WORDS.find(([pattern]) => pattern.test(facts.codes))?.[1] ?? "transport";
}

const BY_STATUS: ReadonlyMap<number, ErrorClass> = new Map([
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [404, "not-found"],
  [408, "transport"],
  [425, "transport"],
  [429, "rate-limit"],
  [501, "invalid"],
  [503, "overloaded"],
  [505, "invalid"],
  [529, "overloaded"],
]);

const statusClass = (status: number): ErrorClass => BY_STATUS.get(status) ?? (status >= 500 ? "transport" : "invalid");

/** Finds the words in `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, a list of those, or plain text. */
function factsOf(value: JsonValue | undefined, text: string): Facts {
  const list = asArray(value);
  const object = asObject(list.length > 0 ? list[0] : value);
  if (object === undefined) return { words: typeof value === "string" ? value : text.trim(), codes: "" };
  const inner = asObject(object["error"]) ?? object;
  const status = statusOf(inner) ?? statusOf(object);
  const words = [
    asText(inner["message"]),
    asText(object["error"]),
    asText(object["message"]),
    detail(inner["detail"]),
    detail(object["detail"]),
  ].find((part) => part !== "");
  return {
    words: `${words ?? (text === "" ? JSON.stringify(object) : text.trim())}${upstream(inner)}`,
    codes: [inner["type"], inner["code"], inner["status"], object["type"]].map(asText).join(" "),
    ...(status === undefined ? {} : { status }),
  };
}

function statusOf(object: JsonObject): number | undefined {
  return [object["status_code"], object["code"], object["status"]].map(Number).find((number) => number >= 400 && number < 600);
}

/** Validation details come as text or as a list of `{loc, msg}`. */
function detail(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  const lines = asArray(value).map((item) => {
    const issue = asObject(item);
    const where = asArray(issue?.["loc"]).map(String).join(".");
    return `${where === "" ? "" : `${where}: `}${asText(issue?.["msg"])}`;
  });
  return lines.filter((line) => line !== "").join("; ");
}

/** A router repeats what the server behind it said. */
function upstream(error: JsonObject): string {
  const metadata = asObject(error["metadata"]);
  const raw = asText(metadata?.["raw"]);
  const name = asText(metadata?.["provider_name"]);
  return raw === "" ? "" : ` (${name === "" ? "upstream" : name}: ${bounded(raw, 1000)})`;
}
