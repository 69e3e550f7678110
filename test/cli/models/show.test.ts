import { describe, expect, test } from "vitest";
import { ok } from "../../../src/base/index.js";
import type { FactRow, ModelAdmin } from "../../../src/runtime/index.js";
import { failure } from "../fake-runtime.js";
import { entry, nowhere, onTerminal, routeTo, smith, target, world } from "./support.js";

const FACTS: readonly FactRow[] = [
  {
    fact: "contextTokens",
    value: 500,
    by: "user",
    source: "/home/a/smith/config/config.kdl:8:5",
    conflicts: [{ by: "catalog", source: "https://models.test", date: "2026-11-30", value: 1000 }],
  },
  { fact: "tools", value: true, by: "catalog", source: "https://models.test", date: "2026-11-30", conflicts: [] },
  { fact: "thinking", value: ["off", "low"], by: "server", source: "https://ant.test/v1", date: "2026-11-29T10:00:00.000Z", conflicts: [] },
  {
    fact: "price",
    value: { input: 3, output: 15, cacheRead: 0.3, long: { above: 200, input: 6, output: 22.5 } },
    by: "catalog",
    source: "https://models.test",
    date: "2026-11-30",
    conflicts: [],
  },
  { fact: "hints", value: { api: "x", n: 1 }, by: "catalog", source: "https://models.test", date: "2026-11-30", conflicts: [] },
];

const described = (more: Partial<ModelAdmin> = {}): Partial<ModelAdmin> => world({ describe: () => FACTS, ...more });

describe("models show", () => {
  test("says where a model is asked, then every fact with who says it, once who they are, and what nobody says", async () => {
    const { status, lines } = await smith(["models", "show", "ant/opus-5"], described());
    expect(status).toBe(0);
    expect(lines).toEqual([
      "ant/opus-5",
      "  connection  ant",
      "  base URL    https://ant.test/v1",
      "  key         ANT_API_KEY",
      "  thinking    nothing is said about it",
      "  FACT      SAYS         VALUE",
      "  context   you [1]      500",
      "            catalog [2]  not 1000",
      "  tools     catalog [2]  yes",
      "  thinking  server [3]   off low",
      "  price     catalog [2]  3 in, 15 out, 0.3 from cache; above 200 tokens 6 in, 22.5 out",
      "  hint      catalog [2]  api=x n=1",
      "  not known: output, images, strict-tools, grammar-tools, trained-tools, structured-output, sampling, cache",
      "  [1] ~/smith/config/config.kdl:8:5",
      "  [2] 2026-11-30, https://models.test",
      "  [3] 2026-11-29, https://ant.test/v1",
    ]);
  });

  test("of a group shows every target in order, the way to it, and the level that is asked for", async () => {
    const via = { connection: "ant", via: ["alias best", "group main"] };
    const route = routeTo(
      target("ant/opus-5", { routing: via, thinking: "high" }),
      target("oai/gpt-9", { routing: { connection: "oai" } }),
    );
    const { out } = await smith(["models", "show", "best"], world({ route: () => route }));
    expect(out).toContain("best → ant/opus-5, then oai/gpt-9\n");
    expect(out).toContain("  through     alias best, group main\n");
    expect(out).toContain("  thinking    high\n");
    expect(out).toContain("  key         none is sent\n");
  });

  test("of an unknown model says what follows from it, and tells the notes", async () => {
    const note = { ...failure({ code: "route.unknown-facts" }), severity: "warning" as const };
    const route = ok({ targets: [target("ant/new")] as const, notes: [note] });
    const ran = await smith(["models", "show", "ant/new"], world({ route: () => route }));
    expect(ran.status).toBe(0);
    expect(ran.out).toContain("known       nothing: no limit and no price is assumed, no image is sent, no thinking is asked for");
    expect(ran.err).toContain("warning[route.unknown-facts]");
  });

  test("without a selection shows what is used and why", async () => {
    const { lines } = await smith(["models", "show"], world());
    expect(lines.slice(0, 4)).toEqual(["nothing chosen → ant/opus-5", "ANT_API_KEY is set", "", "ant/opus-5"]);
  });

  test("a server that has yet to tell its model is shown as such", async () => {
    const route = routeTo(target("gpu/", { thinking: "low", routing: { connection: "gpu" } }));
    const { out } = await smith(["models", "show", "gpu"], world({ route: () => route }));
    expect(out).toContain("gpu → the first model that gpu lists\n");
    expect(out).toContain("  thinking    low, where the model has it\n");
  });

  test("what has no key is shown with what is known of it, and ends with status 3", async () => {
    const refused = nowhere({ code: "provider.missing-key", what: "There is no key for oai.", exit: 3 });
    for (const words of [["oai/gpt-9"], ["gpt-9:low"], ["gpt"]]) {
      const ran = await smith(["models", "show", ...words], described({ route: () => refused }));
      expect(ran.status).toBe(3);
      expect(ran.out).toContain("oai/gpt-9");
      expect(ran.out).toContain("  set up  no: There is no key for oai.\n");
      expect(ran.err).toContain("provider.missing-key");
    }
  });

  test("what means nothing ends with status 2 and shows nothing", async () => {
    const ran = await smith(["models", "show", "nope"], world());
    expect([ran.status, ran.out]).toEqual([2, ""]);
  });

  test("never shows a password of a base URL nor the value of a header", async () => {
    const endpoint = { baseUrl: "https://me:hunter2@ant.test/v1", headers: { "X-Key": "hunter2" } };
    const admin = world({ route: () => routeTo(target("ant/opus-5", { endpoint })) });
    for (const flag of [[], ["--json"]]) {
      const ran = await smith(["models", "show", "x", ...flag], admin);
      expect(ran.out).toContain("X-Key");
      expect(ran.out + ran.err).not.toContain("hunter2");
    }
  });

  test.each([120, 80, 50])("no line is wider than a terminal of %i columns", async (columns) => {
    const { lines } = await smith(["models", "show", "ant/opus-5"], described(), onTerminal(columns));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test("--json is one record with the same", async () => {
    const { lines } = await smith(["models", "show", "ant/opus-5", "--json"], described());
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      selection: "ant/opus-5",
      targets: [
        {
          provider: "ant",
          model: "opus-5",
          connection: "ant",
          baseUrl: "https://ant.test/v1",
          credential: "ANT_API_KEY",
          known: "catalog",
          facts: FACTS,
        },
      ],
      notes: [],
    });
  });

  test("nothing that a server says acts on a terminal", async () => {
    const facts: readonly FactRow[] = [{ fact: "hints", value: { a: "\u001b[2J" }, by: "server", source: "\u009b", conflicts: [] }];
    const admin = world({ describe: () => facts, find: () => entry("ant/x", {}, { title: "\u001b]0;x" }) });
    for (const flag of [[], ["--json"]])
      expect((await smith(["models", "show", "ant/opus-5", ...flag], admin)).out).not.toMatch(/[\u001b\u009b]/u);
  });
});
