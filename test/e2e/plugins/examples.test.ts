import { afterEach, describe, expect, test } from "vitest";
import type { Runtime } from "../../../src/runtime/index.js";
import { EXAMPLES } from "../../examples/packages.js";
import { answer, call, calls, type ModelServerOptions, type Reply, say } from "../../support/model-server.js";
import { lastOf, messagesOf } from "../support/scripted.js";
import { textOf } from "../support/smith.js";
import { openSession, openWorld, type World, type WorldOptions } from "./runtime.js";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** A runtime of the built program that uses the example, as it lies in the repository. */
async function using(name: string, options: ModelServerOptions, more: WorldOptions = {}): Promise<{ world: World; runtime: Runtime }> {
  const dir = EXAMPLES.find((example) => example.name === name)?.dir ?? "";
  world = await openWorld(options);
  return { world, runtime: await world.open({ pluginDirs: [dir], ...more }) };
}

const installed = (license: string, name: string): string => JSON.stringify({ name, version: "1.0.0", license });

describe("the tool example", () => {
  const files = {
    "node_modules/left/package.json": installed("MIT", "left"),
    "node_modules/@a/right/package.json": installed("GPL-3.0-only", "@a/right"),
    "node_modules/left/node_modules/deep/package.json": installed("(MIT OR Apache-2.0)", "deep"),
    // Not a package, only a file of that name inside of one.
    "node_modules/left/esm/package.json": '{"type":"module"}',
    ".gitignore": "node_modules\n",
  };

  test("tells the model what it does not expect and shows people a table", async () => {
    const { world: place, runtime } = await using("tool-licenses", { script: [call("licenses", {}), say("one")] });
    place.folder(place.project, files);
    const { turn, event } = await openSession(runtime, { mode: "read-only" });
    expect(await turn("any odd licenses?")).toBe("one");
    const second = await place.server.request(1);
    expect(lastOf(second, "tool")).toBe("3 packages, 2 of them with an expected license.\n@a/right@1.0.0 GPL-3.0-only");
    expect(await event("tool_end")).toMatchObject({
      resultSummary: "3 packages, 1 with an unexpected license",
      view: { type: "group", children: [{ type: "text" }, { type: "table", rows: [["@a/right", "1.0.0", "GPL-3.0-only", "no"]] }] },
    });
  });

  test("counts for people by a command, with the licenses they set", async () => {
    const { world: place, runtime } = await using(
      "tool-licenses",
      { script: [say("fine")] },
      { pairs: ["licenses.allow=MIT,GPL-3.0-only"] },
    );
    place.folder(place.project, files);
    const { session, event } = await openSession(runtime);
    const ran = await session.runCommand("licenses", "");
    expect(ran.ok).toBe(true);
    expect(await event("notice")).toMatchObject({ plugin: "example.licenses", role: "success" });
    expect((await event("notice")).text).toContain("3 packages, all with an expected license.");
  });

  test("asks the model about them by a command", async () => {
    const { world: place, runtime } = await using("tool-licenses", { script: [say("it asks for the sources")] });
    place.folder(place.project, files);
    const { session } = await openSession(runtime);
    const ran = await session.runCommand("licenses", "explain");
    if (!ran.ok || ran.value.receipt === undefined) throw new Error("no receipt");
    expect(await ran.value.receipt.settled).toMatchObject({ reply: "it asks for the sources" });
    expect(lastOf(await place.server.request(0), "user")).toContain("- @a/right@1.0.0: GPL-3.0-only");
  });
});

describe("the provider example", () => {
  const lines = (...values: readonly object[]): Reply =>
    answer(200, values.map((value) => `${JSON.stringify(value)}\n`).join(""), { "content-type": "application/x-ndjson" });
  const spoke = (content: string, more = {}): object => ({
    model: "qwen3:8b",
    message: { role: "assistant", content, ...more },
    done: false,
  });
  const done = {
    model: "qwen3:8b",
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 9,
    eval_count: 3,
  };

  async function session(script: ModelServerOptions["script"], model: string) {
    world = await openWorld({ script });
    const dir = EXAMPLES.find(({ name }) => name === "provider-ollama")?.dir ?? "";
    const env = { OLLAMA_URL: new URL(world.server.url).origin, OPENAI_BASE_URL: "", OPENAI_API_KEY: "", SMITH_MODEL: model };
    const runtime = await world.open({ pluginDirs: [dir], env });
    world.folder(world.project, { "note.txt": "six words\n" });
    return { ...(await openSession(runtime, { mode: "auto" })), server: world.server };
  }

  test("carries a turn with a tool call over the server's own protocol", async () => {
    const used = { function: { name: "read", arguments: { path: "note.txt" } } };
    const { turn, events, server } = await session(
      [lines(spoke("I "), spoke("look.", { tool_calls: [used] }), done), lines(spoke("", { thinking: "Hm." }), spoke("Two."), done)],
      "ollama/qwen3:8b",
    );
    expect(await turn("how many words?")).toBe("Two.");
    const [first, second] = server.requests;
    if (first === undefined || second === undefined) throw new Error("two requests were expected");
    expect(first).toMatchObject({
      method: "POST",
      path: "/api/chat",
      body: { model: "qwen3:8b", stream: true, options: { num_ctx: 32_768 } },
    });
    const [said, result] = messagesOf(second).slice(-2);
    expect(said).toEqual({ role: "assistant", content: "I look.", tool_calls: [used] });
    expect(result).toMatchObject({ role: "tool", tool_name: "read" });
    expect(lastOf(second, "tool")).toContain("six words");
    expect(events).toContainEqual(expect.objectContaining({ type: "run_end", usage: { inputTokens: 18, outputTokens: 6 } }));
  });

  test("finds a model by itself when there is only an address", async () => {
    const { turn, server } = await session(
      ({ path }) => (path === "/api/tags" ? answer(200, { models: [{ name: "qwen3:8b" }] }) : lines(spoke("Hello."), done)),
      "",
    );
    expect(await turn("hello")).toBe("Hello.");
    expect(server.all.map(({ path }) => path)).toEqual(["/api/tags", "/api/chat"]);
  });

  test("says how to get a model that is not there", async () => {
    const { turn } = await session(() => answer(404, { error: "model 'qwen3:8b' not found" }), "ollama/qwen3:8b");
    await expect(turn("hello")).rejects.toThrow("ollama pull qwen3:8b");
  });
});

describe("the policy example", () => {
  test("keeps a protected file, reminds once a turn, and counts changes of one response", async () => {
    const write = (path: string) => ({ name: "write", args: { path, content: "x\n" } });
    const { world: place, runtime } = await using(
      "policy-guard",
      { script: [calls([write("yarn.lock"), write("a.txt"), write("b.txt")]), call("write", write("c.txt").args), say("done")] },
      { pairs: ["guard.remind=Run the checks."] },
    );
    const { turn, event } = await openSession(runtime, { mode: "auto" });
    expect(await turn("write them")).toBe("done");
    const results = messagesOf(await place.server.request(2))
      .filter(({ role }) => role === "tool")
      .map(({ content }) => textOf(content));
    expect(results[0]).toContain("yarn.lock is protected by the pattern **/*.lock");
    // The writes of one response run side by side: whichever ends first is reminded.
    const reminded = results.map((text) => text.includes("[Run the checks.]"));
    expect(reminded.filter((isReminded) => isReminded)).toHaveLength(1);
    expect([reminded[0], reminded[3]]).toEqual([false, false]);
    expect(await event("status")).toMatchObject({
      item: { plugin: "example.guard", text: "1 turn · 3 changes · 1 denied", role: "warning" },
    });
  });

  test("cuts long old results of a request, and counts on when the session is opened again", async () => {
    const { world: place, runtime } = await using(
      "policy-guard",
      { script: [call("read", { path: "long.txt" }), call("read", { path: "short.txt" }), say("done"), say("more")] },
      { pairs: ["guard.trim-percent=5", "guard.keep-results=1", "guard.trim-units=1000"] },
    );
    place.folder(place.project, { "long.txt": "A line of some length.\n".repeat(1000), "short.txt": "short\n" });
    const { session, turn, event } = await openSession(runtime, { mode: "auto" });
    expect(await turn("read them")).toBe("done");
    const [, second, third] = place.server.requests;
    if (second === undefined || third === undefined) throw new Error("three requests were expected");
    expect(lastOf(second, "tool").length).toBeGreaterThan(20_000);
    const [long, short] = messagesOf(third).filter(({ role }) => role === "tool");
    expect(textOf(long?.["content"])).toMatch(/older result of read are left out; call it again when you need them\]$/u);
    expect(textOf(long?.["content"]).length).toBeLessThan(400);
    expect(textOf(short?.["content"])).toContain("short");
    expect(await event("status")).toMatchObject({ item: { text: "1 turn · 0 changes" } });
    const { id } = session;
    await session.close();
    const again = await runtime.open(id);
    if (!again.ok) throw new Error(again.error.what);
    const shown = new Promise<string>((resolve) => {
      again.value.observe((told) => {
        if (told.type === "status" && told.item.text.startsWith("2 ")) resolve(told.item.text);
      });
    });
    const receipt = await again.value.submit({ text: "more" });
    if (!receipt.ok) throw new Error(receipt.error.what);
    expect(await shown).toBe("2 turns · 0 changes");
  });
});

test("the theme example brings its themes and keys, and loads no code for them", async () => {
  const { runtime } = await using("theme-ember", { script: [] });
  const { themes, keys } = runtime.contributions();
  expect(themes.map(({ name, base }) => [name, base])).toEqual([
    ["ember", "dark"],
    ["ember-day", "light"],
  ]);
  expect(themes[0]?.styles["heading"]).toEqual({ fg: "#fe8019", bold: true });
  expect(keys.find(({ key }) => key === "ctrl+t")).toMatchObject({ command: "" });
  expect(keys).toHaveLength(6);
});
