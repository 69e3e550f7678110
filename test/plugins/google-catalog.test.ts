import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { plan } from "../../plugins/provider-google/request/plan.js";
import { traitsOf } from "../../plugins/provider-google/request/traits.js";
import { compileManifest } from "../../src/plugin/manifest/index.js";
import type { ProviderRequest } from "../../src/plugin/sdk.js";
import { validate } from "../support/strict-google.js";

const ROOT = new URL("../../plugins/provider-google/", import.meta.url);
const read = (name: string): Promise<string> => readFile(new URL(name, ROOT), "utf8");

const compiled = await compileManifest(await read("manifest.kdl"), read, { bundled: true });
const [provider] = compiled.ok ? compiled.value.providers : [];
const models = provider?.catalog?.models ?? [];
const HINTS = ["thinking", "budget-min", "budget-max", "signatures", "schema", "result-images", "format-with-tools"];

test("the model that is taken when none is chosen is in the catalog, with tools and a price", () => {
  const named = provider?.connections.map(({ defaultModel }) => defaultModel);
  expect(named).toEqual(["gemini-3.8-flash"]);
  expect(models.find(({ id }) => id === named?.[0])).toMatchObject({ tools: true, price: { input: 0.75 } });
});

describe.each(models.map((model) => [model.id, model] as const))("%s", (id, model) => {
  test("has hints that are read, and says how it thinks as its name would", () => {
    expect(Object.keys(model.hints ?? {}).filter((name) => !HINTS.includes(name))).toEqual([]);
    const named = traitsOf(id, {});
    expect(traitsOf(id, model)).toMatchObject({ thinking: named.thinking, demandsSignatures: named.demandsSignatures });
  });

  test("is asked in a way a strict server takes, at every level and without one", () => {
    for (const thinking of [undefined, ...(model.thinking ?? [])]) {
      const request: ProviderRequest = {
        provider: "google",
        model: id,
        endpoint: { baseUrl: "" },
        facts: model,
        system: "be brief",
        messages: [{ role: "user", text: "hi" }],
        tools: [{ name: "read", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } }],
        sampling: { responseFormat: { type: "json_schema", json_schema: { schema: { type: "object" } } } },
        ...(thinking === undefined ? {} : { thinking }),
        stream: true,
        context: { cwd: "/work" },
      };
      const planned = plan(request);
      expect(validate(planned.type === "http" ? (planned.body ?? "") : "", { demandsSignatures: true }), thinking ?? "").toEqual([]);
    }
  });

  test("has prices that fit each other", () => {
    const { price } = model;
    expect(price?.input).toBeGreaterThan(0);
    expect(price?.output).toBeGreaterThan(price?.input ?? 0);
    expect(price?.cacheRead).toBeLessThan(price?.input ?? 0);
    if (price?.long !== undefined) expect(price.long.input).toBeGreaterThan(price.input);
  });
});
