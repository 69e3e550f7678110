import type { EffectSecretPorts } from "./vault.js";
import { createVault } from "./vault.js";
import type { CompiledPlugin } from "../../plugin/index.js";
import type { EnvView } from "../../provider/index.js";
import { createSecretProxy, type NewSecret, type SecretProxy } from "../../secret/index.js";

/** Variables that plugins in use name. */
export interface DeclaredSecrets {
  /** Keys of their providers. */
  readonly providers: readonly string[];
  /** Of their grants: theirs to use. */
  readonly granted: readonly string[];
}

/** The secrets of this process: which variables hold them, and how they are taken out of text. */
export interface Secrets extends Pick<SecretProxy, "conceal" | "concealJson" | "concealKnown" | "stream"> {
  /** Another one whenever something more is hidden. */
  readonly version: number;
  /** Variables that children never see. */
  readonly names: () => readonly string[];
  /** Plugins came that name others. A name that was secret once stays so: what was hidden must not show because a plugin went. */
  readonly declare: (declared: DeclaredSecrets) => void;
  /** Keys of providers that came from elsewhere than a variable. */
  readonly learn: (values: readonly string[]) => void;
  /** Secrets of the person. */
  readonly add: (secrets: readonly NewSecret[]) => void;
  /** Value of a secret a person refers to by name: a variable, or one they stored. */
  readonly named: (name: string) => string | undefined;
  /** For the effects of one session. */
  readonly portsFor: (session: string) => EffectSecretPorts;
}

/** Variables named like a key hold one, whoever reads them: so a plugin that is off does not make its key public. */
const KEY_NAME = /(?:^|_)API_KEY$/u;

/** What plugins name as secrets: their own, and the keys of their providers. */
export const declaredSecrets = (plugins: readonly Pick<CompiledPlugin, "providers" | "grants">[]): DeclaredSecrets => ({
  providers: plugins.flatMap(({ providers }) =>
    providers.flatMap(({ connections }) => connections.flatMap(({ credentialEnvs }) => credentialEnvs)),
  ),
  granted: plugins.flatMap(({ grants }) => grants.secrets.filter((name) => name !== "*")),
});

export interface SecretsDeps {
  readonly env: EnvView;
  /** What plugins in use name. */
  readonly declared: DeclaredSecrets;
  /** Variables that a person says are secret. */
  readonly variables?: readonly string[];
  /** What is in their files. */
  readonly stored?: readonly NewSecret[];
}

export function createSecrets({ env, declared, variables = [], stored = [] }: SecretsDeps): Secrets {
  const proxy = createSecretProxy();
  const hidden = new Set<string>();
  const ofProviders = new Set<string>();
  const providerValues = new Set<string>();
  const variable = (name: string, kind: NewSecret["kind"]): void => {
    hidden.add(name);
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) proxy.register({ name, value, kind });
    if (kind === "provider" && value !== undefined) providerValues.add(value.trim());
  };
  const declare = ({ providers, granted }: DeclaredSecrets): void => {
    for (const name of providers) {
      ofProviders.add(name);
      variable(name, "provider");
    }
    for (const name of granted) variable(name, "variable");
  };
  declare(declared);
  for (const name of variables) variable(name, "user");
  for (const name of Object.keys(env).filter((name) => KEY_NAME.test(name) && !hidden.has(name))) variable(name, "variable");
  for (const secret of stored) proxy.register(secret);
  const given = new Map(stored.map(({ name, value }) => [name, value]));
  let learned = 0;
  return {
    get version() {
      return proxy.version;
    },
    // A key under a name that nobody declared is a key all the same.
    names: () => [...hidden, ...Object.keys(env).filter((name) => !hidden.has(name) && providerValues.has(env[name]?.trim() ?? ""))],
    declare,
    learn(values) {
      for (const value of values) {
        learned += 1;
        if (value.length >= MIN_KEY) providerValues.add(value);
        proxy.register({ name: `provider-key-${String(learned)}`, value, kind: "provider" });
      }
    },
    add(secrets) {
      for (const secret of secrets) {
        given.set(secret.name, secret.value);
        proxy.register(secret);
      }
    },
    named: (name) => env[name] ?? given.get(name),
    conceal: (text) => proxy.conceal(text),
    concealJson: (value) => proxy.concealJson(value),
    concealKnown: (value) => proxy.concealKnown(value),
    stream: () => proxy.stream(),
    portsFor: (session) => ({
      vault: createVault(proxy, session),
      secret: (name) => (ofProviders.has(name) || !Object.hasOwn(env, name) ? undefined : env[name]),
    }),
  };
}

/** A dummy key of a local server is a word that other variables have, too. */
const MIN_KEY = 8;
