import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { PROFILE_NAMES, PROFILE_OF, profileOf, thinkingFields } from "../../plugins/provider-openai-compatible/profile/index.js";
import { compileManifest, type CompiledManifest } from "../../src/plugin/manifest/index.js";

type Provider = CompiledManifest["providers"][number];

const ROOT = new URL("../../plugins/provider-openai-compatible/", import.meta.url);
let providers: readonly Provider[] = [];

beforeAll(async () => {
  const read = (name: string): Promise<string> => readFile(new URL(name, ROOT), "utf8");
  const compiled = await compileManifest(await read("manifest.kdl"), read, { bundled: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  ({ providers } = compiled.value);
});

const connections = (): readonly Provider["connections"][number][] => providers.flatMap((provider) => provider.connections);
const models = (): readonly (readonly [Provider, NonNullable<Provider["catalog"]>["models"][number]])[] =>
  providers.flatMap((provider) => (provider.catalog?.models ?? []).map((model) => [provider, model] as const));

describe("the manifest of Chat Completions", () => {
  test("has a profile for every provider and connection, and no name of a connection twice", () => {
    expect(providers.map(({ id }) => id).sort()).toEqual(Object.keys(PROFILE_OF).sort());
    for (const { id, connections: all } of providers)
      for (const { name, profile } of all) {
        expect(PROFILE_NAMES, name).toContain(profile);
        expect(PROFILE_OF[id], name).toBe(profile);
      }
    const names = connections().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(connections().map(({ rank }) => rank)).size).toBe(names.length);
  });

  test("prefers a server that was pointed at, then a key, then what answers on this machine, and OpenAI's older API last", () => {
    const ranks = (needs: string): readonly number[] =>
      connections().flatMap((connection) => (connection.needs === needs && connection.name !== "openai-chat" ? [connection.rank] : []));
    expect(Math.max(...ranks("base-url"))).toBeLessThan(Math.min(...ranks("credential")));
    expect(Math.max(...ranks("credential"))).toBeLessThan(Math.min(...ranks("answer")));
    expect(Math.max(...ranks("answer"))).toBeLessThan(connections().find(({ name }) => name === "openai-chat")?.rank ?? 0);
  });

  test("reads the variables that people have already", () => {
    const of = (name: string): readonly (string | undefined)[] => {
      const found = connections().find((connection) => connection.name === name);
      return [found?.baseUrlEnv, ...(found?.credentialEnvs ?? [])];
    };
    expect(of("openai-url")).toEqual(["OPENAI_BASE_URL", "OPENAI_API_KEY"]);
    expect(of("llama")).toEqual(["LLAMA_SERVER_URL", "LLAMA_API_KEY"]);
    expect(of("azure")).toEqual(["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"]);
    expect(of("moonshot")).toEqual(["MOONSHOT_BASE_URL", "MOONSHOT_API_KEY", "KIMI_API_KEY"]);
    expect(of("openai-chat")).toEqual([undefined, "OPENAI_API_KEY"]);
  });

  test("only this machine is asked without being told to", () => {
    const answering = connections().filter(({ needs }) => needs === "answer");
    expect(answering.map(({ defaultUrl }) => new URL(defaultUrl ?? "").hostname)).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
    for (const { defaultUrl, needs } of connections())
      if (defaultUrl !== undefined && needs === "credential") expect(new URL(defaultUrl).protocol).toBe("https:");
  });
});

describe("the catalogs", () => {
  test("have the model that is taken when none is named", () => {
    for (const { catalog, connections: all } of providers)
      for (const { defaultModel } of all) if (catalog !== undefined) expect(catalog.models.map(({ id }) => id)).toContain(defaultModel);
  });

  test("ask for every level they name in words of the provider's, or the model's own, form", () => {
    for (const [{ id }, model] of models())
      for (const level of model.thinking ?? []) {
        const hint = model.hints?.["thinking"];
        const { thinking } = profileOf(id, { baseUrl: "" });
        const fields = thinkingFields(thinking, hint, level);
        expect(Object.keys(fields), `${model.id} ${level}`).not.toEqual([]);
        // A form that nobody has would count as the provider's.
        if (hint !== undefined && level !== "off") expect(fields, model.id).not.toEqual(thinkingFields(thinking, undefined, level));
      }
  });

  test("have figures that can be", () => {
    for (const [, { id, contextTokens = 1, outputTokens = 1, price }] of models()) {
      expect(outputTokens, id).toBeLessThanOrEqual(contextTokens);
      if (price === undefined) continue;
      expect(price.input, id).toBeGreaterThan(0);
      expect(price.output, id).toBeGreaterThanOrEqual(price.input);
      expect(price.cacheRead ?? 0, id).toBeLessThan(price.input);
      if (price.long !== undefined) expect(price.long.input, id).toBeGreaterThan(price.input);
    }
  });
});
