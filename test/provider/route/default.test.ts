import { describe, expect, test } from "vitest";
import { createCatalog, type Dispatch, type ProviderOffer, resolveRoute } from "../../../src/provider/index.js";
import { NO_MODEL_SETTINGS } from "../../../src/schema/index.js";
import { OFFERS } from "./offers.js";

type Env = { readonly [name: string]: string };

function resolveIn(offers: readonly ProviderOffer[], selection: string | undefined, env: Env): object {
  const catalog = createCatalog({ offers, snapshot: undefined, overrides: [] });
  const found = resolveRoute({
    selection,
    thinking: undefined,
    offers,
    settings: NO_MODEL_SETTINGS,
    catalog,
    env,
    credentials: { has: () => false },
    answering: new Set(),
  });
  return found.ok ? { ok: true, value: found.value.targets[0] } : found;
}

const resolve = (selection: string | undefined, env: Env = {}): object => resolveIn(OFFERS, selection, env);

const chosen = (
  provider: string,
  model: string,
  {
    connection,
    ...more
  }: Partial<Dispatch> & { readonly connection: string; readonly endpoint: Dispatch["endpoint"]; readonly source: string },
): object => {
  const { credential } = more.endpoint;
  return {
    ok: true,
    value: {
      ref: { provider, model },
      needsModel: false,
      facts: {},
      routing: { connection, ...(credential === undefined ? {} : { credential }) },
      bucket: `${provider} ${credential ?? connection}`,
      ...more,
    },
  };
};

const OFFLINE = chosen("offline", "rules", { connection: "offline", endpoint: { baseUrl: "" }, source: "offline" });
const VENDOR = { connection: "vendor", endpoint: { baseUrl: "https://api.vendor.test/v1", credential: "OWN_KEY" }, source: "OWN_KEY" };
const OTHER = { connection: "other", endpoint: { baseUrl: "https://other.test", credential: "OTHER_KEY" }, source: "OTHER_KEY" };

describe("nothing chosen", () => {
  test.each<readonly [string, Env, object]>([
    ["no setting: what needs nothing", {}, OFFLINE],
    ["blank settings are no settings", { OTHER_KEY: "", OWN_BASE_URL: "  " }, OFFLINE],
    ["a key: its vendor's default model", { OWN_KEY: "k" }, chosen("compatible", "big", VENDOR)],
    ["two keys: the better rank", { OWN_KEY: "k", OTHER_KEY: "k" }, chosen("other", "o1", OTHER)],
    [
      "a base URL before the key of the same vendor, and the key goes to it",
      { OWN_KEY: "k", OWN_BASE_URL: "http://127.0.0.1:1/v1" },
      chosen("compatible", "", {
        connection: "own-url",
        needsModel: true,
        source: "OWN_BASE_URL",
        endpoint: { baseUrl: "http://127.0.0.1:1/v1", credential: "OWN_KEY", profile: "plain" },
      }),
    ],
    [
      "a base URL that is the vendor's own says nothing",
      { OWN_KEY: "k", OWN_BASE_URL: "https://api.vendor.test/v1/" },
      chosen("compatible", "big", VENDOR),
    ],
    [
      "a server without a key",
      { LOCAL_URL: "http://[::1]:9" },
      chosen("compatible", "", { connection: "local", needsModel: true, source: "LOCAL_URL", endpoint: { baseUrl: "http://[::1]:9" } }),
    ],
  ])("%s", (_name, env, expected) => {
    expect(resolve(undefined, env)).toEqual(expected);
  });

  test("without any provider it says what to set", () => {
    expect(resolveIn(OFFERS.slice(0, 2), "", {})).toMatchObject({
      ok: false,
      error: { code: "provider.none", exit: 2, why: "None of these is set: OTHER_KEY, OWN_BASE_URL, OWN_KEY, LOCAL_URL." },
    });
  });
});

test("a model that a vendor has as well is asked where the base URL leads, and the vendor's key stays from the vendor", () => {
  const env = { OWN_KEY: "k", OWN_BASE_URL: "http://proxy.test/v1" };
  for (const model of ["big", "bi"])
    expect(resolve(model, env)).toMatchObject({ ok: true, value: { ref: { model }, endpoint: { baseUrl: "http://proxy.test/v1" } } });
  expect(resolve("big", { ...env, OWN_BASE_URL: "https://api.vendor.test/v1" })).toMatchObject({
    value: { routing: { connection: "vendor" } },
  });
});

describe("a vendor's language spoken by a server of this machine", () => {
  const VENDOR_OFFER: ProviderOffer = {
    id: "acme",
    title: "Acme",
    connections: [
      { name: "acme", rank: 1, needs: "credential", credentialEnvs: ["ACME_KEY"], baseUrlEnv: "ACME_URL", defaultModel: "a1" },
      { name: "acme-token", rank: 2, needs: "credential", credentialEnvs: ["ACME_TOKEN"], baseUrlEnv: "ACME_URL", defaultModel: "a1" },
    ],
  };

  test.each<readonly [string, string | undefined, Env, object]>([
    ["wants no key and is asked for its models", undefined, { ACME_URL: "http://[::1]:9" }, { ref: { model: "" }, needsModel: true }],
    ["has whatever model is named", "acme/qwen", { ACME_URL: "http://localhost:9/v1" }, { ref: { provider: "acme", model: "qwen" } }],
    [
      "gets the key that is set",
      undefined,
      { ACME_URL: "http://127.0.0.1:9", ACME_TOKEN: "k" },
      { endpoint: { credential: "ACME_TOKEN" }, ref: { model: "a1" } },
    ],
  ])("%s", (_name, selection, env, expected) => {
    expect(resolveIn([VENDOR_OFFER], selection, env)).toMatchObject({ ok: true, value: expected });
  });

  test("elsewhere a key is needed, and every name it was looked for under is told", () => {
    expect(resolveIn([VENDOR_OFFER], "acme/a1", { ACME_URL: "https://acme.test" })).toMatchObject({
      ok: false,
      error: { code: "provider.missing-key", exit: 3, why: expect.stringContaining("none of ACME_KEY, ACME_TOKEN is set") as unknown },
    });
  });
});

describe("a provider that did not come with the program", () => {
  const added = (connections: ProviderOffer["connections"]): ProviderOffer => ({ id: "added", title: "Added", isAdded: true, connections });
  const FREE = added([
    { name: "free", rank: 0, credentialEnvs: [], needs: "nothing", defaultUrl: "https://free.test", defaultModel: "f1" },
  ]);
  const KEYED = added([{ name: "keyed", rank: 0, needs: "credential", credentialEnvs: ["NEW_KEY"], defaultUrl: "https://new.test" }]);
  const SERVED = added([{ name: "served", rank: 0, credentialEnvs: [], needs: "base-url", baseUrlEnv: "NEW_URL", defaultModel: "s1" }]);
  const provider = (offer: ProviderOffer, selection: string | undefined, env: Env, others = OFFERS): string | undefined => {
    const found = resolveIn([offer, ...others], selection, env) as { value?: Dispatch; error?: { code: string } };
    return found.value === undefined ? found.error?.code : found.value.ref.provider;
  };

  test.each<readonly [string, ProviderOffer, Env, string]>([
    ["that needs nothing is never chosen by itself", FREE, {}, "offline"],
    ["is chosen for its key, before what needs nothing", KEYED, { NEW_KEY: "k" }, "added"],
    ["is chosen for its base URL", SERVED, { NEW_URL: "http://127.0.0.1:1" }, "added"],
    ["comes after every other that is set up, whatever its rank", KEYED, { NEW_KEY: "k", REMOTE_URL: "http://127.0.0.1:1" }, "remote"],
  ])("%s", (_name, offer, env, expected) => {
    expect(provider(offer, undefined, env)).toBe(expected);
  });

  test("that needs nothing is not even chosen when there is no other, nor for a model nobody knows", () => {
    expect(provider(FREE, undefined, {}, [])).toBe("provider.none");
    expect(provider(FREE, "unheard-of", {})).toBe("provider.unknown-model");
  });

  test.each(["added", "added/x", "free", "free/x", "f1"])("is chosen by --model %s", (selection) => {
    expect(provider(FREE, selection, { OTHER_KEY: "k" })).toBe("added");
  });
});

describe("a selection", () => {
  test.each<readonly [string, Env, object]>([
    ["other/o2", { OTHER_KEY: "k" }, chosen("other", "o2", OTHER)],
    ["other", { OTHER_KEY: "k" }, chosen("other", "o1", OTHER)],
    [" other/ ", { OTHER_KEY: "k" }, chosen("other", "o1", OTHER)],
    ["compatible/meta/llama-3", { OWN_KEY: "k", OTHER_KEY: "k" }, chosen("compatible", "meta/llama-3", VENDOR)],
    ["vendor/big2", { OWN_KEY: "k", OWN_BASE_URL: "http://x.test" }, chosen("compatible", "big2", VENDOR)],
    ["local/q", {}, chosen("compatible", "q", { connection: "local", source: "local", endpoint: { baseUrl: "http://127.0.0.1:8080/v1" } })],
    ["offline", { OTHER_KEY: "k" }, OFFLINE],
    ["offline/rules", {}, OFFLINE],
    ["o1", { OTHER_KEY: "k", OWN_KEY: "k" }, chosen("other", "o1", OTHER)],
    ["big", { OTHER_KEY: "k", OWN_KEY: "k" }, chosen("compatible", "big", VENDOR)],
    ["something-new", { OTHER_KEY: "k", OWN_KEY: "k" }, chosen("other", "something-new", OTHER)],
    ["rules", {}, OFFLINE],
  ])("%j", (selection, env, expected) => {
    expect(resolve(selection, env)).toEqual(expected);
  });

  test.each<readonly [string, Env, object]>([
    ["othr/o1", {}, { code: "provider.unknown-provider", exit: 2, next: "Did you mean --model other/o1?" }],
    ["nobody/x", {}, { code: "provider.unknown-provider", exit: 2, why: "The plugins contribute: compatible, other, remote, offline." }],
    ["other/o1", {}, { code: "provider.missing-key", exit: 3, source: { type: "env", name: "OTHER_KEY" } }],
    ["vendor/big", { OWN_KEY: " " }, { code: "provider.missing-key", exit: 3 }],
    ["remote/x", {}, { code: "provider.missing-base-url", exit: 2, source: { type: "env", name: "REMOTE_URL" } }],
    ["offline/gpt", {}, { code: "provider.unknown-model", exit: 2, next: "Choose --model offline/rules." }],
    ["gpt", {}, { code: "provider.unknown-model", exit: 2, what: 'No model "gpt" can be reached.' }],
  ])("%j without what it needs", (selection, env, error) => {
    expect(resolve(selection, env)).toMatchObject({ ok: false, error });
  });
});

describe("config-1: base URLs", () => {
  test.each<readonly [string, string, string | undefined]>([
    ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1", undefined],
    ["http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1", undefined],
    ["http://127.0.0.1:1/v1//", "http://127.0.0.1:1/v1", undefined],
    ["http://127.0.0.1:1", "http://127.0.0.1:1", undefined],
    ["http://127.0.0.1:1/v1?api-version=1", "http://127.0.0.1:1/v1", "api-version=1"],
    ["  http://127.0.0.1:1/v1\n", "http://127.0.0.1:1/v1", undefined],
    ["http://[::1]:1/v1", "http://[::1]:1/v1", undefined],
    ["HTTPS://EXAMPLE.test/V1", "https://example.test/V1", undefined],
  ])("%j", (value, baseUrl, query) => {
    expect(resolve(undefined, { OWN_BASE_URL: value })).toMatchObject({
      ok: true,
      value: { endpoint: { baseUrl, ...(query === undefined ? {} : { query }), profile: "plain" } },
    });
  });

  test.each([
    ["127.0.0.1:1/v1", "it has no scheme", "Set it like OWN_BASE_URL=http://127.0.0.1:1/v1, or unset it."],
    ["localhost:8080/v1", "it has no scheme", "Set it like OWN_BASE_URL=http://localhost:8080/v1, or unset it."],
    ["ftp://x.test", "its scheme is ftp, not http or https", "Set it like OWN_BASE_URL=http://127.0.0.1:8080/v1, or unset it."],
    ["http://", "it is not a URL", "Set it like OWN_BASE_URL=http://127.0.0.1:8080/v1, or unset it."],
  ])("%j is refused, naming the variable", (value, problem, next) => {
    expect(resolve(undefined, { OWN_BASE_URL: value })).toMatchObject({
      ok: false,
      error: {
        code: "provider.bad-base-url",
        exit: 2,
        source: { type: "env", name: "OWN_BASE_URL" },
        next,
        why: `The environment variable OWN_BASE_URL was read; ${problem}.`,
      },
    });
  });

  test("a password in it is refused and not repeated", () => {
    const result = resolve(undefined, { OWN_BASE_URL: "http://u:geheim@x.test/v1" });
    expect(result).toMatchObject({ ok: false, error: { code: "provider.bad-base-url" } });
    expect(JSON.stringify(result)).not.toContain("geheim");
  });
});
