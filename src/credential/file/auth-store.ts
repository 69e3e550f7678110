import { type Clock, err, ok, type Result } from "../../base/index.js";
import { createGuardedFile, type FileLock, type GuardedText } from "../../guarded-file/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { authFileBroken, authFileBusy, authFileOpen, authFileUnwritten, badAuthName, credentialStopped } from "../diagnostics.js";
import type { AuthEntries, AuthSnapshot } from "../types.js";
import { EMPTY_AUTH, encodeAuthText, isAuthName, MAX_AUTH_BYTES, type ParsedAuth, parseAuthText } from "./auth-text.js";

export interface AuthStoreDeps {
  /** `<data>/auth.json`, absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly lock: FileLock;
}

/** What a change makes of the entries; `entries` absent: they stay, and nothing is written. */
export interface AuthChange<Value> {
  readonly entries?: AuthEntries;
  readonly value: Value;
}

/** The auth file. Only its owner can read what it writes; what it cannot read it never replaces. */
export interface AuthStore {
  readonly path: string;
  /** As it is now; no entries where there is no file. Takes no lock: a file is there whole, as one change left it. */
  read(): Promise<Result<AuthSnapshot, Diagnostic>>;
  /**
   * Runs `change` while no other process changes the file, and resolves when its outcome is on disk. Nothing is written where
   * it fails. `signal` ends the wait for other processes, not a change that began.
   */
  update<Value>(
    change: (entries: AuthEntries) => Promise<Result<AuthChange<Value>, Diagnostic>>,
    signal?: AbortSignal,
  ): Promise<Result<Value, Diagnostic>>;
}

export function createAuthStore(deps: AuthStoreDeps): AuthStore {
  const { path } = deps;
  const file = createGuardedFile({
    ...deps,
    maxBytes: MAX_AUTH_BYTES,
    failures: {
      broken: authFileBroken,
      unwritten: authFileUnwritten,
      busy: authFileBusy,
      stopped: () => credentialStopped("The auth file"),
    },
  });
  const parsed = (content: GuardedText | undefined): Result<ParsedAuth, Diagnostic> => {
    if (content === undefined) return ok(EMPTY_AUTH);
    const read = parseAuthText(content.text);
    return read.ok ? read : err(authFileBroken(path, read.error));
  };
  return {
    path,
    async read() {
      const content = await file.read();
      if (!content.ok) return content;
      const { openMode } = content.value ?? {};
      const auth = parsed(content.value);
      if (!auth.ok) return auth;
      return ok({ entries: auth.value.entries, warnings: openMode === undefined ? [] : [authFileOpen(path, openMode)] });
    },
    update: async (change, signal) =>
      await file.update(async (content) => {
        const before = parsed(content);
        if (!before.ok) return before;
        const changed = await change(before.value.entries);
        if (!changed.ok) return changed;
        const { entries, value } = changed.value;
        if (entries === undefined) return ok({ value });
        const bad = [...entries.keys()].find((name) => !isAuthName(name));
        if (bad !== undefined) return err(badAuthName(bad));
        const text = encodeAuthText(entries, before.value);
        if (text === undefined) return err(authFileUnwritten(path, `It would have more than ${String(MAX_AUTH_BYTES)} bytes.`));
        return ok({ text, value });
      }, signal),
  };
}
