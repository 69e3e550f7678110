import { type Clock, err, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { credentialStopped } from "./diagnostics.js";
import type { AuthStore } from "./file/auth-store.js";
import { createAuthSource } from "./source/auth.js";
import { createCommandSource } from "./source/commands.js";
import { createLearned } from "./source/learned.js";
import type { CredentialSource, CredentialState } from "./source/source.js";
import { createVariableSource, type EnvironmentView } from "./source/variables.js";
import type { AuthSnapshot, PostForm, RunCommand } from "./types.js";

export interface CredentialsDeps {
  readonly env: EnvironmentView;
  /** Variables that hold keys. More can be declared later. */
  readonly variables: readonly string[];
  readonly store: AuthStore;
  /** The auth file as it was read at the start; nothing where it could not be: asking for an entry tells why. */
  readonly auth: AuthSnapshot;
  /** By the name of the connection they are for. */
  readonly commands: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly run: RunCommand;
  readonly post: PostForm;
}

/**
 * Every key of this process by its name: a variable's, `auth:NAME`, `command:CONNECTION`. Values are trimmed, a blank one is not set,
 * and one that no header can carry is refused without being shown.
 */
export interface Credentials {
  /** Whether there is one; no disk, no command, no network. A command's is there before it has run. */
  has(name: string): boolean;
  /**
   * Before it is sent: runs its command (10 s, 64 KiB, its first line, once for all that wait), renews a login that ran out or was
   * refused. Resolves soon after `signal` aborts. Every diagnostic has exit 3 and holds no value.
   */
  ready(name: string, signal: AbortSignal): Promise<Result<void, Diagnostic>>;
  /** The value once it is ready. */
  value(name: string): string | undefined;
  /** A server refused it: its command runs again, its login is renewed, the auth file is read again, next time. */
  refused(name: string): void;
  /** Names of all that there are. */
  names(): readonly string[];
  describe(name: string): CredentialState;
  /** More variables that hold keys. */
  declare(variables: readonly string[]): void;
  /**
   * Told at once of every value that is known, then of each as it becomes known and before it is used: of keys, access and refresh
   * tokens. Returns the unsubscribe function.
   */
  onValue(listener: (values: readonly string[]) => void): () => void;
  /** Reads the auth file again, as another process may have changed it. Whether it had; what was known stays where it cannot be read. */
  reload(): Promise<Result<boolean, Diagnostic>>;
  /** Ends commands that run; waits up to 3 s for renewals that are with their server. */
  close(): Promise<void>;
}

const PREFIXES = ["auth:", "command:"] as const;

export function createCredentials({ env, variables, store, auth, commands, clock, run, post }: CredentialsDeps): Credentials {
  const learned = createLearned();
  const ofVariables = createVariableSource(env, learned);
  const ofAuth = createAuthSource({ store, auth, clock, post, learned });
  const ofCommands = createCommandSource(commands, run, learned);
  const sources: Readonly<Record<(typeof PREFIXES)[number], CredentialSource>> = { "auth:": ofAuth, "command:": ofCommands };
  ofVariables.declare(variables);
  let isClosed = false;
  const at = (name: string): readonly [CredentialSource, string] => {
    const prefix = PREFIXES.find((one) => name.startsWith(one));
    return prefix === undefined ? [ofVariables, name] : [sources[prefix], name.slice(prefix.length)];
  };
  return {
    has(name) {
      const [source, key] = at(name);
      return source.has(key);
    },
    async ready(name, signal) {
      if (isClosed || signal.aborted) return err(credentialStopped(name));
      const [source, key] = at(name);
      const ready = await source.ready(key, signal);
      return ready.ok ? ready : err({ ...ready.error, exit: 3 });
    },
    value(name) {
      const [source, key] = at(name);
      return source.value(key);
    },
    refused(name) {
      const [source, key] = at(name);
      source.refused(key);
    },
    describe(name) {
      const [source, key] = at(name);
      return source.describe(key);
    },
    names: () => [
      ...ofVariables.keys(),
      ...ofAuth.keys().map((name) => `auth:${name}`),
      ...ofCommands.keys().map((name) => `command:${name}`),
    ],
    declare: (names) => {
      ofVariables.declare(names);
    },
    onValue: learned.onValue,
    reload: async () => await ofAuth.reload(),
    async close() {
      isClosed = true;
      await Promise.all([ofCommands.close(), ofAuth.close()]);
    },
  };
}
