import type { SecretPort, SecretVault } from "../../effect/index.js";
import type { SecretProxy } from "../../secret/index.js";

/** What effects of a session need of secrets. */
export interface EffectSecretPorts {
  readonly vault: SecretVault;
  /** Variables by name, for grants that name them; keys of providers are none. */
  readonly secret: SecretPort;
}

/** The secrets of the process as one session's effects use them. */
export const createVault = (proxy: SecretProxy, session: string): SecretVault => ({
  conceal: (text) => proxy.conceal(text),
  concealJson: (value) => proxy.concealJson(value),
  stream: () => proxy.stream(),
  fill: (text, replacement) =>
    proxy.fill(text, ({ secret, text: plain, reference }, at) =>
      replacement(
        {
          reference: reference.text,
          name: secret.name,
          text: plain,
          isProvider: secret.kinds.has("provider"),
          isUser: secret.kinds.has("user"),
          ownedBy: (plugin) => secret.owners.some((owner) => owner.plugin === plugin && owner.session === session),
        },
        at,
      ),
    ),
  keep: (plugin, name, value) => proxy.register({ name, value, kind: "plugin", owner: { plugin, session } }),
});
