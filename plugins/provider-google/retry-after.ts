import type { ResponseHead } from "smith-agent/plugin";

/** A protobuf duration in JSON, such as `34.07s`, in ms. */
export function durationMs(text: string): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(text.trim())?.[1];
  return seconds === undefined ? undefined : msOf(seconds);
}

/** Digits that are no number any more say nothing. */
function msOf(seconds: string): number | undefined {
  const ms = Math.ceil(Number(seconds) * 1000);
  return Number.isFinite(ms) ? ms : undefined;
}

/** Seconds or an HTTP date; a date counts from the answer's own `date`, so the two clocks need not agree. */
export function retryAfterMs(head: ResponseHead): number | undefined {
  const value = (header(head, "retry-after") ?? "").trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) return msOf(value);
  const until = Date.parse(value);
  const now = Date.parse(header(head, "date") ?? "");
  return Number.isNaN(until) || Number.isNaN(now) ? undefined : Math.max(0, until - now);
}

const header = (head: ResponseHead, name: string): string | undefined =>
  Object.entries(head.headers).find(([key]) => key.toLowerCase() === name)?.[1];
