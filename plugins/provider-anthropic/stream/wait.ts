import type { ResponseHead } from "smith-agent/plugin";

const LIMITS = ["requests", "tokens", "input-tokens", "output-tokens"] as const;
const PREFIX = "anthropic-ratelimit-";

/**
 * How long to wait, by the vendor's reset headers, where it does not say so with `retry-after` (which the host reads). Of the limits that are
 * used up the one that lasts longest counts. Times count from the answer's own `date`, so the two clocks need not agree.
 */
export function waitOf({ headers }: ResponseHead): { readonly retryAfterMs?: number } {
  const by = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const now = Date.parse(by.get("date") ?? "");
  if (by.has("retry-after") || by.has("retry-after-ms") || Number.isNaN(now)) return {};
  const spent = LIMITS.filter((limit) => Number(by.get(`${PREFIX}${limit}-remaining`) ?? "1") <= 0);
  const counted = spent.length > 0 ? spent : LIMITS;
  const times = [...counted.map((limit) => timeOf(by.get(`${PREFIX}${limit}-reset`))), timeOf(by.get(`${PREFIX}unified-reset`))];
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length === 0 ? {} : { retryAfterMs: Math.max(0, Math.max(...known) - now) };
}

/** RFC 3339, or seconds since the epoch. */
const timeOf = (value: string | undefined): number =>
  value !== undefined && /^\d{9,11}$/u.test(value) ? Number(value) * 1000 : Date.parse(value ?? "");
