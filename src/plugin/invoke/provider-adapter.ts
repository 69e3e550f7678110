import { err, ok, type Result } from "../../base/index.js";
import type { NetGrant } from "../../effect/index.js";
import type { DecoderSession, ProviderAdapter } from "../../provider/index.js";
import type {
  BodyOutcome,
  Endpoint,
  ExchangePlan,
  FramedEvent,
  ModelInfo,
  ProviderDelta,
  ProviderError,
  ResponseHead,
} from "../../schema/index.js";
import type { Cell, CellModule, GuestCall, GuestEnd } from "../cell/index.js";
import { DELIVERY } from "../engine/kinds.js";
import { destroyAdvice, destroyWords, errorWords, readGuestError } from "./guest-words.js";
import { PLAN_SLICE_MS, PROVIDER_TEXT, SLICE_MS } from "../limits.js";
import { deltas, exchangePlan, exchangePlans, models, orAbsent, providerError, readJson, type Reader } from "../shape/index.js";
import { methodsOf, originCovers } from "../grants/index.js";
import type { ProviderContribution } from "../types.js";

/** The cell of a provider, kept for the one who took it until `done`. */
export interface ProviderCell {
  readonly cell: Cell;
  readonly module: CellModule;
  done(): void;
}

export interface ProviderAdapterDeps {
  readonly take: () => ProviderCell;
  /** Why the plugin may not be called, when it may not. */
  readonly refusal: () => string | undefined;
  /** What its plugin may exchange data with, by its manifest and the user's policy. */
  readonly net: () => readonly NetGrant[];
  /** Numbers decoders; unique among all adapters. */
  readonly nextAttempt: () => number;
}

type Operation = "plan" | "models" | "parseModels" | "fail" | "open" | "close";

/** A provider function's call failed: in words, for a {@link ProviderError} of class `plugin`. */
type Answer<T> = Result<T, string>;

/**
 * A provider plugin's pure functions, called in the provider cell. Nothing here rejects for what a plugin does: a failure of
 * `plan` is a local answer that holds the error, one of a decoder is an `error` delta.
 */
export function createProviderAdapter(deps: ProviderAdapterDeps, contribution: ProviderContribution): ProviderAdapter {
  const guest = createGuest(deps, contribution);
  const allowed = (plan: ExchangePlan): string | undefined => outsideGrant(plan, deps.net(), contribution.plugin);
  return {
    id: contribution.id,
    async plan(request) {
      const end = await guest.call("plan", [{ ...request, endpoint: withoutHeaders(request.endpoint) }], { sliceMs: PLAN_SLICE_MS });
      const planned = guest.read(end, orAbsent(exchangePlan(end.type === "returned" ? end.text : "")), "plan");
      if (!planned.ok) return failedPlan(planned.error);
      if (planned.value === undefined) return failedPlan(`${contribution.plugin} planned nothing for ${contribution.id}.`);
      const problem = allowed(planned.value);
      return problem === undefined ? planned.value : failedPlan(problem);
    },
    async fail(head, body) {
      const failed = guest.read(await guest.call("fail", [head, body]), orAbsent(providerError), "fail");
      return failed.ok ? failed.value : pluginError(failed.error);
    },
    open: (head) => openDecoder(deps, contribution, guest, head),
    async models(endpoint) {
      const planned = guest.read(
        await guest.call("models", [withoutHeaders(endpoint)], { sliceMs: PLAN_SLICE_MS }),
        orAbsent(exchangePlans),
        "models",
      );
      const problem = planned.ok ? planned.value?.map(allowed).find((one) => one !== undefined) : planned.error;
      if (problem !== undefined) return { plans: [failedPlan(problem)], parse: async () => [] };
      const plans = planned.ok ? planned.value : undefined;
      if (plans === undefined) return { plans: [{ type: "local", deltas: [] }], parse: async () => [] };
      return { plans, parse: (bodies) => parseModels(guest, bodies) };
    },
  };
}

/** What a person configured may be the key itself: the host adds it to the exchange, and no plugin sees it. */
const withoutHeaders = ({ headers: _, ...endpoint }: Endpoint): Endpoint => endpoint;

/** Why the host does not make an exchange for a provider. It sends conversations, so nothing is granted by being a provider. */
function outsideGrant(plan: ExchangePlan, net: readonly NetGrant[], plugin: string): string | undefined {
  // What is no URL is said by whoever would have to make the exchange.
  if (plan.type !== "http" || !URL.canParse(plan.url)) return undefined;
  const { origin } = new URL(plan.url);
  if (net.some((grant) => originCovers(grant.origin, origin) && methodsOf(grant).includes(plan.method))) return undefined;
  return `The provider plugin ${plugin} may not send ${plan.method} to ${origin}: its manifest asks for no such grant, as in net "${origin}" methods="GET,POST", or the setting plugins.deny takes it away.`;
}

async function parseModels(guest: Guest, bodies: readonly string[]): Promise<readonly ModelInfo[]> {
  const parsed = guest.read(await guest.call("parseModels", [bodies]), models, "parseModels");
  if (!parsed.ok) throw new ModelListError(parsed.error);
  return parsed.value;
}

/** A provider plugin could not read its server's list of models. The message is for people. */
export class ModelListError extends Error {
  override readonly name = "ModelListError";
}

/** Calls of one provider's functions. */
interface Guest {
  call(
    operation: Operation,
    args: readonly (string | object)[],
    extra?: { readonly attempt?: number; readonly sliceMs?: number },
  ): Promise<GuestEnd>;
  push(attempt: number, batch: string): Promise<GuestEnd>;
  read<T>(end: GuestEnd, reader: Reader<T>, operation: string): Answer<T>;
}

function createGuest({ take, refusal }: ProviderAdapterDeps, { id, plugin }: ProviderContribution): Guest {
  const ask = async (call: Pick<GuestCall, "kind" | "json" | "attempt" | "sliceMs" | "isRepeatable">): Promise<GuestEnd> => {
    const refused = refusal();
    if (refused !== undefined) return failedWith("Error", refused);
    if (call.json.length > PROVIDER_TEXT.toGuest) return tooLarge(call.json.length);
    const use = take();
    try {
      return await use.cell.call({ plugin, module: use.module, ...call }).end;
    } finally {
      use.done();
    }
  };
  return {
    call(operation, args, { attempt = 0, sliceMs = SLICE_MS } = {}) {
      const json = JSON.stringify({ provider: id, op: operation, args });
      // What belongs to a decoder cannot move to a new guest: its state is gone with the old one.
      return ask({ kind: DELIVERY.provider, attempt, json, sliceMs, isRepeatable: attempt === 0 });
    },
    push: (attempt, batch) => ask({ kind: DELIVERY.push, attempt, json: batch, sliceMs: SLICE_MS, isRepeatable: false }),
    read(end, reader, operation) {
      if (end.type !== "returned") return err(`The provider plugin ${plugin} ${endWords(end, operation)}`);
      const read = readJson(reader, end.json, operation);
      return read.ok ? ok(read.value) : err(`The provider plugin ${plugin} answered ${operation} with something else: ${read.error}.`);
    },
  };
}

const failedWith = (name: string, message: string): GuestEnd => ({ type: "threw", json: JSON.stringify({ name, message, stack: "" }) });

const tooLarge = (units: number): GuestEnd =>
  failedWith(
    "RangeError",
    `a message to the plugin has ${units.toLocaleString("en")} characters, more than ${PROVIDER_TEXT.toGuest.toLocaleString("en")}; compact the conversation`,
  );

function endWords(end: Exclude<GuestEnd, { type: "returned" }>, operation: string): string {
  switch (end.type) {
    case "threw":
      return `failed in ${operation}. ${errorWords(readGuestError(end.json))}`;
    case "destroyed":
      return `${destroyWords(end.reason, end.detail)} in ${operation}. ${destroyAdvice(end.reason)}`;
    case "stalled":
    case "cancelled":
      return `never answered ${operation}.`;
  }
}

const MAX_ERROR_MESSAGE = 4_096;
const pluginError = (message: string): ProviderError => ({ class: "plugin", message: message.slice(0, MAX_ERROR_MESSAGE) });
const errorDelta = (message: string): ProviderDelta => ({ type: "error", error: pluginError(message) });
const failedPlan = (message: string): ExchangePlan => ({ type: "local", deltas: [errorDelta(message)] });

/** Batches over this many characters go to the guest in parts, so that none comes near its slice. */
const MAX_BATCH_UNITS = 1024 * 1024;

/**
 * One attempt's decoder. Its state lives in the guest; calls go out in order and are answered in order, so none waits for
 * the one before. After a failure it says the same error and asks no more.
 */
function openDecoder(deps: ProviderAdapterDeps, contribution: ProviderContribution, guest: Guest, head: ResponseHead): DecoderSession {
  const attempt = deps.nextAttempt();
  // Its state lives in the guest: the cell is kept for as long as the decoder is.
  const held = deps.take();
  let isReleased = false;
  let failure: string | undefined;
  const opening = guest.call("open", [head], { attempt }).then((end) => {
    if (end.type !== "returned") failure ??= guestFailure(guest, end, "open");
  });
  const decode = async (ask: () => Promise<GuestEnd>, operation: string): Promise<readonly ProviderDelta[]> => {
    if (failure !== undefined) return [errorDelta(failure)];
    if (isReleased) return [errorDelta(`The decoder of ${contribution.id} was released before ${operation}.`)];
    const end = await ask();
    await opening;
    const made = failure === undefined ? guest.read(end, deltas, operation) : err(failure);
    if (made.ok) return made.value;
    failure ??= made.error;
    return [errorDelta(failure)];
  };
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    held.cell.drop(contribution.plugin, attempt);
    held.done();
  };
  return {
    async push(batch) {
      const made = await Promise.all(parts(batch).map((part) => decode(() => guest.push(attempt, part), "events")));
      return made.length === 1 ? (made[0] ?? []) : made.flat();
    },
    async close(outcome: BodyOutcome) {
      const made = await decode(() => guest.call("close", [outcome], { attempt }), "close");
      if (!isReleased) held.done();
      isReleased = true;
      return made;
    },
    release,
  };
}

function guestFailure(guest: Guest, end: GuestEnd, operation: string): string {
  const read = guest.read(end, orAbsent(deltas), operation);
  return read.ok ? "" : read.error;
}

/** The batch as JSON texts of bounded size, in order. */
function parts(batch: readonly FramedEvent[]): readonly string[] {
  const whole = JSON.stringify(batch);
  if (whole.length <= MAX_BATCH_UNITS || batch.length < 2) return [whole];
  const half = batch.length >> 1;
  return [...parts(batch.slice(0, half)), ...parts(batch.slice(half))];
}
