import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { answer, call, type ModelServerOptions, say } from "../../support/model-server.js";
import { openSession, openWorld, type World } from "./runtime.js";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const made = async (options: ModelServerOptions): Promise<World> => (world = await openWorld(options));

/** A plugin of one handler, `body` being that of its function of `event`. */
const listener = (event: string, body: string): Readonly<Record<string, string>> => ({
  "manifest.kdl": `plugin "acme.listener" version="1.0.0" sdk=1 entry="main.js" {
  description "Listens"
  grants { ui "notify" }
  handler "${event}"
}
`,
  "main.js": `import { definePlugin } from "smith-agent/plugin";
export default definePlugin({ handlers: { "${event}": (event) => { ${body} } } });
`,
});

describe("a handler is told", () => {
  test("the real paths of the files a call changed, and of none where it changed none", async () => {
    const script = [call("write", { path: "src/a.txt", content: "x" }), call("read", { path: "src/a.txt" }), say("done")];
    const { folder, home, project, open } = await made({ script });
    const dir = folder(
      join(home, "listener"),
      listener("tool-settled", `return [{ type: "notify", text: event.touched.join() || "none" }];`),
    );
    const { turn, events } = await openSession(await open({ pluginDirs: [dir] }), { mode: "auto" });
    await turn("write it");
    const told = events.flatMap((event) => (event.type === "notice" && event.plugin === "acme.listener" ? [event.text] : []));
    expect(told).toEqual([join(project, "src/a.txt"), "none"]);
  });

  test("what the model's window holds, where its server says so; the status says it too", async () => {
    const modelsReply = answer(200, { data: [{ id: "big", context_length: 32_768 }] });
    const { folder, home, open } = await made({ script: [say("ok")], modelsReply });
    const dir = folder(
      join(home, "listener"),
      listener("request-prepared", `return [{ type: "notify", text: event.model.model + " " + event.contextLimit }];`),
    );
    const { turn, event, session } = await openSession(await open({ pluginDirs: [dir], env: { SMITH_MODEL: "" } }), { mode: "auto" });
    await turn("hello");
    expect(await event("notice")).toMatchObject({ plugin: "acme.listener", text: "big 32768" });
    expect(session.status()).toMatchObject({ model: { model: "big" }, contextLimit: 32_768 });
  });
});

describe("a handler that may write files", () => {
  test.each([
    ["auto", "written"],
    ["read-only", "grant.denied"],
    ["plan", "grant.denied"],
  ] as const)("in mode %s: %s", async (mode, expected) => {
    const { folder, home, open } = await made({ script: [say("ok")] });
    const parts = listener("turn-started", "");
    const dir = folder(join(home, "listener"), {
      "manifest.kdl": (parts["manifest.kdl"] ?? "").replace("grants {", 'grants { fs write="workspace";'),
      "main.js": `import { definePlugin } from "smith-agent/plugin";
export default definePlugin({ handlers: { "turn-started": async (event, context) => {
  const text = await context.fs.write({ path: "by-itself.txt", content: "x" }).then(() => "written", ({ code }) => code);
  return [{ type: "notify", text }];
} } });
`,
    });
    const { turn, event } = await openSession(await open({ pluginDirs: [dir] }), { mode });
    await turn("hello");
    expect(await event("notice")).toMatchObject({ plugin: "acme.listener", text: expected });
  });
});

describe("input that a plugin takes back", () => {
  test("has its end: who waits for its receipt hears of it", async () => {
    const { folder, home, open, server } = await made({ script: () => ({ ...say("ok"), hold: server.gate("answer") }) });
    const body = `return event.queue.map(({ submission }) => ({ type: "withdraw", submission }));`;
    const dir = folder(join(home, "listener"), listener("queue-due", body));
    const { session } = await openSession(await open({ pluginDirs: [dir] }), { mode: "auto" });
    const first = await session.submit({ text: "first" });
    await server.request(0);
    const second = await session.submit({ text: "second", delivery: "steer" });
    if (!first.ok || !second.ok) throw new Error("not admitted");
    server.open("answer");
    expect(await second.value.settled).toEqual({ status: "aborted", reason: "abort", reply: "" });
    expect(await first.value.settled).toMatchObject({ status: "ok", reply: "ok" });
    expect(server.requests).toHaveLength(1);
    expect(await session.receipt(second.value.submission)).toMatchObject({
      ok: true,
      value: { state: "settled", end: { status: "aborted" } },
    });
    expect(session.status().queue).toEqual([]);
  });
});
