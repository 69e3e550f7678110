import type { JsonObject, JsonValue, ProviderError, ResponseHead } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText, bounded } from "./json.js";

type ErrorClass = ProviderError["class"];

const MAX_WORDS = 4000;

const OVERFLOW =
  /(?:input|prompt) token count|exceeds the maximum number of tokens|context[ _-]?(?:length|window|size)|(?:prompt|input|request)(?: is)? too (?:long|large)|too many (?:input )?tokens/iu;
const KEY = /api[ _-]?key|API_KEY_|credential|unauthenticated|access token/iu;
const FILTERED = /prohibited content|safety (?:settings|filter|polic)|blocked by|content polic/iu;
/** Waiting a moment does not help: a day's allowance, one of 0, or money. */
const USED_UP = /per ?day|daily|limit: 0\b|billing|prepay|credits? (?:are|is|has|have)|spend(?:ing)?[ _-](?:cap|limit)|monthly/iu;

/** What a `google.rpc.Status` says (google/rpc/status.proto, error_details.proto). */
interface Facts {
  readonly words: string;
  /** Canonical code: INVALID_ARGUMENT and so on. */
  readonly code: string;
  readonly status?: number;
  /** Reasons, quota ids and metrics of the details. */
  readonly reasons: string;
  readonly retryDelayMs?: number;
}

/** Classes an answer that is not 2xx, in the server's own words. Redirects, pages for people and the address are the host's to tell. */
export function fail(head: ResponseHead, body: string): ProviderError {
  const { status } = head;
  const facts = factsOf(parseJson(body), body);
  const kind = classify({ ...facts, status });
  const words = facts.words === "" ? `HTTP ${status} without an explanation` : facts.words;
  return {
    class: kind,
    status,
    message: bounded(words, MAX_WORDS),
    ...waitOf(kind, facts),
  };
}

/** An error in place of a chunk, as an object or in a list. */
export function streamError(value: JsonValue): ProviderError {
  const facts = factsOf(value, "");
  const kind = classify(facts);
  return {
    class: kind,
    message: bounded(facts.words === "" ? "The server ended the answer with an error it does not explain." : facts.words, MAX_WORDS),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...waitOf(kind, facts),
  };
}

/** What the details ask for; a header that does is the host's to read. */
const waitOf = (kind: ErrorClass, { retryDelayMs }: Facts): Pick<ProviderError, "retryAfterMs"> =>
  retryDelayMs !== undefined && WAITED_FOR.has(kind) ? { retryAfterMs: retryDelayMs } : {};

const WAITED_FOR: ReadonlySet<ErrorClass> = new Set(["rate-limit", "overloaded", "quota", "transport"]);

/** A protobuf duration in JSON, such as `34.07s`, in ms. */
function durationMs(text: string): number | undefined {
  const ms = Math.ceil(Number(/^(\d+(?:\.\d+)?)s$/u.exec(text.trim())?.[1]) * 1000);
  return Number.isFinite(ms) ? ms : undefined;
}

interface Rule {
  readonly class: ErrorClass;
  readonly matches: (facts: Facts) => boolean;
}

/** In order; the first that matches decides. What none matches is classed by its code, then by its status. */
const RULES: readonly Rule[] = [
  { class: "context-overflow", matches: ({ code, words }) => code === "INVALID_ARGUMENT" && OVERFLOW.test(words) },
  { class: "auth", matches: ({ code, words, reasons }) => code === "INVALID_ARGUMENT" && KEY.test(`${reasons} ${words}`) },
  { class: "content-filter", matches: ({ code, words }) => code === "INVALID_ARGUMENT" && FILTERED.test(words) },
  // The free tier is not to be had everywhere; somebody has to set up billing.
  { class: "quota", matches: ({ code, words }) => code === "FAILED_PRECONDITION" && /billing/iu.test(words) },
  { class: "quota", matches: ({ code, words, reasons }) => code === "RESOURCE_EXHAUSTED" && isUsedUp(words, reasons) },
];

/** What is counted by the day says so in its quota's id, whatever delay is told beside it. The general advice on billing is no sign. */
function isUsedUp(words: string, reasons: string): boolean {
  if (/per ?day|daily/iu.test(reasons)) return true;
  if (/per ?minute|per ?second/iu.test(reasons)) return false;
  return USED_UP.test(words.replace(/please check your plan and billing details[^]*$/iu, ""));
}

const CODES: ReadonlyMap<string, ErrorClass> = new Map([
  ["UNAUTHENTICATED", "auth"],
  ["PERMISSION_DENIED", "auth"],
  ["NOT_FOUND", "not-found"],
  ["RESOURCE_EXHAUSTED", "rate-limit"],
  ["UNAVAILABLE", "overloaded"],
  ["DEADLINE_EXCEEDED", "transport"],
  ["INTERNAL", "transport"],
  ["ABORTED", "transport"],
  ["CANCELLED", "transport"],
  ["UNKNOWN", "transport"],
  ["DATA_LOSS", "transport"],
  ["INVALID_ARGUMENT", "invalid"],
  ["FAILED_PRECONDITION", "invalid"],
  ["OUT_OF_RANGE", "invalid"],
  ["UNIMPLEMENTED", "invalid"],
]);
const CODE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [413, "INVALID_ARGUMENT"],
  [429, "RESOURCE_EXHAUSTED"],
]);

function classify(facts: Facts): ErrorClass {
  const code = CODES.has(facts.code) ? facts.code : (CODE_OF_STATUS.get(facts.status ?? 0) ?? "");
  const rule = RULES.find(({ matches }) => matches({ ...facts, code }));
  if (rule !== undefined) return rule.class;
  // A body that alone is too large is refused before it is read.
  if (facts.status === 413) return "context-overflow";
  return CODES.get(code) ?? (facts.status === undefined ? "transport" : statusClass(facts.status));
}

function statusClass(status: number): ErrorClass {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not-found";
  if (status === 429) return "rate-limit";
  if (status === 408) return "transport";
  if (status === 503 || status === 529) return "overloaded";
  return status >= 500 && status !== 501 && status !== 505 ? "transport" : "invalid";
}

/** Reads `{error: {code, message, status, details}}`, a list of one of those, `{error: "…"}`, `{message}`, or plain text. */
function factsOf(value: JsonValue | undefined, text: string): Facts {
  const object = asObject(asArray(value)[0] ?? value);
  if (object === undefined) return { words: typeof value === "string" ? value : text.trim(), code: "", reasons: "" };
  const error = asObject(object["error"]) ?? object;
  // Some servers put the whole answer of the one behind them into the message, as text.
  const inner = parseJson(asText(error["message"]));
  if (asObject(asObject(inner)?.["error"]) !== undefined) return factsOf(inner, text);
  const told = [error["message"], object["error"], object["message"]].map(asText).find((words) => words !== "");
  const said = text === "" ? JSON.stringify(object) : text.trim();
  return { words: told ?? said, code: asText(error["status"]), ...detailsOf(error) };
}

function detailsOf(error: JsonObject): Pick<Facts, "reasons" | "status" | "retryDelayMs"> {
  const details = asArray(error["details"])
    .map(asObject)
    .filter((detail) => detail !== undefined);
  const status = Number(error["code"]);
  const delay = details.map((detail) => durationMs(asText(detail["retryDelay"]))).find((ms) => ms !== undefined);
  return {
    reasons: details.flatMap(reasonsOf).join(" "),
    ...(status >= 400 && status < 600 ? { status } : {}),
    ...(delay === undefined ? {} : { retryDelayMs: delay }),
  };
}

const reasonsOf = (detail: JsonObject): readonly string[] => [
  asText(detail["reason"]),
  ...asArray(detail["violations"]).flatMap((item) => {
    const violation = asObject(item);
    return [asText(violation?.["quotaId"]), asText(violation?.["quotaMetric"])];
  }),
];
