import { redactUrl } from "../base/index.js";
import type { Clock } from "../base/index.js";
import type { Endpoint, ExchangePlan, ProviderRequest, ResponseHead } from "../schema/index.js";
import { type ErrorPlace, htmlError, isHtml, placed, pluginError, redirectError, statusError, transportError } from "./failure.js";
import type { HttpEngine, HttpRequest, HttpResponse } from "./http/types.js";
import { retryAfterOf } from "./retry.js";
import { ABORTED, type AttemptEnd, type AttemptRun, decodeAnswer, decodeLocal, failed, guard, readText } from "./stream/decode.js";
import type { ProviderAdapter } from "./types.js";

/** One request, and who makes and reads it. */
export interface AttemptAsked {
  readonly adapter: ProviderAdapter;
  readonly request: ProviderRequest;
  readonly signal: AbortSignal;
}

export interface AttemptDeps {
  readonly engine: HttpEngine;
  readonly clock: Clock;
}

type HttpPlan = Extract<ExchangePlan, { readonly type: "http" }>;

/** Most of a refusal's body that is read. */
const REFUSAL_BYTES = 64 * 1024;

/**
 * One request sent once: plan, exchange, frame, decode. Never throws; closes the connection and drops the decoder's
 * state however it is left. Errors come out with their URL, bounded, without secrets.
 */
export async function* attempt(deps: AttemptDeps, asked: AttemptAsked): AttemptRun {
  const { adapter, request, signal } = asked;
  const planned = await guard(signal, "planning the request", () => adapter.plan(request));
  if (!planned.ok) return planned.error;
  const plan = planned.value;
  if (plan.type === "local") return yield* decodeLocal(plan.deltas);
  const misuse = originProblem(plan, request.endpoint);
  if (misuse !== undefined) return failed(pluginError("planning the request", misuse));
  const exchanged = await deps.engine.exchange(httpRequest(plan, request.endpoint), signal);
  const url = redactUrl(plan.url);
  if (signal.aborted) return ABORTED;
  if (!exchanged.ok) return failed({ ...transportError(exchanged.error), url });
  const { body, redact, head: received, trace } = exchanged.value;
  const head: ResponseHead = { ...received, url };
  const after = retryAfterOf(head.headers, deps.clock.now());
  const place: ErrorPlace = { url, redact, ...(after === undefined ? {} : { retryAfterMs: after }) };
  const { framing, merge } = plan;
  try {
    const end = isSuccess(head)
      ? yield* decodeAnswer({
          adapter,
          framing,
          head,
          body,
          signal,
          clock: deps.clock,
          ...(merge === undefined ? {} : { merge }),
          ...(trace === undefined ? {} : { trace }),
        })
      : await refused(asked, head, exchanged.value);
    return end.type === "error" ? failed(placed(end.error, place)) : end;
  } finally {
    body.cancel();
  }
}

const isSuccess = (head: ResponseHead): boolean => head.status >= 200 && head.status < 300;

/** The request as the engine takes it; only the endpoint's own credential may be filled in. */
export const httpRequest = (plan: HttpPlan, endpoint: Endpoint): HttpRequest => ({
  method: plan.method,
  url: plan.url,
  headers: plan.headers,
  secrets: endpoint.credential === undefined ? [] : [endpoint.credential],
  ...(endpoint.headers === undefined ? {} : { added: endpoint.headers }),
  ...(plan.body === undefined ? {} : { body: plan.body }),
});

/** A credential goes to the server it is for: the plugin may choose the path, not the origin. */
export function originProblem(plan: HttpPlan, endpoint: Endpoint): string | undefined {
  if (!URL.canParse(plan.url)) return `not a URL: ${redactUrl(plan.url)}`;
  if (!URL.canParse(endpoint.baseUrl)) return undefined;
  const [planned, allowed] = [new URL(plan.url).origin, new URL(endpoint.baseUrl).origin];
  return planned === allowed ? undefined : `it asks ${planned}, but this connection is for ${allowed}`;
}

/**
 * A status that is not 2xx: the plugin classes it, from a body without our secrets, or the status does. Redirects and pages for people are
 * no words of its vendor.
 */
async function refused({ adapter, signal }: AttemptAsked, head: ResponseHead, response: HttpResponse): Promise<AttemptEnd> {
  const text = response.redact(await readText(response.body, REFUSAL_BYTES));
  response.trace?.({ data: text });
  if (signal.aborted) return ABORTED;
  if (head.status >= 300 && head.status < 400) return failed(redirectError(head));
  if (isHtml(head, text)) return failed(htmlError(head, text));
  const judged = await guard(signal, "reading an error", () => adapter.fail(head, text));
  if (!judged.ok && judged.error.type === "aborted") return ABORTED;
  if (judged.ok && judged.value !== undefined) return failed({ ...judged.value, status: judged.value.status ?? head.status });
  return failed(statusError(head, text));
}
