import { type Clock, err, ok, orAborted, parseJson, type Result, utf8Length, redactUrl } from "../../base/index.js";
import type { Diagnostic, Endpoint, ExchangePlan, ModelInfo, ProviderError, ResponseHead } from "../../schema/index.js";
import { httpRequest, originProblem } from "../attempt.js";
import type { CredentialPort } from "../credentials.js";
import { providerDiagnostic } from "../diagnostics.js";
import { htmlError, isHtml, placed, pluginError, redirectError, statusError, transportError } from "../failure.js";
import type { HttpEngine } from "../http/types.js";
import { readText } from "../stream/decode.js";
import type { ProviderAdapter } from "../types.js";
import { noModels } from "./diagnostics.js";
import { readModels } from "./reader.js";

/** Longest wait for the list of an endpoint somebody named; the size of one answer; how many exchanges one list may take. */
const DISCOVERY_MS = 5000;
const LIST_BYTES = 4 * 1024 * 1024;
const MAX_PLANS = 4;
/** What only adds to a list is waited for this long once the list is there. */
const EXTRAS_MS = 1000;

export interface ListDeps {
  readonly engine: HttpEngine;
  readonly clock: Clock;
  /** Absent: keys are there without being made ready. */
  readonly credentials?: CredentialPort;
}

export interface ListInput {
  readonly adapter: ProviderAdapter;
  /** Id of the provider; all models come out as models of it. */
  readonly provider: string;
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  /** Absent: {@link DISCOVERY_MS}. */
  readonly timeoutMs?: number;
}

type HttpPlan = Extract<ExchangePlan, { readonly type: "http" }>;

/**
 * The models an endpoint lists, in its order, each id once. Every exchange is made once; all of it ends soon after `signal` aborts, or
 * when the time is over, which begins once the key is there.
 */
export async function listModels(deps: ListDeps, input: ListInput): Promise<Result<readonly ModelInfo[], Diagnostic>> {
  const { endpoint } = input;
  const ready = endpoint.credential === undefined ? undefined : await deps.credentials?.ready(endpoint.credential, input.signal);
  if (ready?.ok === false) return ready;
  const over = new AbortController();
  const timeoutMs = input.timeoutMs ?? DISCOVERY_MS;
  let isLate = false;
  const late = (): void => {
    if (over.signal.aborted) return;
    isLate = true;
    over.abort("late");
  };
  deps.clock.sleep(timeoutMs, over.signal).then(late, late);
  const signal = AbortSignal.any([input.signal, over.signal]);
  try {
    const asked = await orAborted(ask(deps, { ...input, signal }), signal);
    if (asked === "aborted") return err(wordsOf(input, isLate ? lateError("none", timeoutMs) : CANCELLED));
    if (asked.ok) return asked;
    return err(wordsOf(input, isLate ? lateError(asked.error, timeoutMs) : asked.error));
  } finally {
    over.abort("over");
  }
}

const CANCELLED: ProviderError = { class: "transport", message: "asking for the list of models was cancelled" };

const lateError = (error: ProviderError | "none", ms: number): ProviderError => ({
  ...(error === "none" ? {} : error),
  class: "transport",
  message: `the list of models did not come within ${String(ms)} ms`,
});

function wordsOf({ provider, endpoint }: ListInput, error: ProviderError | "none"): Diagnostic {
  const { baseUrl: url, credential } = endpoint;
  if (error === "none") return noModels(provider, url, "The provider plugin knows no way to list models.");
  if (error.class === "not-found") return noModels(provider, url, `It has no list of models: ${error.message}`);
  return providerDiagnostic(error, { provider, url, ...(credential === undefined ? {} : { credential }) });
}

type Asked<T> = Result<T, ProviderError | "none">;

async function ask(deps: ListDeps, input: ListInput): Promise<Asked<readonly ModelInfo[]>> {
  const { adapter, endpoint, provider } = input;
  if (adapter.models === undefined) return err("none");
  try {
    const listing = await adapter.models(endpoint);
    const [first, ...others] = listing.plans.slice(0, MAX_PLANS);
    if (first === undefined) return err("none");
    const extras = new AbortController();
    const signal = AbortSignal.any([input.signal, extras.signal]);
    const asked = exchange(deps, input, first);
    const further = others.map(async (plan) => await exchange(deps, { ...input, signal }, plan));
    const main = await asked;
    if (!main.ok) {
      extras.abort("the list failed");
      await Promise.all(further);
      if (main.error !== "none" && main.error.class === "auth" && endpoint.credential !== undefined)
        deps.credentials?.refused(endpoint.credential);
      return main;
    }
    const texts = await settled(deps.clock, further, extras);
    return ok(readModels(await listing.parse([main.value, ...texts]), provider));
  } catch (error) {
    return err(pluginError("listing models", error));
  }
}

/** Their texts, empty where one failed or did not come in time. */
async function settled(clock: Clock, further: readonly Promise<Asked<string>>[], extras: AbortController): Promise<readonly string[]> {
  if (further.length === 0) return [];
  const done = new AbortController();
  const late = clock.sleep(EXTRAS_MS, done.signal).then(() => {
    extras.abort("late");
  });
  const answers = await Promise.all(further);
  done.abort("all came");
  await late;
  return answers.map((answer) => (answer.ok ? answer.value : ""));
}

async function exchange({ engine }: ListDeps, { adapter, endpoint, signal }: ListInput, plan: ExchangePlan): Promise<Asked<string>> {
  if (plan.type === "local") return err(plan.deltas.find((delta) => delta.type === "error")?.error ?? "none");
  const misuse = originProblem(plan, endpoint);
  if (misuse !== undefined) return err(pluginError("listing models", misuse));
  try {
    return await fetchText(engine, { adapter, endpoint, signal }, plan);
  } catch (error) {
    return err(pluginError("listing models", error));
  }
}

async function fetchText(
  engine: HttpEngine,
  { adapter, endpoint, signal }: Pick<ListInput, "adapter" | "endpoint" | "signal">,
  plan: HttpPlan,
): Promise<Asked<string>> {
  const exchanged = await engine.exchange(httpRequest(plan, endpoint), signal);
  const url = redactUrl(plan.url);
  if (!exchanged.ok) return err({ ...transportError(exchanged.error), url });
  const { body, redact } = exchanged.value;
  const head: ResponseHead = { ...exchanged.value.head, url };
  const whole = await readText(body, LIST_BYTES + 1);
  const text = redact(whole);
  const refused = await refusal(adapter, head, text);
  if (refused !== undefined) return err(placed(refused, { url, redact }));
  if (body.end?.outcome !== "complete") return err({ class: "transport", message: "the list of models broke off", url });
  // A piece of a list reads as none: the one that is known would be lost for nothing.
  if (utf8Length(whole) > LIST_BYTES)
    return err({ class: "protocol", message: `the list of models is larger than ${String(LIST_BYTES)} bytes`, url });
  if (plan.framing === "json" && parseJson(text) === undefined)
    return err({ class: "protocol", message: "the list of models is no JSON", url });
  return ok(text);
}

async function refusal(adapter: ProviderAdapter, head: ResponseHead, text: string): Promise<ProviderError | undefined> {
  if (head.status >= 300 && head.status < 400) return redirectError(head);
  if (isHtml(head, text)) return htmlError(head, text);
  if (head.status >= 200 && head.status < 300) return undefined;
  return { ...statusError(head, text), ...(await adapter.fail(head, text)), status: head.status };
}
