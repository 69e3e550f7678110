/** Offers of invented vendors, and inputs made from them. */
import type { Result } from "../../../src/base/index.js";
import { createCatalog, type ModelSnapshot, type ProviderOffer, resolveRoute, type Route } from "../../../src/provider/index.js";
import { type Diagnostic, type ModelSettings, NO_MODEL_SETTINGS, type ThinkingLevel } from "../../../src/schema/index.js";

export const OFFERS: readonly ProviderOffer[] = [
  {
    id: "compatible",
    title: "Compatible server",
    connections: [
      { name: "own-url", rank: 19, baseUrlEnv: "OWN_BASE_URL", credentialEnvs: ["OWN_KEY"], needs: "base-url", profile: "plain" },
      {
        name: "vendor",
        rank: 20,
        credentialEnvs: ["OWN_KEY"],
        defaultUrl: "https://api.vendor.test/v1",
        needs: "credential",
        defaultModel: "big",
      },
      {
        name: "local",
        rank: 30,
        baseUrlEnv: "LOCAL_URL",
        credentialEnvs: ["LOCAL_KEY"],
        defaultUrl: "http://127.0.0.1:8080/v1",
        needs: "base-url",
      },
    ],
  },
  {
    id: "other",
    title: "Other",
    connections: [
      { name: "other", rank: 10, credentialEnvs: ["OTHER_KEY"], defaultUrl: "https://other.test", needs: "credential", defaultModel: "o1" },
    ],
  },
  {
    id: "remote",
    title: "Remote",
    connections: [{ name: "remote", rank: 40, baseUrlEnv: "REMOTE_URL", credentialEnvs: [], needs: "base-url" }],
  },
  {
    id: "offline",
    title: "Offline",
    connections: [{ name: "offline", rank: 1000, credentialEnvs: [], needs: "nothing", defaultModel: "rules" }],
  },
];

/** Vendors with catalogs: ids as vendors make them. */
export const VENDORS: readonly ProviderOffer[] = [
  {
    id: "acme",
    title: "Acme",
    connections: [
      {
        name: "acme",
        rank: 10,
        credentialEnvs: ["ACME_KEY", "ACME_TOKEN"],
        defaultUrl: "https://acme.test",
        needs: "credential",
        defaultModel: "bard-sonnet-4-5",
      },
    ],
    catalog: {
      date: "2026-11-01",
      source: "https://acme.test/models",
      models: [
        {
          id: "bard-sonnet-4-5",
          title: "Bard Sonnet 4.5",
          released: "2026-09-29",
          also: ["bard-sonnet-4-5-20260929"],
          thinking: ["off", "low", "high"],
          images: true,
          contextTokens: 200_000,
        },
        { id: "bard-sonnet-4", title: "Bard Sonnet 4", released: "2026-05-14" },
        { id: "bard-opus-4-1", title: "Bard Opus 4.1", released: "2026-08-05", thinking: [] },
        { id: "bard-haiku-20260101", released: "2026-01-01" },
        { id: "bard-haiku-latest", released: "2026-01-01" },
      ],
    },
  },
  {
    id: "nova",
    title: "Nova",
    connections: [
      {
        name: "nova",
        rank: 20,
        credentialEnvs: ["NOVA_KEY"],
        defaultUrl: "https://nova.test/v1",
        needs: "credential",
        defaultModel: "np-5",
      },
    ],
    catalog: {
      date: "2026-11-01",
      source: "https://nova.test/models",
      models: [
        { id: "np-5", title: "NP-5", released: "2026-08-07", thinking: ["minimal", "low", "medium", "high"] },
        { id: "np-5-mini", title: "NP-5 mini", released: "2026-08-07" },
        { id: "np-5-codex", title: "NP-5 Codex", released: "2026-09-15" },
        { id: "vision-pro", released: "2026-06-17" },
        { id: "vision-flash", released: "2026-06-17" },
        { id: "vision-flash-lite", released: "2026-07-22" },
        { id: "acme/bard-sonnet-4.5", title: "Acme: Bard Sonnet 4.5", released: "2026-09-29" },
      ],
    },
  },
  {
    id: "loose",
    title: "Loose server",
    connections: [
      { name: "loose", rank: 30, baseUrlEnv: "LOOSE_URL", credentialEnvs: [], defaultUrl: "http://127.0.0.1:1234/v1", needs: "answer" },
    ],
  },
  {
    id: "offline",
    title: "Offline",
    connections: [{ name: "offline", rank: 1000, credentialEnvs: [], needs: "nothing", defaultModel: "rules" }],
  },
];

export interface Given {
  readonly env?: { readonly [name: string]: string };
  readonly stored?: readonly string[];
  readonly settings?: Partial<ModelSettings>;
  readonly thinking?: ThinkingLevel;
  readonly answering?: readonly string[];
  readonly snapshot?: ModelSnapshot;
  readonly offers?: readonly ProviderOffer[];
}

export function route(selection: string | undefined, given: Given = {}): Result<Route, Diagnostic> {
  const { env = {}, stored = [], thinking, answering = [], snapshot, offers = VENDORS } = given;
  const settings = { ...NO_MODEL_SETTINGS, ...given.settings };
  return resolveRoute({
    selection,
    thinking,
    offers,
    settings,
    catalog: createCatalog({ offers, snapshot, overrides: settings.overrides }),
    env,
    credentials: { has: (name) => stored.includes(name) },
    answering: new Set(answering),
  });
}

/** `provider/model` of each target, or the code of what is wrong. */
export function refs(selection: string | undefined, given: Given = {}): readonly string[] | string {
  const found = route(selection, given);
  return found.ok ? found.value.targets.map(({ ref }) => `${ref.provider}/${ref.model}`) : found.error.code;
}
