import type { JsonValue, ResponseHead } from "smith-agent/plugin";
import { asArray, asObject } from "./json.js";

type Headers = { readonly [name: string]: string };

/** How long the server wants to be left alone, as far as it says so. */
export interface Wait {
  readonly retryAfterMs?: number;
}

/**
 * Where requests are limited and no header asks for a wait (the host reads those): from words like "try again in 1.5s", from the reset
 * headers, or from those a router repeats in its body. Dates count from the answer's own `date`, so the two clocks need not agree.
 */
export function waitOf(head: ResponseHead, body: JsonValue | undefined, words: string): Wait {
  if (asksToWait(head) || head.status !== 429) return {};
  const now = Date.parse(header(head, "date") ?? "");
  const ms = spokenWait(words) ?? resetIn(head.headers, now) ?? resetIn(repeatedHeaders(body), now);
  return ms === undefined || !Number.isFinite(ms) ? {} : { retryAfterMs: ms };
}

/** The server says that it will answer again, and when: reset headers do not, they come with every answer. */
export const isToldToWait = (head: ResponseHead, words: string): boolean =>
  asksToWait(head) || (head.status === 429 && spokenWait(words) !== undefined);

function asksToWait(head: ResponseHead): boolean {
  const value = (header(head, "retry-after-ms") ?? header(head, "retry-after") ?? "").trim();
  return /^\d+(?:\.\d+)?$/u.test(value) || !Number.isNaN(Date.parse(value));
}

/**
 * The limit that is used up decides; of several the last to come back. Where none says that it is, the first to come back: a wait is a
 * minimum, and one of a limit that was not hit would be far too long.
 */
function resetIn(headers: Headers, now: number): number | undefined {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const values = new Map(entries);
  const resets = entries.flatMap(([name, value]) => {
    const ms = /^(?:x-)?ratelimit-(?:.*-)?reset/u.test(name) ? durationMs(value, now) : undefined;
    return ms === undefined ? [] : [{ ms, isUsedUp: Number(values.get(name.replace("reset", "remaining")) ?? Number.NaN) <= 0 }];
  });
  const usedUp = resets.filter((reset) => reset.isUsedUp).map((reset) => reset.ms);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return resets.length === 0 ? undefined : Math.min(...resets.map((reset) => reset.ms));
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
/** A number this large is a time, not a length: seconds, or milliseconds, since the epoch. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** `1s`, `6m0s`, `1.5`, seconds or milliseconds since the epoch, or a date. */
function durationMs(value: string, now: number): number | undefined {
  const text = value.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/u.test(text)) return numberMs(Number(text), now);
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/u.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/gu)];
    return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? "") ?? 0), 0));
  }
  const until = Date.parse(value);
  return Number.isNaN(until) || Number.isNaN(now) ? undefined : Math.max(0, until - now);
}

function numberMs(number: number, now: number): number | undefined {
  if (number < EPOCH_SECONDS) return Math.ceil(number * 1000);
  if (Number.isNaN(now)) return undefined;
  return Math.max(0, Math.ceil(number < EPOCH_MS ? number * 1000 : number) - now);
}

/** Headers of the server behind a router, which repeats them in its error. */
function repeatedHeaders(body: JsonValue | undefined): Headers {
  const error = asObject(asObject(asArray(body)[0] ?? body)?.["error"]);
  const headers = asObject(asObject(error?.["metadata"])?.["headers"]) ?? {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [],
    ),
  );
}

function spokenWait(words: string): number | undefined {
  const found = /(?:try|retry) again in ((?:\d+(?:\.\d+)?(?:ms|[smhd]))+)/iu.exec(words)?.[1];
  return found === undefined ? undefined : durationMs(found, Number.NaN);
}

function header(head: ResponseHead, name: string): string | undefined {
  const found = Object.keys(head.headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : head.headers[found];
}
