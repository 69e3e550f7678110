import { describe, expect, test } from "vitest";
import { command, todo, type TodoItem } from "../../plugins/tool-todo/index.js";
import type { JsonValue } from "../../src/plugin/sdk.js";
import { fakeContext } from "./fake-context.js";

/** The tool and its command over one branch. */
function branch() {
  let stored: JsonValue = null;
  const said: string[] = [];
  const context = fakeContext({
    state: {
      get: async () => stored,
      put: async (_key, value) => {
        stored = value;
      },
      delete: async () => {
        stored = null;
      },
    },
    ui: { status: (_key, text) => said.push(text) },
  });
  return {
    said,
    stored: () => stored,
    store: (value: JsonValue) => {
      stored = value;
    },
    put: async (items: readonly TodoItem[]) => await todo({ items }, context),
    run: async (args: string) => await command(args, context),
  };
}

const LIST: readonly TodoItem[] = [
  { text: "look", status: "done" },
  { text: "change", status: "doing" },
  { text: "test", status: "open" },
];

describe("the list", () => {
  test("is what the last call says, stored, shown and summed up", async () => {
    const { put, stored, said } = branch();
    await put([{ text: "old", status: "open" }]);
    expect(await put(LIST)).toEqual({
      text: "[x] look\n[>] change\n[ ] test",
      isError: false,
      summary: "1 of 3 done",
      details: {
        data: { open: 2, total: 3 },
        view: {
          type: "group",
          children: [
            { type: "text", spans: [{ text: "[x] look", role: "muted" }] },
            { type: "text", spans: [{ text: "[>] change", role: "accent" }] },
            { type: "text", spans: [{ text: "[ ] test", role: "plain" }] },
          ],
        },
      },
    });
    expect(stored()).toEqual(LIST);
    expect(said.at(-1)).toBe("1 of 3 done: change");
  });

  test("fits the status line whatever a step is called", async () => {
    const { put, said } = branch();
    await put([{ text: `a\n${"😀".repeat(100)}`, status: "doing" }]);
    expect(said.at(-1)).toMatch(/^0 of 1 done: a 😀+…$/u);
    expect(said.at(-1)?.length).toBeLessThanOrEqual(60);
  });

  test("leaves the status line when all is done or nothing is left", async () => {
    const { put, said, stored } = branch();
    await put(LIST.map((item) => ({ ...item, status: "done" as const })));
    expect(said.at(-1)).toBe("");
    expect(await put([])).toMatchObject({ text: "The list is empty.", summary: "empty" });
    expect(stored()).toBeNull();
  });

  test("two steps at work are kept, with a word of advice", async () => {
    const { put, stored } = branch();
    const two = LIST.map((item) => ({ ...item, status: "doing" as const }));
    expect((await put(two)).text).toContain("work on one at a time");
    expect(stored()).toEqual(two);
  });

  test.each([
    ["blank", " "],
    ["too long", "x".repeat(501)],
  ])("an item that is %s changes nothing", async (_, text) => {
    const { put, stored } = branch();
    await put(LIST);
    expect((await put([{ text, status: "open" }])).isError).toBe(true);
    expect(stored()).toEqual(LIST);
  });
});

describe("/todo", () => {
  test("shows, clears, and explains itself", async () => {
    const { put, run, stored } = branch();
    expect(await run("")).toEqual([{ type: "notify", text: "There is nothing on the list." }]);
    await put(LIST);
    expect(await run("")).toEqual([{ type: "notify", text: "1 of 3 done\n[x] look\n[>] change\n[ ] test" }]);
    expect(await run("what")).toMatchObject([{ type: "notify", role: "warning" }]);
    await run("clear");
    expect(stored()).toBeNull();
  });

  test("reads past what another version stored", async () => {
    const { store, run } = branch();
    store([{ text: "a", status: "open" }, { text: 1 }, "x", null]);
    expect(await run("")).toEqual([{ type: "notify", text: "0 of 1 done\n[ ] a" }]);
  });
});
