import type { Clock } from "../../../base/index.js";
import type { FetchLike } from "../transport/fetch.js";

interface Renewal {
  readonly atMs: number;
  readonly answer: Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
}

const KEPT_MS = 5_000;

/**
 * Requests that find their token run out at the same time renew it once: many servers take a refresh token one time only, and take a second
 * use of it for theft.
 */
export function shareRenewals(fetch: FetchLike, clock: Clock): FetchLike {
  const renewals = new Map<string, Renewal>();
  return async (target, init) => {
    const body = init?.method === "POST" && init.body instanceof URLSearchParams ? init.body : undefined;
    if (body?.get("grant_type") !== "refresh_token") return await fetch(target, init);
    const now = clock.monotonic();
    for (const [key, { atMs }] of renewals) if (now - atMs > KEPT_MS) renewals.delete(key);
    const key = `${String(target)} ${body.toString()}`;
    const asked = renewals.get(key)?.answer ?? ask(fetch, target, init);
    renewals.set(key, { atMs: now, answer: asked });
    try {
      const { status, headers, text } = await asked;
      if (status >= 500) renewals.delete(key);
      return new Response(text, { status, headers });
    } catch (error) {
      renewals.delete(key);
      throw error;
    }
  };
}

async function ask(fetch: FetchLike, target: string | URL, init: RequestInit | undefined): Promise<Awaited<Renewal["answer"]>> {
  const response = await fetch(target, init);
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}
