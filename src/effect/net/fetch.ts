import type { IncomingMessage } from "node:http";
import { err, ok, orAborted, type Result, utf8Length } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { Diagnostic, FetchOutput, MutationState } from "../../schema/index.js";
import type { EffectContext, EffectReply } from "../types.js";
import { fillReferences, type SecretPort, type SecretVault } from "../secrets/index.js";
import { readBody } from "./body.js";
import { wireFor, type WireDeps } from "./connect.js";
import { exchange, type HopFailure } from "./exchange.js";
import { badHeader, badRedirect, brokenBody, fetchStopped, fetchTimedOut, netDenied, privateDenied } from "./failures.js";
import { PrivateAddressError } from "./lookup.js";
import { isReading, permitFor } from "./policy.js";
import { type CheckedFetch, checkUrl, NET_BOUNDS, valueProblem } from "./request.js";

export interface FetchDeps extends Pick<WireDeps, "env" | "lookup"> {
  readonly clock: Clock;
  readonly secret: SecretPort;
  readonly vault: SecretVault;
}

/** One request on the way, as it is after the redirects so far. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Origin that redirected here. */
  readonly from?: string;
}

interface Journey {
  readonly deps: FetchDeps;
  readonly context: EffectContext;
  readonly input: CheckedFetch;
  /** Aborted by the caller or by the limit. */
  readonly signal: AbortSignal;
  /** Values of secrets that were sent. */
  readonly secrets: readonly string[];
  /** Names of headers that go to the first origin only. */
  readonly confined: ReadonlySet<string>;
  /** What is known of the requests that may have changed something. */
  outcome: MutationState;
}

const CREDENTIALS = ["authorization", "cookie"];

/** Runs a checked request: all of it within its limit, every hop against the grants as they are now. */
export async function fetchChecked(input: CheckedFetch, context: EffectContext, deps: FetchDeps): Promise<EffectReply<FetchOutput>> {
  const filled = fillReferences(input.headers, context, { ...deps, reach: "remote" });
  if (!filled.ok) return { outcome: "not-applied", result: filled };
  const { texts: headers, values: secrets, holders } = filled.value;
  // Checked before, but for what the secrets brought.
  const bad = Object.entries(headers).find(([, value]) => valueProblem(value) !== undefined);
  if (bad !== undefined)
    return { outcome: "not-applied", result: err(badHeader(bad[0], "the secret in it holds characters no header may have")) };
  const limit = new AbortController();
  const over = new AbortController();
  const journey: Journey = {
    deps,
    context,
    input,
    signal: AbortSignal.any([context.signal, limit.signal]),
    secrets,
    confined: new Set([...CREDENTIALS, ...holders]),
    outcome: "not-applied",
  };
  deps.clock.sleep(input.timeoutMs, AbortSignal.any([context.signal, over.signal])).then(
    () => {
      limit.abort("late");
    },
    () => undefined,
  );
  const { url, method, body } = input;
  const result = await travel(journey, { url: new URL(url), method, headers, ...(body === undefined ? {} : { body }) });
  over.abort("over");
  return { outcome: journey.outcome, result };
}

async function travel(journey: Journey, first: Hop): Promise<Result<FetchOutput, Diagnostic>> {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await take(journey, hop);
    if (!answer.ok) return answer;
    const next = redirected(hop, answer.value, journey);
    if (next === undefined) return arrive(journey, hop, answer.value);
    answer.value.destroy();
    if (!next.ok) return next;
    if (redirects >= NET_BOUNDS.redirects) return err(badRedirect(hop.url.host, "it is the sixth in a row"));
    hop = next.value;
  }
}

/** One request and the head of its answer. */
async function take(journey: Journey, hop: Hop): Promise<Result<IncomingMessage, Diagnostic>> {
  const { context, deps, signal } = journey;
  const permit = permitFor(hop.url, hop.method, context.grants);
  if (permit === undefined) return err(netDenied({ ...requestOf(journey, hop), granted: context.grants.net }));
  try {
    const wire = await orAborted(wireFor(hop.url, { ...deps, ...permit }), signal);
    if (wire === "aborted") return err(stopOf(journey, hop));
    if (!wire.ok) return wire;
    const body = hop.body === undefined ? {} : { body: hop.body };
    const answer = await exchange(wire.value, { method: hop.method, headers: headersFor(hop), ...body }, signal);
    if (!answer.ok) {
      wire.value.close();
      return err(failed(journey, hop, answer.error));
    }
    answer.value.once("close", () => {
      wire.value.close();
    });
    if (!isReading(hop.method) && journey.outcome !== "unknown") journey.outcome = "applied";
    return answer;
  } catch (error) {
    if (error instanceof PrivateAddressError) return err(failed(journey, hop, { wasSent: false, reason: error }));
    throw error;
  }
}

const requestOf = ({ context }: Journey, { method, url, from }: Hop) => ({
  plugin: context.plugin,
  method,
  origin: url.origin,
  ...(from === undefined ? {} : { from }),
});

function failed(journey: Journey, hop: Hop, { wasSent, reason }: HopFailure): Diagnostic {
  if (wasSent && !isReading(hop.method)) journey.outcome = "unknown";
  if (reason === "aborted") return stopOf(journey, hop);
  return reason instanceof PrivateAddressError ? privateDenied(requestOf(journey, hop), reason.host, reason.address) : reason;
}

const stopOf = ({ context, input }: Journey, { url }: Pick<Hop, "url">): Diagnostic =>
  context.signal.aborted ? fetchStopped() : fetchTimedOut(url.host, input.timeoutMs);

const headersFor = ({ headers, body, method }: Hop): Readonly<Record<string, string>> => ({
  "user-agent": "smith",
  accept: "*/*",
  ...headers,
  "accept-encoding": "gzip, deflate, br",
  ...(body === undefined ? (isReading(method) ? {} : { "content-length": "0" }) : { "content-length": String(utf8Length(body)) }),
});

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The request that a redirect asks for; undefined when the answer is none. */
function redirected(hop: Hop, res: IncomingMessage, { confined }: Journey): Result<Hop, Diagnostic> | undefined {
  const { location } = res.headers;
  const status = res.statusCode ?? 0;
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const target = checkUrl(location, hop.url);
  if (!target.ok) return err(badRedirect(hop.url.host, target.error.what.replace(/\.$/u, "")));
  const url = target.value;
  const isSame = url.origin === hop.url.origin;
  // As browsers do it: a POST that was answered by a page is followed by a GET.
  const becomesGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (isSame || !confined.has(name)) && !(becomesGet && name.startsWith("content-")),
  );
  return ok({
    url,
    method: becomesGet ? "GET" : hop.method,
    headers: Object.fromEntries(kept),
    ...(hop.body === undefined || becomesGet ? {} : { body: hop.body }),
    from: hop.url.origin,
  });
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

async function arrive(journey: Journey, { url, method }: Hop, res: IncomingMessage): Promise<Result<FetchOutput, Diagnostic>> {
  const { input, secrets, signal } = journey;
  const onAbort = (): void => {
    res.destroy(new Error("stopped"));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const hasBody = method !== "HEAD" && !NO_BODY.has(res.statusCode ?? 0);
  const read = await readBody(res, { maxBytes: input.maxBytes, as: input.as, hasBody, secrets });
  signal.removeEventListener("abort", onAbort);
  if (signal.aborted) return err(stopOf(journey, { url }));
  if (!read.ok) return err(brokenBody(url.host, read.error));
  return ok({ status: res.statusCode ?? 0, url: clean(url.href, secrets), headers: headersOf(res, secrets), ...read.value });
}

const clean = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((kept, value) => (value.length < 4 ? kept : kept.replaceAll(value, "[redacted]")), text);

/** Lower-case names, repeated headers in one; Node has bounded them. */
function headersOf(res: IncomingMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(res.headers))
    if (value !== undefined) headers[name] = clean(Array.isArray(value) ? value.join(", ") : value, secrets);
  return headers;
}
