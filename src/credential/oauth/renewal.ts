import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { credentialUnset, loginOver, renewalFailed } from "../diagnostics.js";
import type { AuthStore } from "../file/auth-store.js";
import type { AuthEntry, OauthEntry, PostForm } from "../types.js";
import { shownWords } from "../value.js";
import { withinTime } from "./time-limit.js";
import { isSafeUrl, parseTokens, type TokenRefusal, type Tokens } from "./token-answer.js";

/** Access that has less left than this may run out on its way. */
export const EXPIRY_MARGIN_MS = 60_000;
/** Of one exchange with the server; less than others wait for the file. */
export const RENEWAL_TIMEOUT_MS = 20_000;

export const isRunOut = ({ expiresAt }: OauthEntry, nowMs: number): boolean =>
  expiresAt !== undefined && nowMs >= expiresAt - EXPIRY_MARGIN_MS;

export interface RenewalPorts {
  readonly store: AuthStore;
  readonly post: PostForm;
  readonly clock: Clock;
  /** Told of new tokens before anything is done with them. */
  readonly learn: (values: readonly string[]) => void;
}

/**
 * The entry as it can be used: what another process has renewed or stored meanwhile, or renewed here by RFC 6749, section 6, and on disk
 * before it is used. The file is held all the while, so that no two processes spend one refresh token. `spent` is the access
 * that ran out or was refused.
 */
export async function renewEntry(
  { store, post, clock, learn }: RenewalPorts,
  name: string,
  spent: string,
  signal: AbortSignal,
): Promise<Result<AuthEntry, Diagnostic>> {
  return await store.update<AuthEntry>(async (entries) => {
    const entry = entries.get(name);
    if (entry === undefined) return err(credentialUnset(`auth:${name}`));
    if (entry.type === "key" || (entry.access !== spent && !isRunOut(entry, clock.now()))) return ok({ value: entry });
    const tokens = await askForTokens(name, entry, { post, clock, signal });
    if (!tokens.ok) return tokens;
    const { access, refresh, lifetimeMs } = tokens.value;
    learn([access, ...(refresh === undefined ? [] : [refresh])]);
    const { expiresAt: _old, ...kept } = entry;
    const renewed: OauthEntry = {
      ...kept,
      access,
      ...(refresh === undefined ? {} : { refresh }),
      ...(lifetimeMs === undefined ? {} : { expiresAt: clock.now() + lifetimeMs }),
    };
    return ok({ entries: new Map([...entries, [name, renewed]]), value: renewed });
  }, signal);
}

async function askForTokens(
  name: string,
  { access, refresh, tokenUrl, clientId }: OauthEntry,
  { post, clock, signal }: { readonly post: PostForm; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<Tokens, Diagnostic>> {
  if (refresh === undefined)
    return err(loginOver(name, "Its access has run out or was refused, and its server gave nothing to renew it with."));
  if (!isSafeUrl(tokenUrl)) return err(loginOver(name, "The address it would be renewed at is neither https nor this machine."));
  const form = { grant_type: "refresh_token", refresh_token: refresh, client_id: clientId };
  const answer = await withinTime({ clock, ms: RENEWAL_TIMEOUT_MS, signal }, async (own) => await post(tokenUrl, form, own));
  if (!answer.ok) return err(renewalFailed(name, shownWords(answer.error.what, [access, refresh])));
  const tokens = parseTokens(answer.value);
  return tokens.ok ? tokens : err(refusedRenewal(name, tokens.error));
}

function refusedRenewal(name: string, refusal: TokenRefusal): Diagnostic {
  if (refusal.type === "unusable") return renewalFailed(name, refusal.words);
  if (refusal.error === "invalid_grant")
    return loginOver(name, "Its server does not renew it any more (invalid_grant): it ran out, was withdrawn, or was renewed elsewhere.");
  return refusal.error === "server_error" || refusal.error === "temporarily_unavailable"
    ? renewalFailed(name, `its server answered ${refusal.error}.`)
    : loginOver(name, `Its server refused to renew it (${refusal.error}).`);
}
