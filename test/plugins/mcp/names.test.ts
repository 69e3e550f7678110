import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readerName, toolName } from "../../../plugins/tool-mcp/offer/names.js";
import { offer } from "../../../plugins/tool-mcp/offer/offer.js";
import { serverOf, toolOf } from "./servers.js";

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/u;
const MARK = /_x[0-9a-f]{10}$/u;

/** Names as servers really have them, and any others. */
const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 150 }),
  fc.stringMatching(/^[a-zA-Z0-9_-]{1,70}$/u),
  fc.constantFrom("a.b", "a_b", "a b", "_", "__", "a__b", "a_", "read_resource", "constructor", "__proto__", "наслово", ""),
);

describe("names of tools", () => {
  test.each([
    ["github", "create_issue", "mcp__github__create_issue"],
    ["my-files", "readFile", "mcp__my-files__readFile"],
    ["a", "_b", "mcp__a___b"],
    ["everything", "get-sum", "mcp__everything__get-sum"],
    ["git", "get_repository", "mcp__git__get_repository"],
  ])("%s, %s: what is legal and clear stays as it is", (server, tool, name) => {
    expect(toolName(server, tool)).toBe(name);
  });

  test.each([
    ["a dot", "git.hub/x", "a.b", /^mcp__git_hub_x__a_b_x[0-9a-f]{10}$/u],
    ["a server that is not legal, whatever the tool", "git.hub/x", "a_b", /^mcp__git_hub_x__a_b_x[0-9a-f]{10}$/u],
    ["a blank", "demo", "a b", /^mcp__demo__a_b_x[0-9a-f]{10}$/u],
    ["letters of no vendor's alphabet", "demo", "наслово", /^mcp__demo__tool_x[0-9a-f]{10}$/u],
    ["120 characters", "demo", "n".repeat(120), /^mcp__demo__n{41}_x[0-9a-f]{10}$/u],
    ["a long server too", "s".repeat(100), "n".repeat(100), /^mcp__s{20}__n{25}_x[0-9a-f]{10}$/u],
    ["a server name that could end elsewhere", "a__b", "c", /^mcp__a_b__c_x[0-9a-f]{10}$/u],
    ["a name that looks like a marked one", "demo", "a_x0123456789", /^mcp__demo__a_x0123456789_x[0-9a-f]{10}$/u],
  ])("%s is cleaned or cut, and marked", (_case, server, tool, name) => {
    expect(toolName(server, tool)).toMatch(name);
    expect(toolName(server, tool)).toMatch(LEGAL);
  });

  test("names are the same in every version: old sessions still find their tools", () => {
    expect([toolName("git.hub/x", "a.b"), toolName("demo", "a b"), toolName("demo", "наслово")]).toMatchInlineSnapshot(`
      [
        "mcp__git_hub_x__a_b_x49f1363a73",
        "mcp__demo__a_b_x33cd659ad8",
        "mcp__demo__tool_x3c7df350ac",
      ]
    `);
  });

  test("a server's own read_resource keeps its name, and the reader gives way", () => {
    expect(readerName("demo", [])).toBe("mcp__demo__read_resource");
    expect(readerName("demo", [{ name: "read_resource" }])).toMatch(/^mcp__demo__read_resource_x[0-9a-f]{10}$/u);
    expect(readerName("git.hub", [{ name: "read_resource" }])).not.toBe(toolName("git.hub", "read_resource"));
  });

  test("any two names give a legal name, the same each time", () => {
    fc.assert(
      fc.property(anyName, anyName, (server, tool) => {
        const name = toolName(server, tool);
        expect(name).toMatch(LEGAL);
        expect(name.startsWith("mcp__")).toBe(true);
        expect(toolName(server, tool)).toBe(name);
      }),
    );
  });

  test("different pairs have different names", () => {
    const pair = fc.tuple(anyName, anyName);
    fc.assert(
      fc.property(fc.uniqueArray(pair, { maxLength: 60, selector: (one) => JSON.stringify(one) }), (pairs) => {
        expect(new Set(pairs.map(([server, tool]) => toolName(server, tool))).size).toBe(pairs.length);
      }),
    );
  });

  test("where a server's name ends can be read from an unmarked name in one way only", () => {
    const part = fc.stringMatching(/^[ab_]{1,6}$/u);
    fc.assert(
      fc.property(part, part, part, part, (server, tool, otherServer, otherTool) => {
        fc.pre(server !== otherServer || tool !== otherTool);
        expect(toolName(server, tool)).not.toBe(toolName(otherServer, otherTool));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Whose call a name reaches. */
const targets = (tools: readonly string[], server = "git.hub/x"): Map<string, unknown> =>
  new Map(
    offer({ servers: [serverOf({ name: server, offer: "always", tools: tools.map((name) => toolOf(name)) })] }).tools.map((tool) => [
      tool.name,
      tool.target,
    ]),
  );

describe("names over a whole server (mcp-4)", () => {
  const NAMES = ["a.b", "a_b", "a b", "x".repeat(120), `${"y".repeat(99)}1`, `${"y".repeat(99)}2`, "наслово"];

  test("all names are legal and distinct, and each reaches the server under the original name", () => {
    const named = targets(NAMES);
    expect([...named.keys()].every((name) => LEGAL.test(name))).toBe(true);
    expect(named.size).toBe(NAMES.length);
    expect([...named.values()]).toEqual(expect.arrayContaining(NAMES.map((tool) => ({ server: "git.hub/x", tool }))));
  });

  test("a legal name on a server with a legal name stays unmarked beside one that is cleaned to it", () => {
    const named = targets(["a.b", "a_b", "a b"], "demo");
    expect(named.get("mcp__demo__a_b")).toEqual({ server: "demo", tool: "a_b" });
    expect([...named.keys()].filter((name) => MARK.test(name))).toHaveLength(2);
  });

  test("neither order nor further tools change a name", () => {
    const tools = fc.uniqueArray(anyName, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        tools.chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: 1 }))),
        ([names, some]) => {
          const all = targets(names);
          for (const [name, target] of targets(some)) expect(all.get(name)).toEqual(target);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("the offer is the same in whatever order servers and tools come", () => {
    const one = serverOf({ name: "one", tools: NAMES.map((name) => toolOf(name)) });
    const two = serverOf({ name: "two", tools: [toolOf("z"), toolOf("a")], resources: true });
    const turned = [two, { ...one, tools: one.tools.toReversed() }];
    expect(offer({ servers: turned })).toEqual(offer({ servers: [one, two] }));
  });

  test("a tool that is listed twice is offered once, and told of", () => {
    const { tools, notes } = offer({ servers: [serverOf({ tools: [toolOf("a"), toolOf("a")] })] });
    expect(tools.map(({ name }) => name)).toEqual(["mcp__demo__a"]);
    expect(notes).toEqual(['demo: the tool "a" is listed twice; the first is used.']);
  });
});
