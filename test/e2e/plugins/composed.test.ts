import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject } from "../../../src/base/index.js";
import { call, type ModelServerOptions, say } from "../../support/model-server.js";
import { lastOf, messagesOf } from "../support/scripted.js";
import { textOf } from "../support/smith.js";
import { openSession, openWorld, type World } from "./runtime.js";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const made = async (options: ModelServerOptions): Promise<World> => (world = await openWorld(options));

const MANIFEST = `plugin "acme.count" version="1.0.0" sdk=1 entry="main.ts" {
  description "Counts"
  grants { ui "notify" "status" "ask"; fs read="workspace" }
  tool "count" read-only=#true {
    description "Counts the characters of a text"
    summary "text"
    arg "text" type="string" required=#true help="The text"
  }
  command "count" usage="TEXT" help="Counts at once"
  prompt "count" order=500 file="count.md"
  handler "turn-ended" state="turns"
  state "turns" scope="project" max-kib=1
  config { option "count.word" type="string" default="characters" help="What is counted" }
}
`;

const SOURCE = `import { definePlugin, result } from "smith-agent/plugin";
import { lengthOf } from "./length.js";

export default definePlugin({
  tools: {
    count: async (args: { readonly text: string }, context) => {
      const text = args.text.startsWith("@") ? (await context.fs.read({ path: args.text.slice(1) })).lines.join("") : args.text;
      return result(String(lengthOf(text)) + " " + String(context.config["count.word"]));
    },
  },
  commands: {
    count: async (args, context) => {
      const name = args === "" ? await context.ui.ask({ text: "What?" }) : args;
      return [{ type: "notify", text: String(lengthOf(name ?? "")) }, { type: "enqueue", text: "counted " + name }];
    },
  },
  handlers: {
    "turn-ended": (event, context) => {
      const turns = Number(context.values["turns"] ?? 0) + 1;
      return [
        { type: "set-state", scope: "project", key: "turns", value: turns },
        { type: "set-status", key: "turns", text: turns + " turns" },
      ];
    },
  },
});
`;

const files = (source = SOURCE): Readonly<Record<string, string>> => ({
  "manifest.kdl": MANIFEST,
  "main.ts": source,
  "count.md": "Count with the tool count.\n",
  "length.ts": "export const lengthOf = (text: string): number => text.length;\n",
});

const systemOf = (request: Parameters<typeof messagesOf>[0]): string =>
  textOf(messagesOf(request).find((message) => message["role"] === "system")?.["content"]);

const toolsOf = ({ body }: Parameters<typeof messagesOf>[0]): readonly unknown[] => {
  const tools = body["tools"];
  return Array.isArray(tools)
    ? tools.map((tool) => (isJsonObject(tool) && isJsonObject(tool["function"]) ? tool["function"]["name"] : ""))
    : [];
};

describe("a plugin named for the run", () => {
  test("brings its tool, its prompt and its options, and its effects are on record", async () => {
    const { folder, home, project, open, server } = await made({ script: [call("count", { text: "@note.txt" }), say("six")] });
    folder(project, { "note.txt": "abcdef" });
    const runtime = await open({ pluginDirs: [folder(join(home, "count"), files())], pairs: ["count.word=signs"] });
    const { session, turn } = await openSession(runtime, { mode: "auto" });
    expect(await turn("how long is it?")).toBe("six");
    const [first, second] = server.requests;
    if (first === undefined || second === undefined) throw new Error("two requests were expected");
    expect(systemOf(first)).toContain("Count with the tool count.");
    expect(toolsOf(first)).toContain("count");
    expect(lastOf(second, "tool")).toBe("6 signs");
    expect(readFileSync(session.path).includes("fs.read")).toBe(true);
  });

  test("has commands, may ask a person, and its handlers keep state for the project", async () => {
    const { folder, home, open, paths } = await made({ script: () => say("ok") });
    const runtime = await open({ pluginDirs: [folder(join(home, "count"), files())] });
    expect(runtime.contributions()).toMatchObject({ generation: 1 });
    expect(runtime.contributions().commands.find(({ name }) => name === "count")).toMatchObject({ plugin: "acme.count", usage: "TEXT" });
    const { session, event, events } = await openSession(runtime, { interactive: true });
    const ran = session.runCommand("count", "");
    const asked = await event("question");
    expect(session.status().question).toMatchObject({ plugin: "acme.count", question: { type: "ask", text: "What?" } });
    expect(session.answerQuestion(asked.id, { type: "text", text: "four" })).toBe(true);
    const outcome = await ran;
    if (!outcome.ok || outcome.value.receipt === undefined) throw new Error("no receipt");
    expect(await outcome.value.receipt.settled).toMatchObject({ status: "ok", reply: "ok" });
    expect(events).toContainEqual(expect.objectContaining({ type: "notice", plugin: "acme.count", text: "4" }));
    expect(await event("status")).toMatchObject({ item: { plugin: "acme.count", key: "turns", text: "1 turns" } });
    await session.close();
    const again = await openSession(runtime, { interactive: true });
    await again.turn("more");
    expect(await again.event("status")).toMatchObject({ item: { text: "2 turns" } });
    await again.session.close();
    expect(paths.data.startsWith(home)).toBe(true);
  });

  test("is read again on request: the next request works with what is there then", async () => {
    const { folder, home, open, server } = await made({
      script: [call("count", { text: "ab" }), say("one"), call("count", { text: "ab" }), say("two")],
    });
    const dir = folder(join(home, "count"), files());
    const runtime = await open({ pluginDirs: [dir] });
    const { turn, event } = await openSession(runtime, { mode: "auto" });
    await turn("first");
    expect(await runtime.reload()).toEqual({ ok: true, value: [] });
    let told = 0;
    runtime.observeContributions(() => (told += 1));
    folder(dir, { "length.ts": "export const lengthOf = (text: string): number => text.length * 100;\n" });
    expect(await runtime.reload()).toEqual({ ok: true, value: ["acme.count"] });
    expect([told, runtime.contributions().generation]).toEqual([1, 2]);
    expect(await event("generation")).toMatchObject({ number: 2, changed: ["acme.count"] });
    await turn("second");
    expect(server.requests.map((request) => lastOf(request, "tool"))).toEqual(["", "2 characters", "2 characters", "200 characters"]);
  });

  test("that does not load any more leaves what is in use as it is", async () => {
    const { folder, home, open } = await made({ script: () => say("ok") });
    const dir = folder(join(home, "count"), files());
    const runtime = await open({ pluginDirs: [dir] });
    folder(dir, { "main.ts": 'import "./missing.js";\n' });
    expect(await runtime.reload()).toMatchObject({ ok: false });
    expect(runtime.tools.some(({ name }) => name === "count")).toBe(true);
    expect(runtime.contributions().generation).toBe(1);
  });

  test("that does not load at all ends the start, as somebody asked for exactly that one", async () => {
    const { folder, home, open } = await made({ script: () => say("ok") });
    const dir = folder(join(home, "count"), files('import "./missing.js";\n'));
    await expect(open({ pluginDirs: [dir] })).rejects.toThrow("missing");
    expect((await open({ pluginDirs: [dir], watch: true })).tools.some(({ name }) => name === "count")).toBe(false);
  });

  test("that is watched is read again when a file of it is saved", async () => {
    const { folder, home, open } = await made({ script: () => say("ok") });
    const dir = folder(join(home, "count"), files());
    const runtime = await open({ pluginDirs: [dir], watch: true });
    const changed = new Promise<void>((resolve) => {
      runtime.observeContributions(resolve);
    });
    folder(dir, { "length.ts": "export const lengthOf = (): number => 1;\n" });
    await changed;
    expect(runtime.contributions().generation).toBe(2);
  });
});

describe("a project", () => {
  const template = { ".smith/prompts/review.md": "---\ndescription: Reviews\n---\nReview $ARGUMENTS\n" };
  const plugin = Object.fromEntries(Object.entries(files()).map(([name, text]) => [`.smith/plugins/acme.count/${name}`, text]));

  test("that is not trusted brings neither plugins nor files, and says so", async () => {
    const { folder, project, open, diagnostics } = await made({ script: () => say("ok") });
    folder(project, { ...template, ...plugin });
    const runtime = await open();
    expect(runtime.tools.some(({ name }) => name === "count")).toBe(false);
    expect(runtime.contributions().commands.some(({ name }) => name === "review")).toBe(false);
    expect(diagnostics.map(({ code }) => code)).toContain("plugin.project-untrusted");
  });

  test("that is trusted for the run brings both", async () => {
    const { folder, project, open, server } = await made({ script: () => say("ok") });
    folder(project, { ...template, ...plugin });
    const runtime = await open({ trusted: true });
    expect(runtime.tools.some(({ name }) => name === "count")).toBe(true);
    const { session } = await openSession(runtime);
    const ran = await session.runCommand("review", "the parser");
    if (!ran.ok || ran.value.receipt === undefined) throw new Error("no receipt");
    await ran.value.receipt.settled;
    expect(lastOf(await server.request(0), "user")).toContain("Review the parser");
  });
});

describe("all plugins disabled", () => {
  test("leave no model to ask", async () => {
    const { open } = await made({ script: () => say("ok") });
    const every = (await open()).contributions().plugins.map(({ id }) => id);
    await expect(open({ pairs: [`plugins.disabled=${every.join(",")}`] })).rejects.toThrow("provider");
  });

  test("but those of the model leave no tool", async () => {
    const { open, server } = await made({ script: () => say("ok") });
    const others = (await open())
      .contributions()
      .plugins.map(({ id }) => id)
      .filter((id) => id !== "smith.openai-compatible");
    const runtime = await open({ pairs: [`plugins.disabled=${others.join(",")}`] });
    expect(runtime.tools).toEqual([]);
    const { turn } = await openSession(runtime);
    expect(await turn("hello")).toBe("ok");
    expect(toolsOf(await server.request(0))).toEqual([]);
  });
});
