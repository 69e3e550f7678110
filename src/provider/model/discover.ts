import { err, ok, type Clock, type Result } from "../../base/index.js";
import type { Diagnostic, ModelInfo, ProviderError, ResponseHead } from "../../schema/index.js";
import { httpRequest, originProblem } from "../attempt.js";
import { noModels, providerDiagnostic } from "../diagnostics.js";
import { htmlError, isHtml, placed, pluginError, redirectError, statusError, transportError } from "../failure.js";
import { displayUrl } from "../http/secrets.js";
import type { HttpEngine } from "../http/types.js";
import type { Dispatch } from "./resolve.js";
import { readText } from "../stream/decode.js";
import type { ProviderAdapter } from "../types.js";

/** Longest wait for the list of an endpoint somebody named, and its largest size. */
export const DISCOVERY_MS = 5000;
const LIST_BYTES = 4 * 1024 * 1024;

export interface DiscoverInput {
  readonly adapter: ProviderAdapter;
  readonly dispatch: Dispatch;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Asks the server once which models it has and takes the first. A dispatch that has its model is returned as it is. */
export async function discoverModel(
  deps: { readonly engine: HttpEngine; readonly clock: Clock },
  input: DiscoverInput,
): Promise<Result<Dispatch, Diagnostic>> {
  const { dispatch } = input;
  if (!dispatch.needsModel) return ok(dispatch);
  const listed = await listModels(deps, input);
  if (!listed.ok) return listed;
  const first = listed.value[0];
  const { provider } = dispatch.ref;
  if (first === undefined)
    return err(noModels(provider, dispatch.endpoint.baseUrl, "Its list of models is empty: no model is loaded there."));
  const { contextTokens = 0 } = first;
  const limit = contextTokens > 0 ? { contextLimit: contextTokens } : {};
  return ok({ ...dispatch, ref: { provider, model: first.ref.model }, needsModel: false, ...limit });
}

/** The models an endpoint lists, in its order. One exchange, never retried. */
async function listModels(
  deps: { readonly engine: HttpEngine; readonly clock: Clock },
  input: DiscoverInput,
): Promise<Result<readonly ModelInfo[], Diagnostic>> {
  const { adapter, dispatch } = input;
  const over = new AbortController();
  const timeoutMs = input.timeoutMs ?? DISCOVERY_MS;
  let isLate = false;
  const late = (): void => {
    if (over.signal.aborted) return;
    isLate = true;
    over.abort();
  };
  deps.clock.sleep(timeoutMs, over.signal).then(late, late);
  const signal = AbortSignal.any([input.signal, over.signal]);
  const place = { provider: dispatch.ref.provider, url: dispatch.endpoint.baseUrl, ...credentialOf(dispatch) };
  try {
    const asked = await ask(deps.engine, adapter, dispatch, signal);
    if (asked.ok) return asked;
    if (asked.error === "none") return err(noModels(place.provider, place.url, "The provider plugin knows no way to list models."));
    const error: ProviderError = isLate
      ? { ...asked.error, class: "transport", message: `the list of models did not come within ${String(timeoutMs)} ms` }
      : asked.error;
    return err(
      error.class === "not-found"
        ? noModels(place.provider, place.url, `It has no list of models: ${error.message}`)
        : providerDiagnostic(error, place),
    );
  } finally {
    over.abort();
  }
}

const credentialOf = ({ endpoint }: Dispatch): { readonly credential?: string } =>
  endpoint.credential === undefined ? {} : { credential: endpoint.credential };

async function ask(
  engine: HttpEngine,
  adapter: ProviderAdapter,
  { endpoint }: Dispatch,
  signal: AbortSignal,
): Promise<Result<readonly ModelInfo[], ProviderError | "none">> {
  if (adapter.models === undefined) return err("none");
  try {
    const listing = await adapter.models(endpoint);
    const { plan } = listing;
    if (plan.type === "local") return err(plan.deltas.find((delta) => delta.type === "error")?.error ?? "none");
    const misuse = originProblem(plan, endpoint);
    if (misuse !== undefined) return err(pluginError("listing models", misuse));
    const exchanged = await engine.exchange(httpRequest(plan, endpoint), signal);
    const url = displayUrl(plan.url);
    if (!exchanged.ok) return err({ ...transportError(exchanged.error), url });
    const { body, redact } = exchanged.value;
    const head: ResponseHead = { ...exchanged.value.head, url };
    const text = redact(await readText(body, LIST_BYTES));
    const refused = await refusal(adapter, head, text);
    if (refused !== undefined) return err(placed(refused, { url, redact }));
    if (body.end?.outcome !== "complete") return err({ class: "transport", message: "the list of models broke off", url });
    return ok(await listing.parse(text));
  } catch (error) {
    return err(pluginError("listing models", error));
  }
}

async function refusal(adapter: ProviderAdapter, head: ResponseHead, text: string): Promise<ProviderError | undefined> {
  if (head.status >= 300 && head.status < 400) return redirectError(head);
  if (isHtml(head, text)) return htmlError(head, text);
  if (head.status >= 200 && head.status < 300) return undefined;
  return { ...statusError(head, text), ...(await adapter.fail(head, text)), status: head.status };
}
