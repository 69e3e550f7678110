import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import { readPages, readTools } from "../../../src/effect/mcp/listing.js";
import { reached, script, settled, stdioServer, testHub, textOf, until } from "./support.js";

let dir: string;
let hubs: McpHub[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  hubs = [];
});
afterEach(async () => {
  await Promise.all(hubs.map(async (hub) => await hub.close()));
  await rm(dir, { recursive: true, force: true });
});
const use = { signal: new AbortController().signal };
const configured = (...args: readonly string[]): McpHub => {
  const hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir }));
  hubs.push(hub);
  hub.configure([stdioServer("srv", [script(args[0] ?? ""), ...args.slice(1)])]);
  return hub;
};
const started = async (...args: readonly string[]): Promise<McpHub> => {
  const hub = configured(...args);
  await settled(hub);
  return hub;
};
const namesOf = (hub: McpHub): readonly string[] | undefined => hub.servers()[0]?.tools.map(({ name }) => name);

describe("a list in pages", () => {
  test("is read to its end, whatever its cursors look like", async () => {
    const hub = await started("paged.mjs", "whole");
    expect(namesOf(hub)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(hub.servers()[0]?.notes).toEqual([]);
  });

  test("that does not end stops where it repeats itself, and that is said", async () => {
    const hub = await started("paged.mjs", "endless");
    expect(namesOf(hub)).toEqual(["a", "b"]);
    expect(hub.servers()[0]?.notes).toEqual(["Its list of tools does not end: page 2 leads to a page that was read before."]);
  });

  test("that fails on its second page keeps the first, and that is said", async () => {
    const hub = await started("paged.mjs", "broken");
    expect(namesOf(hub)).toEqual(["a", "b"]);
    expect(hub.servers()[0]?.notes[0]).toContain("Page 2 of its tools failed: ");
    expect(hub.servers()[0]?.notes[0]).toContain("the second page is gone");
  });

  test("with a new cursor on every page ends after a hundred", async () => {
    let page = 0;
    const read = await readPages("tools", "tools", async () => {
      page += 1;
      return await Promise.resolve({ tools: [{ name: `t${page}` }], nextCursor: `c${page}` });
    });
    expect(read.items).toHaveLength(100);
    expect(read.notes[0]).toContain("more than 100 pages");
  });

  test("with more than is wanted is cut, and that is said", async () => {
    const tools = Array.from({ length: 6_000 }, (_, index) => ({ name: `t${index}` }));
    const read = await readPages("tools", "tools", async () => await Promise.resolve({ tools, nextCursor: "more" }));
    expect(read.items).toHaveLength(5_000);
    expect(read.notes).toEqual(["It lists more than 5000 tools; the rest was left out."]);
  });

  test.each([[{ tools: "none" }], [{ tools: { a: {} } }], [{}]])("that is none is said to be none: %j", async (answer) => {
    expect(await readPages("tools", "tools", async () => await Promise.resolve(answer))).toEqual({
      items: [],
      notes: ["Page 1 of its tools is no list."],
    });
  });

  test("whose first page fails is no list", async () => {
    await expect(readPages("tools", "tools", async () => await Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});

test("one tool that is wrong does not cost the others: schemas pass as they came, names count once", () => {
  const schemas = [{ type: "object" }, undefined, { type: "string" }, true, { properties: { x: true } }, { anyOf: [{ type: "object" }] }];
  const tools = schemas.map((inputSchema, index) => ({ name: `t${index}`, ...(inputSchema === undefined ? {} : { inputSchema }) }));
  const { all, notes } = readTools([...tools, { name: "t0", description: "second" }, { title: "nameless" }, { name: "" }, { name: 7 }]);
  expect(all.map(({ inputSchema }) => inputSchema)).toEqual(schemas);
  expect(notes).toEqual(['A second tool "t0" was left out.', ...Array.from({ length: 3 }, () => "A tool without a name was left out.")]);
});

describe("a server whose lists change", () => {
  test("is read again once for many words of it; views are the same until then", async () => {
    const hub = await started("changing.mjs");
    const before = hub.servers();
    expect(hub.servers()).toBe(before);
    const changes: string[] = [];
    hub.observe((change) => change !== undefined && changes.push(change.state));
    expect(textOf(await hub.call({ server: "srv", tool: "tool0", args: {} }, use))).toBe("changed");
    await until(hub, () => namesOf(hub)?.length === 2);
    expect(changes).toEqual(["tools-changed"]);
    expect(before[0]?.tools).toHaveLength(1);
  });

  test("is not a new view where it lists the same", async () => {
    const hub = await started("changing.mjs");
    const before = hub.servers();
    await hub.call({ server: "srv", tool: "same", args: {} }, use);
    await hub.call({ server: "srv", tool: "tool0", args: {} }, use);
    await until(hub, () => hub.servers() !== before);
    expect(namesOf(hub)).toEqual(["tool0", "tool1"]);
  });

  test("has its instructions bounded, its prompts read and rendered, its log kept", async () => {
    const hub = await started("changing.mjs");
    const [view] = hub.servers();
    expect(Buffer.byteLength(view?.instructions ?? "")).toBeLessThanOrEqual(8 * 1024);
    expect(view?.instructions?.startsWith("Be kind. é")).toBe(true);
    expect(view?.prompts).toEqual([{ name: "greet", arguments: [{ name: "who", required: true }] }]);
    expect(view?.notes).toEqual(["A prompt without a name was left out."]);
    expect(await hub.prompt("srv", { name: "greet", args: { who: "Ada" } }, use)).toEqual({
      ok: true,
      value: { messages: [{ role: "user", content: { type: "text", text: "Greet Ada." } }] },
    });
  });
});

describe("what was listed last", () => {
  test("is offered at once in the next run, marked, until the server is there", async () => {
    const first = await started("mortal.mjs");
    const names = namesOf(first);
    await first.close();
    expect(await readdir(join(dir, "cache"))).toHaveLength(1);
    const hub = configured("mortal.mjs");
    const seen: unknown[] = [];
    hub.observe(() => seen.push([hub.servers()[0]?.state, namesOf(hub)]));
    await until(hub, () => hub.servers()[0]?.state === "connected");
    expect(seen).toEqual([
      ["stale", names],
      ["connected", names],
    ]);
  });

  test("is waited for by nobody: a call that comes before waits for the server itself", async () => {
    await (await started("mortal.mjs")).close();
    const hub = configured("mortal.mjs");
    await settled(hub);
    expect(hub.servers()[0]?.state).toBe("stale");
    expect(textOf(await hub.call({ server: "srv", tool: "pid", args: {} }, use))).toMatch(/^\d+$/u);
    expect(hub.servers()[0]?.state).toBe("connected");
  });

  test("counts for the same command alone", async () => {
    await (await started("mortal.mjs")).close();
    const hub = configured("paged.mjs", "whole");
    await settled(hub);
    expect(hub.servers()[0]?.state).toBe("connected");
    await hub.close();
    await reached(async () => (await readdir(join(dir, "cache"))).length === 2);
  });
});
