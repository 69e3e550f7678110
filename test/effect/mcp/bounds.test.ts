import { describe, expect, test } from "vitest";
import { fewNotes, fitItems, fitViews, LISTS, unitsOf } from "../../../src/effect/mcp/bounds.js";
import { readPages, readResource } from "../../../src/effect/mcp/listing.js";
import type { McpServerView, McpToolInfo } from "../../../src/schema/index.js";

const tool = (name: string, units: number): McpToolInfo => ({ name, description: "d".repeat(units) });
const view = (name: string, units: number, more: Partial<McpServerView> = {}): McpServerView => ({
  ...{ name, state: "connected", tools: [tool("t", units)], prompts: [], resources: true, notes: ["before"], allow: [], deny: [] },
  ...{ offer: "auto", timeoutMs: 1, instructions: "i" },
  ...more,
});

describe("what one server lists", () => {
  test("is kept in its order while it fits, and the rest is counted", () => {
    const tools = Array.from({ length: 30 }, (_, index) => tool(`t${index}`, 100_000));
    const { items, notes, units } = fitItems("tool", tools, LISTS.server);
    expect(items.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, index) => `t${index}`));
    expect(units).toBe(items.reduce((sum, item) => sum + JSON.stringify(item).length, 0));
    expect(notes).toEqual(["20 tools left out: all it lists has more than 1048576 characters of JSON."]);
  });

  test("loses what is too large alone, by its name, and nothing beside it", () => {
    const huge: McpToolInfo = { name: "n".repeat(300), inputSchema: { type: "object", description: "x".repeat(200_000) } };
    const { items, notes } = fitItems("tool", [tool("a", 1), huge, tool("b", 1)], LISTS.server);
    expect(items.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(notes[0]).toMatch(/^The tool "n{80}" was left out: it has \d+ characters of JSON, and 131072 is the most\.$/u);
  });

  test("has no more than a few notes", () => {
    const notes = Array.from({ length: 5_000 }, (_, index) => `n${index}`);
    expect(fewNotes(notes)).toHaveLength(21);
    expect(fewNotes(notes).at(-1)).toBe("And 4980 more notes.");
    expect(fewNotes(notes.slice(0, 20))).toEqual(notes.slice(0, 20));
  });

  test("is not read for ever where every page is large", async () => {
    let page = 0;
    const read = await readPages("tools", "tools", async () => {
      page += 1;
      return await Promise.resolve({ tools: [{ name: `t${page}`, description: "x".repeat(3_000_000) }], nextCursor: `c${page}` });
    });
    expect(page).toBe(3);
    expect(read.notes[0]).toContain("what follows page 3 was left out");
  });

  test("is cut on its first page, too", async () => {
    const tools = Array.from({ length: 200_000 }, (_, index) => ({ name: `t${index}` }));
    const read = await readPages("tools", "tools", async () => await Promise.resolve({ tools }));
    expect(read.items).toHaveLength(5_000);
    expect(read.notes).toEqual(["It lists more than 5000 tools; the rest was left out."]);
  });
});

test("texts about a resource are cut, an address is whole or not there", () => {
  const long = "x".repeat(5_000);
  expect(readResource({ uri: "a:1", name: long, description: long, mimeType: long, size: 3 })).toEqual({
    ...{ uri: "a:1", name: "x".repeat(1_000), description: "x".repeat(1_000), mediaType: "x".repeat(1_000), bytes: 3 },
  });
  expect(readResource({ uri: `a:${long}`, name: "n" })).toBeUndefined();
});

describe("what all servers list", () => {
  test("is passed on as it is while it fits", () => {
    const views = [view("a", 1_000_000), view("b", 1_000_000)];
    expect(fitViews(views, unitsOf)[0]).toBe(views[0]);
    expect(fitViews(views, unitsOf)[1]).toBe(views[1]);
  });

  test("loses the lists of servers there is no room for, with a note; smaller ones after them stay", () => {
    const views = [view("a", 1_000_000), view("b", 1_000_000), view("c", 1_000_000), view("d", 1_000_000), view("e", 10)];
    const fitted = fitViews(views, unitsOf);
    expect(fitted.map(({ name, tools }) => [name, tools.length])).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
      ["d", 0],
      ["e", 1],
    ]);
    expect(fitted[3]).toMatchObject({
      state: "connected",
      resources: true,
      notes: ["before", "Its 1 tool and 0 prompts are left out: all servers together list too much."],
    });
    expect(JSON.stringify(fitted).length).toBeLessThan(3.2 * 1024 * 1024);
  });
});
