import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { models, parseModels } from "../../plugins/provider-anthropic/models.js";
import { compileManifest } from "../../src/plugin/manifest/index.js";
import type { CatalogModel } from "../../src/plugin/sdk.js";
import { validate } from "../support/strict-anthropic.js";
import { bodyOf, READ_TOOL } from "./anthropic-support.js";

const FOLDER = new URL("../../plugins/provider-anthropic/", import.meta.url);

async function provider() {
  const read = (name: string): Promise<string> => readFile(new URL(name, FOLDER), "utf8");
  const compiled = await compileManifest(await read("manifest.kdl"), read, { bundled: true });
  const [only] = compiled.ok ? compiled.value.providers : [];
  if (only?.catalog === undefined) throw new Error("no provider with a catalog");
  return { ...only, models: only.catalog.models };
}

describe("the list of models", () => {
  test("is asked for with the key by its name", () => {
    expect(models({ baseUrl: "http://h", credential: "ANTHROPIC_API_KEY" })).toEqual({
      type: "http",
      method: "GET",
      url: "http://h/v1/models?limit=1000",
      headers: { accept: "application/json", "anthropic-version": "2023-06-01", "x-api-key": "{secret:ANTHROPIC_API_KEY}" },
      framing: "json",
    });
    expect(models({ baseUrl: "http://h?a=1" })).toMatchObject({ url: "http://h/v1/models?a=1&limit=1000" });
  });

  test("has what the server states and nothing else", () => {
    const list = {
      data: [
        {
          type: "model",
          id: "claude-x",
          display_name: "Claude X",
          max_input_tokens: 1_000_000,
          max_tokens: 128_000,
          capabilities: { image_input: { supported: true }, structured_outputs: { supported: false }, thinking: { supported: true } },
        },
        { type: "model", id: "claude-y", capabilities: { thinking: { supported: false } } },
        { id: "claude-z" },
        { id: "" },
        "nonsense",
      ],
      has_more: false,
    };
    expect(parseModels([JSON.stringify(list)])).toEqual([
      {
        ref: { provider: "anthropic", model: "claude-x" },
        title: "Claude X",
        contextTokens: 1_000_000,
        outputTokens: 128_000,
        images: true,
        structuredOutput: false,
      },
      { ref: { provider: "anthropic", model: "claude-y" }, thinking: [] },
      { ref: { provider: "anthropic", model: "claude-z" } },
    ]);
  });

  test.each([
    ['{"models":[{"name":"local.gguf"}],"data":[{"id":"local.gguf","meta":{"n_ctx_train":4096}}]}', [["local.gguf", 4096]]],
    ['[{"id":"a"}]', [["a", undefined]]],
    ["{}", []],
    ["<html>", []],
    ["", []],
  ])("of another server: %s", (text, expected) => {
    expect(parseModels([text]).map(({ ref, contextTokens }) => [ref.model, contextTokens])).toEqual(expected);
  });
});

describe("the catalog", () => {
  test("has the connections' default model, and prices of every model", async () => {
    const { connections, models: known } = await provider();
    const ids = known.map(({ id }) => id);
    for (const { defaultModel } of connections) expect(ids).toContain(defaultModel);
    expect(known.filter(({ price }) => price === undefined).map(({ id }) => id)).toEqual([]);
  });

  test("has prices by the vendor's own rule: writing to the cache costs a quarter more than input, reading at most a tenth", async () => {
    const wrong = ({ price }: CatalogModel): boolean =>
      [price, price?.long].some(
        (rates) =>
          rates !== undefined &&
          (Math.abs((rates.cacheWrite ?? 0) - rates.input * 1.25) > 1e-9 || (rates.cacheRead ?? 1) > rates.input / 10 + 1e-9),
      );
    expect((await provider()).models.filter(wrong).map(({ id }) => id)).toEqual([]);
  });

  test("has for each model levels that make requests the vendor takes", async () => {
    for (const { id, title: _title, also: _also, released: _released, ...facts } of (await provider()).models) {
      for (const level of facts.thinking ?? []) {
        const body = bodyOf({ model: id, facts, thinking: level, tools: [READ_TOOL], sampling: { temperature: 0.3, topP: 0.5 } });
        expect(validate(body), `${id} ${level}`).toEqual([]);
        if (facts.hints?.["thinking"] === "adaptive") expect(body["thinking"], id).not.toHaveProperty("budget_tokens");
      }
    }
  });
});

describe("the connections", () => {
  test("are the vendor's key, then a token", async () => {
    expect(
      (await provider()).connections.map(({ name, rank, credentialEnvs, baseUrlEnv, profile }) => [
        name,
        rank,
        credentialEnvs,
        baseUrlEnv,
        profile,
      ]),
    ).toEqual([
      ["anthropic", 10, ["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL", "key"],
      ["anthropic-token", 11, ["ANTHROPIC_AUTH_TOKEN"], "ANTHROPIC_BASE_URL", "bearer"],
    ]);
  });
});
