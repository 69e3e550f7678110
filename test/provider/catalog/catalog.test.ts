import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CatalogInput, createCatalog, describeEntry, type ModelSnapshot, type ProviderOffer } from "../../../src/provider/index.js";
import type { CatalogModel, ModelFacts, ModelOverride } from "../../../src/schema/index.js";

const offer = (models: readonly CatalogModel[], more: Partial<ProviderOffer> = {}): ProviderOffer => ({
  id: "p",
  title: "P",
  connections: [],
  catalog: { date: "2026-11-01", source: more.isAdded === true ? "plugin" : "bundled", models },
  ...more,
});

const list = (
  connection: string,
  takenAt: number,
  models: readonly ({ readonly id: string } & ModelFacts)[],
): ModelSnapshot["lists"][number] => ({
  provider: "p",
  connection,
  url: `https://${connection}.test`,
  takenAt,
  models: models.map(({ id, ...facts }) => ({ ref: { provider: "p", model: id }, ...facts })),
});

const override = (model: string, facts: ModelFacts, line = 3): ModelOverride => ({
  ref: { provider: "p", model },
  facts,
  source: { type: "file", path: "/c/config.kdl", line },
});

const catalog = (input: Partial<CatalogInput>): ReturnType<typeof createCatalog> =>
  createCatalog({ offers: [], snapshot: undefined, overrides: [], ...input });

const find = (input: Partial<CatalogInput>, model: string, connection?: string): ReturnType<ReturnType<typeof createCatalog>["find"]> =>
  catalog(input).find({ provider: "p", model }, connection);

describe("what counts of a fact", () => {
  const all: CatalogInput = {
    offers: [
      offer([{ id: "m", contextTokens: 1, outputTokens: 1, images: false, tools: true, thinking: ["low"] }]),
      offer([{ id: "m", contextTokens: 2, outputTokens: 2, images: true }], { isAdded: true }),
    ],
    snapshot: { startedAt: 5, lists: [list("one", 10, [{ id: "m", contextTokens: 3, outputTokens: 3 }])] },
    overrides: [override("m", { contextTokens: 4, thinking: [] })],
  };

  test("a person before the server, before an added plugin, before what came with the program, each fact by itself", () => {
    expect(find(all, "m")).toEqual({
      ref: { provider: "p", model: "m" },
      facts: { contextTokens: 4, outputTokens: 3, images: true, tools: true, thinking: [] },
      known: "user",
      listedBy: ["one"],
      claims: {
        contextTokens: [
          { by: "user", source: "/c/config.kdl:3", value: 4 },
          { by: "server", source: "https://one.test", date: "1970-01-01T00:00:00.010Z", value: 3 },
          { by: "plugin", source: "plugin", date: "2026-11-01", value: 2 },
          { by: "catalog", source: "bundled", date: "2026-11-01", value: 1 },
        ],
        outputTokens: [
          { by: "server", source: "https://one.test", date: "1970-01-01T00:00:00.010Z", value: 3 },
          { by: "plugin", source: "plugin", date: "2026-11-01", value: 2 },
          { by: "catalog", source: "bundled", date: "2026-11-01", value: 1 },
        ],
        images: [
          { by: "plugin", source: "plugin", date: "2026-11-01", value: true },
          { by: "catalog", source: "bundled", date: "2026-11-01", value: false },
        ],
        tools: [{ by: "catalog", source: "bundled", date: "2026-11-01", value: true }],
        thinking: [
          { by: "user", source: "/c/config.kdl:3", value: [] },
          { by: "catalog", source: "bundled", date: "2026-11-01", value: ["low"] },
        ],
      },
    });
  });

  test("who says otherwise is shown with what counts", () => {
    const rows = describeEntry(find(all, "m"));
    expect(rows.map(({ fact, value, by, conflicts }) => [fact, value, by, conflicts.map((claim) => [claim.by, claim.value])])).toEqual([
      [
        "contextTokens",
        4,
        "user",
        [
          ["server", 3],
          ["plugin", 2],
          ["catalog", 1],
        ],
      ],
      [
        "outputTokens",
        3,
        "server",
        [
          ["plugin", 2],
          ["catalog", 1],
        ],
      ],
      ["images", true, "plugin", [["catalog", false]]],
      ["tools", true, "catalog", []],
      ["thinking", [], "user", [["catalog", ["low"]]]],
    ]);
  });

  test("the same value with its keys in another order is no conflict", () => {
    const price = { input: 1, output: 2 };
    const input = { offers: [offer([{ id: "m", price }])], overrides: [override("m", { price: { output: 2, input: 1 } })] };
    expect(describeEntry(find(input, "m"))).toMatchObject([{ fact: "price", by: "user", conflicts: [] }]);
  });

  test("of two words of people the later one", () => {
    const overrides = [override("m", { contextTokens: 1 }, 1), override("m", { contextTokens: 2, tools: false }, 2)];
    expect(find({ overrides }, "m")).toMatchObject({ facts: { contextTokens: 2, tools: false } });
  });

  test("hints are told apart by name", () => {
    const input = {
      offers: [offer([{ id: "m", hints: { api: "a", size: 1 } }])],
      snapshot: { startedAt: 1, lists: [list("one", 1, [{ id: "m", hints: { loaded: true, size: 2 } }])] },
    };
    expect(find(input, "m").facts.hints).toEqual({ api: "a", size: 2, loaded: true });
  });

  test("the list of the very server before that of another, then the newest", () => {
    const lists = [list("old", 1, [{ id: "m", contextTokens: 1 }]), list("new", 2, [{ id: "m", contextTokens: 2 }])];
    const input = { snapshot: { startedAt: 1, lists } };
    expect([undefined, "old", "new", "other"].map((connection) => find(input, "m", connection).facts.contextTokens)).toEqual([2, 1, 2, 2]);
    expect(find(input, "m").listedBy).toEqual(["new", "old"]);
  });
});

describe("which model an id is", () => {
  const offers = [
    offer([
      { id: "m-4-5", also: ["m-4-5-20250929"], tools: true },
      { id: "x-latest", tools: false },
    ]),
  ];

  test.each<readonly [string, string, boolean | undefined]>([
    ["m-4-5", "catalog", true],
    ["m-4-5-20250929", "catalog", true],
    ["m-4-5-20991231", "family", true],
    ["m-4-5-2026-01-31", "family", true],
    ["m-4-5-latest", "family", true],
    ["m-4-5@20260101", "family", true],
    ["m-4-5-0613", "family", true],
    ["m-4-5-mini", "unknown", undefined],
    ["m-4", "unknown", undefined],
    ["m-4-5-9999", "unknown", undefined],
    ["x-latest", "catalog", false],
    ["x", "unknown", undefined],
    ["M-4-5", "unknown", undefined],
  ])("%s is known by its %s", (model, known, tools) => {
    const entry = find({ offers }, model);
    expect([entry.known, entry.facts.tools]).toEqual([known, tools]);
    expect(entry.ref.model).toBe(model);
  });

  test("what is said of one of its ids holds for the others, the asked one first", () => {
    const overrides = [override("m-4-5", { contextTokens: 1, outputTokens: 1 }), override("m-4-5-20250929", { contextTokens: 2 })];
    expect(find({ offers, overrides }, "m-4-5-20250929").facts).toEqual({ tools: true, contextTokens: 2, outputTokens: 1 });
  });

  test("a family is never evidence against a word on the model itself", () => {
    const snapshot = { startedAt: 1, lists: [list("one", 1, [{ id: "m-4-5-20991231", tools: false }])] };
    const entry = find({ offers, snapshot }, "m-4-5-20991231");
    expect([entry.known, entry.facts.tools, entry.claims.tools?.map(({ by }) => by)]).toEqual(["server", false, ["server", "family"]]);
  });

  test("another provider's catalog says nothing", () => {
    expect(catalog({ offers }).find({ provider: "q", model: "m-4-5" })).toEqual({
      ref: { provider: "q", model: "m-4-5" },
      facts: {},
      claims: {},
      known: "unknown",
    });
  });
});

describe("the list", () => {
  test("by provider in the order of offers, newest first, each model once, with what only servers or people name", () => {
    const offers = [
      offer([{ id: "b", released: "2026-01-01" }, { id: "a", released: "2026-02-01", also: ["a-1"] }, { id: "c" }]),
      offer([{ id: "z" }], { id: "q" }),
    ];
    const snapshot = { startedAt: 1, lists: [list("one", 1, [{ id: "a-1" }, { id: "served" }, { id: "b" }])] };
    const made = catalog({ offers, snapshot, overrides: [override("mine", {})] });
    expect(made.list().map(({ ref }) => `${ref.provider}/${ref.model}`)).toEqual(["p/a", "p/b", "p/c", "p/mine", "p/served", "q/z"]);
    expect(made.list()).toBe(made.list());
  });

  test("the same whatever order lists and models come in", () => {
    const models = fc.uniqueArray(
      fc.record({ id: fc.constantFrom("a", "b", "c", "d"), released: fc.constantFrom("2026-01-01", "2026-02-02") }),
      {
        selector: ({ id }) => id,
      },
    );
    fc.assert(
      fc.property(models, fc.uniqueArray(fc.constantFrom("x", "y", "z")), (reviewed, connections) => {
        const lists = connections.map((name) => list(name, 7, [{ id: "a", contextTokens: name.charCodeAt(0) }]));
        const input = { offers: [offer(reviewed)], snapshot: { startedAt: 1, lists } };
        const turned = { offers: [offer([...reviewed].reverse())], snapshot: { startedAt: 1, lists: [...lists].reverse() } };
        expect(catalog(turned).list()).toEqual(catalog(input).list());
      }),
    );
  });
});

test("a server of one's own is named by its connection, over what is said of its provider", () => {
  const of = (provider: string, contextTokens: number): ModelOverride => ({
    ...override("m", { contextTokens }),
    ref: { provider, model: "m" },
  });
  const made = createCatalog({ offers: [offer([])], snapshot: undefined, overrides: [of("gpu", 2), of("p", 1), of("other", 3)] });
  const ref = { provider: "p", model: "m" };
  expect([made.find(ref, "gpu"), made.find(ref), made.find(ref, "none")].map(({ facts }) => facts.contextTokens)).toEqual([2, 1, 1]);
});

test("finding one model looks at no other provider", () => {
  const touched: string[] = [];
  const watched = (id: string): ProviderOffer => ({
    ...offer([{ id: "m" }], { id }),
    get catalog() {
      touched.push(id);
      return { date: "", source: "", models: [{ id: "m" }] };
    },
  });
  const made = createCatalog({ offers: [watched("p"), watched("q")], snapshot: undefined, overrides: [] });
  touched.length = 0;
  made.find({ provider: "p", model: "m" });
  expect(new Set(touched)).toEqual(new Set(["p"]));
});
