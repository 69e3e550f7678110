import { describe, expect, test } from "vitest";
import { compileManifest } from "../../../src/plugin/manifest/index.js";
import { plugin } from "./stage.js";

const HEAD = `catalog date="2026-11-30" source="https://models.test/prices"\n`;

const MANIFEST = plugin(`  provider "acme" title="Acme" {
    connection "acme" rank=1 credential-env="ACME_KEY,OTHER_KEY" default-url="https://api.acme.test" needs="credential"
    connection "near" rank=2 default-url="http://127.0.0.1:9/v1" needs="answer"
    catalog "models/all.kdl"
    oauth client-id="c" token-url="https://id.acme.test/token" device-url="https://id.acme.test/device" scopes="a, b:c"
  }`);

const compileWith = async (catalog: string, manifest = MANIFEST) =>
  await compileManifest(manifest, (name) => (name === "models/all.kdl" ? catalog : undefined), { path: "p/manifest.kdl" });

async function catalogOf(text: string) {
  const compiled = await compileWith(`${HEAD}${text}`);
  if (!compiled.ok) throw new Error(compiled.error.map(({ what, why }) => `${what} ${why}`).join("; "));
  return compiled.value.providers[0]?.catalog;
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const compiled = await compileWith(text);
  if (compiled.ok) return [];
  return compiled.error.map(({ what, why, source }) =>
    source?.type === "file" ? `${source.path}:${String(source.line)} ${what} | ${why}` : `${what} | ${why}`,
  );
}

describe("a catalog", () => {
  test("is data of its provider, beside connections with several variables and a sign-in", async () => {
    const compiled = await compileWith(`${HEAD}model "m-1"`);
    expect(compiled.ok && compiled.value.providers).toEqual([
      {
        id: "acme",
        plugin: "acme.read",
        title: "Acme",
        connections: [
          { name: "acme", rank: 1, needs: "credential", credentialEnvs: ["ACME_KEY", "OTHER_KEY"], defaultUrl: "https://api.acme.test" },
          { name: "near", rank: 2, needs: "answer", credentialEnvs: [], defaultUrl: "http://127.0.0.1:9/v1" },
        ],
        catalog: { date: "2026-11-30", source: "https://models.test/prices", models: [{ id: "m-1" }] },
        oauth: {
          clientId: "c",
          tokenUrl: "https://id.acme.test/token",
          deviceUrl: "https://id.acme.test/device",
          scopes: ["a", "b:c"],
        },
      },
    ]);
  });

  test("holds every fact of a model, levels in their order", async () => {
    const catalog = await catalogOf(`model "m-1" title="M One" released="2026-01-02" {
      also "m-1-20260102" "m-latest"
      context 200000
      output 64000
      images #true
      tools #true
      thinking "high" "off" "low"
      strict-tools #false
      grammar-tools #true
      structured-output #true
      sampling #false
      cache "points"
      price input=3 output=15 cache-read=0.3 cache-write=3.75
      long-price above=200000 input=6 output=22.5
      hint api="responses" effort=#true
      hint step=2
    }
    model "never" { thinking; }`);
    expect(catalog?.models).toEqual([
      {
        id: "m-1",
        title: "M One",
        released: "2026-01-02",
        also: ["m-1-20260102", "m-latest"],
        contextTokens: 200_000,
        outputTokens: 64_000,
        images: true,
        tools: true,
        thinking: ["off", "low", "high"],
        strictTools: false,
        grammarTools: true,
        structuredOutput: true,
        sampling: false,
        cache: "points",
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, long: { above: 200_000, input: 6, output: 22.5 } },
        hints: { api: "responses", effort: true, step: 2 },
      },
      { id: "never", thinking: [] },
    ]);
  });
});

describe("what is wrong is told in the catalog's own file", () => {
  test.each([
    ["a fact that is none", `model "m" { contxt 5; }`, /all\.kdl:2 contxt of m .* must be one of context, output/u],
    ["half a token", `model "m" { context 0.5; }`, /context of m .* whole number of tokens/u],
    ["a word for a flag", `model "m" { images "yes"; }`, /images of m .* #true or #false/u],
    ["a level that is none", `model "m" { thinking "huge"; }`, /thinking of m .* levels out of off, minimal/u],
    ["a price below nothing", `model "m" { price input=-1 output=2; }`, /price of m .* at least 0/u],
    ["half a price", `model "m" { price input=1; }`, /price of m .* input= and output=/u],
    ["a long price alone", `model "m" { long-price above=5 input=1 output=2; }`, /long-price of m .* beside a price/u],
    ["a fact twice", `model "m" { context 5; context 6; }`, /a second context of m/u],
    ["one id for two models", `model "m"\nmodel "n" { also "m"; }`, /all\.kdl:3 the model "m" is there twice/u],
    ["a date that is none", `model "m" released="yesterday"`, /released of model "m"/u],
  ])("%s", async (_name, text, told) => {
    expect(await problemsOf(`${HEAD}${text}`)).toEqual([expect.stringMatching(told)]);
  });

  test("a catalog says when it was reviewed and where its figures come from", async () => {
    expect(await problemsOf(`catalog date="soon"\nmodel "m"`)).toEqual([
      expect.stringContaining("catalog has no source"),
      expect.stringContaining(`date of catalog is "soon"`),
    ]);
    expect(await problemsOf(`model "m"`)).toContainEqual(expect.stringContaining("a catalog has no catalog"));
  });

  test("tokens are fetched by https, or from this machine", async () => {
    const compiled = await compileWith(HEAD, MANIFEST.replace("https://id.acme.test/token", "http://id.acme.test/token"));
    expect(!compiled.ok && compiled.error.map(({ what }) => what)).toEqual([expect.stringContaining("token-url of oauth")]);
  });
});
