import type { JsonObject, JsonValue, ProviderError, ResponseHead } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText, bounded } from "./json.js";

type ErrorClass = ProviderError["class"];

const MAX_WORDS = 4000;

const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum context|(?:prompt|input|request)(?: is)? too (?:long|large)|too many (?:input )?tokens|exceed_context|string_above_max_length|reduce the length/iu;
const QUOTA =
  /insufficient[ _-](?:quota|credits?|balance|funds)|exceeded your current quota|quota[ _](?:exceeded|exhausted)|billing|payment required|(?:usage|spending|spend)[ _]limit|out of credits/iu;
const POLICY = /content[ _-]?(?:filter|policy)|moderation|safety|invalid_prompt|cyber_policy|bio_policy|usage polic/iu;

/** Words of the code and type fields, for an error inside of a stream: it has no status. */
const WORDS: readonly (readonly [RegExp, ErrorClass])[] = [
  [/rate[ _-]?limit|too_many_requests/iu, "rate-limit"],
  [/overloaded|unavailable|capacity|slow_down/iu, "overloaded"],
  [/authentication|permission|invalid_api_key|unauthorized|forbidden/iu, "auth"],
  [/not_found/iu, "not-found"],
  // A gateway may say "invalid request" of what its upstream failed with; the vendor names its own failures.
  [/server_error|timeout|internal/iu, "transport"],
  [/invalid|bad_request|unsupported|image/iu, "invalid"],
];

interface Facts {
  readonly words: string;
  readonly codes: string;
  readonly status?: number;
}

/** Classes an answer that is not 2xx, in the server's own words. Redirects, pages for people and the address are the host's to tell. */
export function fail(head: ResponseHead, body: string): ProviderError {
  const { status } = head;
  const facts = factsOf(parseJson(body), body);
  const kind = classify({ ...facts, status });
  const words = facts.words === "" ? `HTTP ${String(status)} without an explanation` : facts.words;
  return {
    class: kind,
    status,
    message: bounded(words, MAX_WORDS),
    ...(WAITING.has(kind) ? waiting(head, facts.words) : {}),
  };
}

/** Classes for which waiting helps. */
const WAITING: ReadonlySet<ErrorClass> = new Set(["rate-limit", "overloaded", "transport"]);

/** The error of an event in the middle of a stream, or of a response that failed: at the top of the object or in its `error`. */
export function streamError(error: JsonValue): ProviderError {
  const facts = factsOf(error, "");
  const kind = classify(facts);
  const wait = kind === "rate-limit" ? waitInWords(facts.words) : undefined;
  return {
    class: kind,
    message: bounded(facts.words === "" ? "The server ended the answer with an error it does not explain." : facts.words, MAX_WORDS),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

interface Rule {
  readonly class: ErrorClass;
  /** Statuses the rule is for; an error inside a stream has none and every rule is tried on it. */
  readonly statuses: readonly number[];
  readonly matches: (facts: Facts) => boolean;
}

/** In order; the first that matches decides. What none matches is classed by its status alone. */
const RULES: readonly Rule[] = [
  { class: "context-overflow", statuses: [400, 413, 422, 500], matches: ({ codes, words }) => OVERFLOW.test(`${codes} ${words}`) },
  {
    class: "quota",
    statuses: [400, 402, 403, 429],
    matches: ({ codes, words }) => QUOTA.test(codes) || (!/rate[ _-]?limit/iu.test(codes) && QUOTA.test(words)),
  },
  { class: "content-filter", statuses: [400, 403, 422], matches: ({ codes }) => POLICY.test(codes) },
  { class: "not-found", statuses: [400, 403], matches: ({ codes }) => /model_not_found|deploymentnotfound/iu.test(codes) },
  // A request too large for one minute's tokens is told as a rate limit but never gets through.
  { class: "context-overflow", statuses: [429], matches: ({ words }) => /request too large for/iu.test(words) },
];

function classify(facts: Facts): ErrorClass {
  const { status } = facts;
  const rule = RULES.find(({ statuses, matches }) => (status === undefined || statuses.includes(status)) && matches(facts));
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
  [409, "transport"],
  [413, "context-overflow"],
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
    asText(inner["detail"]),
    asText(object["detail"]),
  ];
  const said = words.find((part) => part !== "") ?? (text === "" ? JSON.stringify(object) : text.trim());
  return {
    words: `${said}${upstream(inner)}`,
    codes: [inner["type"], inner["code"], inner["status"]].map(asText).join(" "),
    ...(status === undefined ? {} : { status }),
  };
}

const statusOf = (object: JsonObject): number | undefined =>
  [object["status_code"], object["code"], object["status"]].map(Number).find((number) => number >= 400 && number < 600);

/** A router repeats what the server behind it said. */
function upstream(error: JsonObject): string {
  const metadata = asObject(error["metadata"]);
  const raw = asText(metadata?.["raw"]);
  const name = asText(metadata?.["provider_name"]);
  return raw === "" ? "" : ` (${name === "" ? "upstream" : name}: ${bounded(raw, 1000)})`;
}

/** How long to wait where no header asks for it (the host reads those): what the words say, or when a limit that is used up starts anew. */
function waiting(head: ResponseHead, words: string): { readonly retryAfterMs?: number } {
  if (asksToWait(head)) return {};
  const wait = waitInWords(words) ?? resetOf(head);
  return wait === undefined || !Number.isFinite(wait) ? {} : { retryAfterMs: wait };
}

function asksToWait(head: ResponseHead): boolean {
  const value = (header(head, "retry-after-ms") ?? header(head, "retry-after") ?? "").trim();
  return /^\d+(?:\.\d+)?$/u.test(value) || !Number.isNaN(Date.parse(value));
}

const waitInWords = (words: string): number | undefined =>
  durationMs(/try again in ((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)/iu.exec(words)?.[1] ?? "");

/** The limit with nothing left counts; where neither says so, the one that takes longer to start anew. Only 429 is about them. */
function resetOf(head: ResponseHead): number | undefined {
  if (head.status !== 429) return undefined;
  const limits = ["requests", "tokens"].map((name) => ({
    isUsedUp: (header(head, `x-ratelimit-remaining-${name}`) ?? "").trim() === "0",
    wait: durationMs((header(head, `x-ratelimit-reset-${name}`) ?? "").trim()),
  }));
  const usedUp = limits.filter((limit) => limit.isUsedUp);
  const waits = (usedUp.length > 0 ? usedUp : limits).flatMap(({ wait }) => wait ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1s`, `6m0s`, `120ms`, `1h2m3.5s`; a bare number is seconds. */
function durationMs(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.ceil(Number(text) * 1000);
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/iu.test(text)) return undefined;
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gu)];
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ""] ?? 0), 0));
}

function header(head: ResponseHead, name: string): string | undefined {
  const found = Object.keys(head.headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : head.headers[found];
}
