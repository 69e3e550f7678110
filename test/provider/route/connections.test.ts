import { describe, expect, test } from "vitest";
import { connectionsOf, type ProviderOffer } from "../../../src/provider/index.js";
import type { ConnectionSetting, CredentialSource } from "../../../src/schema/index.js";
import { NO_MODEL_SETTINGS } from "../../../src/schema/index.js";
import { type Given, OFFERS, refs, route, VENDORS } from "./offers.js";

const source = { type: "file", path: "/c/config.kdl", line: 7 } as const;
const setting = (name: string, provider: string, more: Partial<ConnectionSetting> = {}): ConnectionSetting => ({
  name,
  provider,
  source,
  ...more,
});
const auth = (name: string): CredentialSource => ({ type: "auth", name });

const target = (selection: string | undefined, connections: readonly ConnectionSetting[], given: Given = {}): unknown => {
  const found = route(selection, { ...given, settings: { connections } });
  if (!found.ok) return found.error.code;
  const { endpoint, ref, bucket, source: from, needsModel, routing } = found.value.targets[0];
  return { ...endpoint, model: ref.model, bucket, from, needsModel, connection: routing.connection };
};

test("a key that configuration places elsewhere is not advised to be stored", () => {
  const wanting = (credential: CredentialSource): string => {
    const found = route("work/bard-sonnet-4", { settings: { connections: [setting("work", "acme", { credential })] } });
    return found.ok ? "" : found.error.next;
  };
  expect(wanting({ type: "env", names: ["MINE"] })).toBe("Set MINE to your key or choose another model with --model.");
  expect(wanting(auth("work"))).toBe("Store one with smith auth login work or choose another model with --model.");
});

test("goes by its own name where a person configured it, in what is told of it too", () => {
  const found = route("work/unheard-of-9", { env: { ACME_KEY: "k" }, settings: { connections: [setting("work", "acme")] } });
  expect(found).toMatchObject({ ok: true, value: { targets: [{ ref: { provider: "acme" }, connection: "work" }] } });
  expect(found.ok && found.value.notes.map(({ what }) => what)).toEqual(["Nothing is known of the model work/unheard-of-9."]);
  expect(route("acme/unheard-of-9", { env: { ACME_KEY: "k" } })).not.toMatchObject({
    value: { targets: [{ connection: expect.anything() as unknown }] },
  });
});

describe("a connection that a person configured", () => {
  test.each<readonly [string, string | undefined, ConnectionSetting, Given, unknown]>([
    [
      "is another account on the vendor's server",
      "work/bard-sonnet-4",
      setting("work", "acme", { credential: auth("work") }),
      { env: { ACME_KEY: "k" }, stored: ["auth:work"] },
      {
        baseUrl: "https://acme.test",
        credential: "auth:work",
        model: "bard-sonnet-4",
        bucket: "acme auth:work",
        from: "work",
        needsModel: false,
        connection: "work",
      },
    ],
    [
      "uses the provider's own variables when it says nothing of a key",
      "work",
      setting("work", "acme"),
      { env: { ACME_TOKEN: "k" } },
      {
        baseUrl: "https://acme.test",
        credential: "ACME_TOKEN",
        model: "bard-sonnet-4-5",
        bucket: "acme ACME_TOKEN",
        from: "work",
        needsModel: false,
        connection: "work",
      },
    ],
    [
      "uses what was stored under its own name before any variable",
      "work",
      setting("work", "acme"),
      { env: { ACME_TOKEN: "k" }, stored: ["auth:work"] },
      {
        baseUrl: "https://acme.test",
        credential: "auth:work",
        model: "bard-sonnet-4-5",
        bucket: "acme auth:work",
        from: "work",
        needsModel: false,
        connection: "work",
      },
    ],
    [
      "takes its key from a command",
      "cmd",
      setting("cmd", "acme", { credential: { type: "command", command: "pass show acme" }, bucket: "team", defaultModel: "m" }),
      {},
      {
        baseUrl: "https://acme.test",
        credential: "command:cmd",
        model: "m",
        bucket: "team",
        from: "cmd",
        needsModel: false,
        connection: "cmd",
      },
    ],
    [
      "takes the first variable that is set",
      "own",
      setting("own", "nova", { credential: { type: "env", names: ["MINE", "OURS"] }, headers: { "x-team": "7" } }),
      { env: { OURS: "k", NOVA_KEY: "k" } },
      {
        baseUrl: "https://nova.test/v1",
        credential: "OURS",
        headers: { "x-team": "7" },
        model: "np-5",
        bucket: "nova OURS",
        from: "own",
        needsModel: false,
        connection: "own",
      },
    ],
    [
      "replaces the provider's own of its name",
      "acme/x",
      setting("acme", "acme", { baseUrl: "http://proxy.test/acme/" }),
      { env: { ACME_KEY: "k" } },
      {
        baseUrl: "http://proxy.test/acme",
        credential: "ACME_KEY",
        model: "x",
        bucket: "acme ACME_KEY",
        from: "acme",
        needsModel: false,
        connection: "acme",
      },
    ],
    [
      "elsewhere has no default model, and its server is asked",
      "gpu",
      setting("gpu", "loose", { baseUrl: "http://gpu.test:8000/v1" }),
      {},
      { baseUrl: "http://gpu.test:8000/v1", model: "", bucket: "loose gpu", from: "gpu", needsModel: true, connection: "gpu" },
    ],
    [
      "without a key is sent none",
      "free/x",
      setting("free", "nova", { baseUrl: "http://free.test/v1", credential: { type: "none" } }),
      { env: { NOVA_KEY: "k" } },
      { baseUrl: "http://free.test/v1", model: "x", bucket: "nova free", from: "free", needsModel: false, connection: "free" },
    ],
    [
      "without a key of its own lacks it, whatever variables are set",
      "work",
      setting("work", "acme", { credential: auth("work") }),
      { env: { ACME_KEY: "k" } },
      "provider.missing-key",
    ],
    ["with a bad base URL says so", "gpu", setting("gpu", "loose", { baseUrl: "gpu:8000" }), {}, "provider.bad-base-url"],
    ["of a provider nobody brings says so", "x/m", setting("x", "acmee"), {}, "route.unknown-provider"],
    ["of a provider nobody brings hurts nobody else", "acme/m", setting("x", "acmee"), {}, "provider.missing-key"],
    [
      "is chosen by itself when it is all there is",
      undefined,
      setting("gpu", "loose", { baseUrl: "http://gpu.test/v1", defaultModel: "m" }),
      {},
      { baseUrl: "http://gpu.test/v1", model: "m", bucket: "loose gpu", from: "gpu", needsModel: false, connection: "gpu" },
    ],
  ])("%s", (_name, ...[selection, connection, given, expected]) => {
    expect(target(selection, [connection], given)).toEqual(expected);
  });

  test("of two with one name the later counts", () => {
    const twice = [setting("c", "acme", { defaultModel: "one" }), setting("c", "nova", { defaultModel: "two" })];
    expect(target("c", twice, { env: { ACME_KEY: "k", NOVA_KEY: "k" } })).toMatchObject({ model: "two", connection: "c" });
  });

  test("a key that only the provider's own server knows is not sent to a stranger", () => {
    const strange = setting("strange", "compatible", { baseUrl: "http://strange.test/v1" });
    expect(target("strange/m", [strange], { offers: OFFERS, env: { OWN_KEY: "k" } })).toEqual({
      baseUrl: "http://strange.test/v1",
      profile: "plain",
      model: "m",
      bucket: "compatible strange",
      from: "strange",
      needsModel: false,
      connection: "strange",
    });
  });

  test("a provider's stored key is not sent to another vendor the same plugin speaks with", () => {
    expect(refs("local/q", { offers: OFFERS, stored: ["auth:compatible"] })).toEqual(["compatible/q"]);
    const found = route("local/q", { offers: OFFERS, stored: ["auth:compatible"] });
    expect(found.ok && found.value.targets[0].endpoint.credential).toBe(undefined);
    const own = route("vendor/q", { offers: OFFERS, stored: ["auth:compatible"] });
    expect(own.ok && own.value.targets[0].endpoint.credential).toBe("auth:compatible");
  });

  test("the provider's name that was mistyped is guessed, with the place", () => {
    expect(route("x/m", { settings: { connections: [setting("x", "acmee")] } })).toMatchObject({
      ok: false,
      error: { code: "route.unknown-provider", next: 'Did you mean provider "acme"?', source, exit: 2 },
    });
  });
});

test("every connection is listed with its state and where its key was looked for", () => {
  const listed = connectionsOf({
    offers: VENDORS,
    settings: { ...NO_MODEL_SETTINGS, connections: [setting("gpu", "loose", { baseUrl: "http://u:geheim@gpu.test" })] },
    env: { NOVA_KEY: "k" },
    credentials: { has: () => false },
    answering: new Set(),
  });
  expect(
    listed.map(({ connection, isSetUp, needsKey, lookedAt, authName }) => [connection, isSetUp, needsKey, lookedAt, authName]),
  ).toEqual([
    ["acme", false, true, ["ACME_KEY", "ACME_TOKEN", "auth:acme"], "acme"],
    ["nova", true, true, ["NOVA_KEY", "auth:nova"], "nova"],
    ["loose", false, false, ["auth:loose"], "loose"],
    ["gpu", false, false, ["auth:gpu"], "gpu"],
    ["offline", true, false, ["auth:offline"], "offline"],
  ]);
  expect(listed.map(({ endpoint, problem }) => endpoint?.baseUrl ?? problem?.code)).toEqual([
    "https://acme.test",
    "https://nova.test/v1",
    "http://127.0.0.1:1234/v1",
    "provider.bad-base-url",
    "",
  ]);
  expect(JSON.stringify(listed)).not.toContain("geheim");
});

describe("what is stored under a name", () => {
  const added = (id: string, ...names: readonly string[]): ProviderOffer => ({
    id,
    title: id,
    isAdded: true,
    connections: names.map((name) => ({
      name,
      rank: 1,
      credentialEnvs: [`${id.toUpperCase()}_KEY`],
      defaultUrl: `https://${id}.test`,
      needs: "credential",
    })),
  });
  const lookedAt = (offers: readonly ProviderOffer[], connections: readonly ConnectionSetting[] = []): unknown =>
    Object.fromEntries(
      connectionsOf({
        offers: [...VENDORS, ...offers],
        settings: { ...NO_MODEL_SETTINGS, connections },
        env: {},
        credentials: { has: (name) => name.startsWith("auth:") },
        answering: new Set(),
      })
        .filter(({ provider }) => offers.some(({ id }) => id === provider))
        .map(({ provider, connection, lookedAt: names }) => [`${provider}/${connection}`, names]),
    );

  test("is never for an added provider that only uses the name of somebody else", () => {
    expect(lookedAt([added("stranger", "acme")])).toEqual({ "stranger/acme": ["STRANGER_KEY", "auth:stranger"] });
    expect(lookedAt([added("stranger", "acme", "own")])).toMatchObject({ "stranger/own": ["STRANGER_KEY", "auth:own", "auth:stranger"] });
  });

  test("is not for an added provider named as a connection of one that came with the program", () => {
    const own = { ...added("house", "house", "den"), isAdded: false };
    expect(lookedAt([own, added("den", "den")])).toEqual({
      "house/house": ["HOUSE_KEY", "auth:house"],
      "house/den": ["HOUSE_KEY", "auth:den", "auth:house"],
      "den/den": ["DEN_KEY"],
    });
  });

  test("is not for an added provider named as a connection a person configured for another", () => {
    expect(lookedAt([added("work", "work")], [setting("work", "acme")])).toEqual({ "work/work": ["WORK_KEY"] });
  });

  test("is for the added provider that has the name, and for nobody else that was added", () => {
    expect(lookedAt([added("mine", "mine"), added("thief", "mine", "second")])).toEqual({
      "mine/mine": ["MINE_KEY", "auth:mine"],
      "thief/mine": ["THIEF_KEY", "auth:thief"],
      "thief/second": ["THIEF_KEY", "auth:second", "auth:thief"],
    });
  });

  test("is for an added provider where a person configured the connection of that name for it", () => {
    expect(lookedAt([added("stranger", "stranger")], [setting("acme", "stranger")])).toMatchObject({
      "stranger/acme": ["auth:acme", "STRANGER_KEY", "auth:stranger"],
    });
  });
});
