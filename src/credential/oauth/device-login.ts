import { type Clock, err, isJsonObject, type JsonObject, ok, parseJson, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { credentialStopped, deviceLoginFailed } from "../diagnostics.js";
import type { OauthData, OauthEntry, PostForm } from "../types.js";
import { faultOf, shownWords, trimmed } from "../value.js";
import { withinTime } from "./time-limit.js";
import { isSafeUrl, parseTokens, type Tokens } from "./token-answer.js";

export interface DevicePorts {
  readonly post: PostForm;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A login a person has to agree to in a browser (RFC 8628). */
export interface DeviceLogin {
  /** What they type there; no secret. */
  readonly userCode: string;
  readonly url: string;
  /** The same with the code in it. */
  readonly completeUrl?: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
  readonly intervalMs: number;
  /** Secret until the login is over. */
  readonly deviceCode: string;
}

const EXCHANGE_MS = 20_000;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** RFC 8628, section 3.2 and 3.5. */
const USUAL_INTERVAL_S = 5;
const SLOWER_MS = 5000;
/** A server that says nothing of it, or too much, is not polled for longer. */
const LONGEST_S = 3600;
const LONGEST_INTERVAL_MS = 60_000;
const RAN_OUT = "The code ran out before anybody agreed to it.";

/** Asks for a code. `name` is what the login will be stored as. */
export async function startDeviceLogin(name: string, data: OauthData, ports: DevicePorts): Promise<Result<DeviceLogin, Diagnostic>> {
  const { clock, post } = ports;
  if (![data.deviceUrl, data.tokenUrl].every(isSafeUrl))
    return err(deviceLoginFailed(name, "An address of its server is neither https nor this machine."));
  const form = { client_id: data.clientId, ...(data.scopes.length === 0 ? {} : { scope: data.scopes.join(" ") }) };
  const answer = await withinTime({ ...ports, ms: EXCHANGE_MS }, async (signal) => await post(data.deviceUrl, form, signal));
  if (ports.signal.aborted) return err(credentialStopped(`auth:${name}`));
  if (!answer.ok) return err(deviceLoginFailed(name, `Its server was not reached: ${shownWords(answer.error.what, [])}`));
  const { status, body } = answer.value;
  const parsed = parseJson(body);
  const login = status === 200 && isJsonObject(parsed) ? readLogin(parsed, clock.now()) : undefined;
  return login === undefined ? err(deviceLoginFailed(name, `Its server gave no code (HTTP ${String(status)}).`)) : ok(login);
}

function readLogin(answer: JsonObject, nowMs: number): DeviceLogin | undefined {
  const deviceCode = textOf(answer["device_code"]);
  const userCode = textOf(answer["user_code"]);
  // Some servers follow an early draft of the RFC.
  const url = urlOf(answer["verification_uri"] ?? answer["verification_url"]);
  const completeUrl = urlOf(answer["verification_uri_complete"] ?? answer["verification_url_complete"]);
  if (deviceCode === undefined || userCode === undefined || url === undefined) return undefined;
  return {
    userCode,
    url,
    ...(completeUrl === undefined ? {} : { completeUrl }),
    expiresAt: nowMs + secondsOf(answer["expires_in"], LONGEST_S) * 1000,
    intervalMs: Math.min(secondsOf(answer["interval"], USUAL_INTERVAL_S) * 1000, LONGEST_INTERVAL_MS),
    deviceCode,
  };
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" ? trimmed(value) : undefined;
  return text === undefined || faultOf(text) !== undefined ? undefined : text;
}

/** A person is sent there. */
function urlOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || !isSafeUrl(text) ? undefined : text;
}

function secondsOf(value: unknown, usual: number): number {
  const seconds = Number(value ?? usual);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_S) : usual;
}

/**
 * Asks at the server's pace whether the person has agreed, until they have, have not, or the code runs out. A server that is not
 * reached is asked at half the pace. Resolves soon after an abort.
 */
export async function pollDeviceLogin(
  name: string,
  data: OauthData,
  login: DeviceLogin,
  ports: DevicePorts,
): Promise<Result<OauthEntry, Diagnostic>> {
  const { clock, signal } = ports;
  const stopped = (): Result<never, Diagnostic> => err(credentialStopped(`auth:${name}`));
  let { intervalMs } = login;
  for (;;) {
    if (clock.now() + intervalMs >= login.expiresAt) {
      await clock.sleep(Math.max(0, login.expiresAt - clock.now()), signal);
      return signal.aborted ? stopped() : err(deviceLoginFailed(name, RAN_OUT));
    }
    await clock.sleep(intervalMs, signal);
    if (signal.aborted) return stopped();
    const step = await ask(data, login, ports);
    if (ports.signal.aborted && step.type !== "done") return stopped();
    if (step.type === "done") return ok(entryOf(data, step.tokens, clock.now()));
    if (step.type === "over") return err(deviceLoginFailed(name, step.why));
    intervalMs =
      step.type === "slower"
        ? intervalMs + SLOWER_MS
        : step.type === "unreached"
          ? Math.min(intervalMs * 2, LONGEST_INTERVAL_MS)
          : intervalMs;
  }
}

type Step =
  | { readonly type: "done"; readonly tokens: Tokens }
  | { readonly type: "waiting" | "slower" | "unreached" }
  | { readonly type: "over"; readonly why: string };

async function ask({ tokenUrl, clientId }: OauthData, { deviceCode }: DeviceLogin, ports: DevicePorts): Promise<Step> {
  const form = { grant_type: GRANT, device_code: deviceCode, client_id: clientId };
  const answer = await withinTime({ ...ports, ms: EXCHANGE_MS }, async (signal) => await ports.post(tokenUrl, form, signal));
  if (!answer.ok || answer.value.status >= 500) return { type: "unreached" };
  const tokens = parseTokens(answer.value);
  if (tokens.ok) return { type: "done", tokens: tokens.value };
  if (tokens.error.type === "unusable") return { type: "over", why: `Its server did not give one: ${tokens.error.words}` };
  switch (tokens.error.error) {
    case "authorization_pending":
      return { type: "waiting" };
    case "slow_down":
      return { type: "slower" };
    case "access_denied":
      return { type: "over", why: "It was denied in the browser." };
    case "expired_token":
      return { type: "over", why: RAN_OUT };
    default:
      return { type: "over", why: `Its server refused it (${tokens.error.error}).` };
  }
}

const entryOf = ({ tokenUrl, clientId, scopes }: OauthData, { access, refresh, lifetimeMs }: Tokens, nowMs: number): OauthEntry => ({
  type: "oauth",
  access,
  ...(refresh === undefined ? {} : { refresh }),
  ...(lifetimeMs === undefined ? {} : { expiresAt: nowMs + lifetimeMs }),
  tokenUrl,
  clientId,
  scopes,
});
