import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { credentialStopped, credentialUnset, credentialUnusable } from "../diagnostics.js";
import type { AuthStore } from "../file/auth-store.js";
import { isRunOut, renewEntry } from "../oauth/renewal.js";
import type { AuthEntries, AuthEntry, AuthSnapshot, OauthEntry, PostForm } from "../types.js";
import { faultOf, maskOf, trimmed } from "../value.js";
import type { Learned } from "./learned.js";
import { createSharedWorks } from "./shared-work.js";
import type { CredentialSource } from "./source.js";

export interface AuthSourceDeps {
  readonly store: AuthStore;
  /** As it was read at the start. */
  readonly auth: AuthSnapshot;
  readonly clock: Clock;
  readonly post: PostForm;
  readonly learned: Learned;
}

export interface AuthSource extends CredentialSource {
  /** Reads the file again. Whether it says something else now; where it cannot be read, what was known stays. */
  reload(): Promise<Result<boolean, Diagnostic>>;
}

/** How long closing waits for a renewal that is with its server: its new tokens would be lost with it. */
const CLOSING_MS = 3000;

export const createAuthSource = (deps: AuthSourceDeps): AuthSource => new Auth(deps);

/** Entries of the auth file. */
class Auth implements AuthSource {
  readonly #deps: AuthSourceDeps;
  #entries: AuthEntries;
  /** Values that a server refused, by name: a login that still has one is renewed. */
  readonly #refused = new Map<string, string>();
  /** A renewal that is with its server goes on when nobody waits: the tokens it brings replace those it spent. */
  readonly #renewals = createSharedWorks<Result<AuthEntry, Diagnostic>>({ outlivesWaiters: true });

  constructor(deps: AuthSourceDeps) {
    this.#deps = deps;
    this.#entries = deps.auth.entries;
    this.#learn();
  }

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  async ready(name: string, signal: AbortSignal): Promise<Result<void, Diagnostic>> {
    if (signal.aborted) return err(credentialStopped(`auth:${name}`));
    const known = this.#entries.get(name);
    if (known === undefined || this.#isRefused(name, known)) {
      // Another process may have logged in meanwhile.
      const read = await this.reload();
      if (!read.ok && known === undefined) return read;
    }
    const entry = this.#entries.get(name);
    if (entry === undefined) return err(credentialUnset(`auth:${name}`));
    return entry.type === "oauth" && (isRunOut(entry, this.#deps.clock.now()) || this.#isRefused(name, entry))
      ? await this.#renew(name, entry, signal)
      : usable(name, entry);
  }

  value(name: string): string | undefined {
    const entry = this.#entries.get(name);
    const value = entry === undefined ? undefined : trimmed(valueOf(entry));
    return value === undefined || faultOf(value) !== undefined ? undefined : value;
  }

  refused(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#refused.set(name, valueOf(entry));
  }

  describe(name: string): ReturnType<CredentialSource["describe"]> {
    const entry = this.#entries.get(name);
    const value = entry === undefined ? undefined : trimmed(valueOf(entry));
    if (entry === undefined || value === undefined) return { isSet: false };
    const fault = faultOf(value);
    const masked = fault === undefined ? maskOf(value) : undefined;
    return {
      isSet: true,
      kind: entry.type,
      ...(masked === undefined ? {} : { masked }),
      ...(fault === undefined ? {} : { fault }),
      ...(entry.type === "oauth" && entry.expiresAt !== undefined ? { expiresAt: entry.expiresAt } : {}),
      ...(entry.type === "oauth" ? { isRenewable: entry.refresh !== undefined } : {}),
    };
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  async reload(): Promise<Result<boolean, Diagnostic>> {
    const read = await this.#deps.store.read();
    if (!read.ok) return read;
    const before = JSON.stringify([...this.#entries]);
    this.#entries = read.value.entries;
    this.#learn();
    return ok(JSON.stringify([...this.#entries]) !== before);
  }

  async close(): Promise<void> {
    const left = this.#renewals.running();
    if (left.length === 0) return;
    const over = new AbortController();
    const all = Promise.all(left.map(async (one) => await one.ended()));
    await Promise.race([all, this.#deps.clock.sleep(CLOSING_MS, over.signal)]);
    over.abort("closed");
    for (const one of left) one.stop();
    await all;
  }

  #isRefused(name: string, entry: AuthEntry): boolean {
    return this.#refused.get(name) === valueOf(entry);
  }

  async #renew(name: string, entry: OauthEntry, signal: AbortSignal): Promise<Result<void, Diagnostic>> {
    const { store, post, clock, learned } = this.#deps;
    const work = async (stop: AbortSignal): Promise<Result<AuthEntry, Diagnostic>> => {
      const renewed = await renewEntry({ store, post, clock, learn: learned.learn }, name, entry.access, stop);
      if (renewed.ok) {
        this.#entries = new Map([...this.#entries, [name, renewed.value]]);
        this.#learn();
      }
      return renewed;
    };
    const end = await this.#renewals.join(name, work, signal);
    if (end === "aborted") return err(credentialStopped(`auth:${name}`));
    if (end.ok) return usable(name, end.value);
    // What has a little time left, and was not refused, is still good.
    const isStillGood = entry.expiresAt !== undefined && clock.now() < entry.expiresAt && !this.#isRefused(name, entry);
    return isStillGood && end.error.code === "credential.renewal-failed" ? usable(name, entry) : end;
  }

  #learn(): void {
    this.#deps.learned.learn(
      [...this.#entries.values()].flatMap((entry) => (entry.type === "key" ? [entry.key] : [entry.access, entry.refresh])),
    );
  }
}

const valueOf = (entry: AuthEntry): string => (entry.type === "key" ? entry.key : entry.access);

function usable(name: string, entry: AuthEntry): Result<void, Diagnostic> {
  const value = trimmed(valueOf(entry));
  if (value === undefined) return err(credentialUnset(`auth:${name}`));
  const fault = faultOf(value);
  return fault === undefined ? ok(undefined) : err(credentialUnusable(`auth:${name}`, fault));
}
