import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PluginHostOptions } from "../../../src/plugin/index.js";
import type { UiIntentType } from "../../../src/schema/index.js";
import { openStage, type Stage } from "../stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const GRANTS = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  secrets: [],
  mcp: [],
  agent: false,
};

async function hostOf(code: string, ui: readonly UiIntentType[] = ["notify", "status", "progress"]) {
  const said: unknown[] = [];
  const more: Partial<PluginHostOptions> = {
    onNotify: (notice, speaker) => said.push(["notify", notice, speaker]),
    onStatus: (item, speaker) => said.push(["status", item, speaker]),
    onProgress: (text, speaker) => said.push(["progress", text, speaker]),
  };
  const source = `const run = async (input, ctx) => { ${code} };
export default { commands: { run }, tools: { run: async (input, ctx) => { await run(input, ctx); return { text: "", isError: false }; } } };`;
  const made = await stage.host({ trees: { a: { "main.js": source } }, manifests: { a: { grants: { ...GRANTS, ui } } }, more });
  return { ...made, said };
}

describe("what a plugin says to people", () => {
  test("reaches whoever shows it, with who says it", async () => {
    const { command, said } = await hostOf(
      `ctx.ui.notify("done", "success"); ctx.ui.status("k", "3 left", "muted"); ctx.ui.progress("half");`,
    );
    await command("a");
    const speaker = { plugin: "a", cause: "invocation" };
    expect(said).toEqual([
      ["notify", { text: "done", role: "success" }, speaker],
      ["status", { plugin: "a", key: "k", text: "3 left", role: "muted" }, speaker],
      ["progress", "half", speaker],
    ]);
  });

  test("as progress of a tool goes to whoever called it", async () => {
    const { run, said } = await hostOf(`ctx.ui.progress("half");`);
    const seen: string[] = [];
    await run("a", {}, { onProgress: (text) => seen.push(text) });
    expect([seen, said]).toEqual([["half"], []]);
  });

  test("is text without control characters, of bounded length", async () => {
    const { command, said } = await hostOf(
      `ctx.ui.notify("a\\u001b[2Jb\\u202ec\\nd"); ctx.ui.status("k\\u0007", "x\\n".repeat(100)); ctx.ui.notify("y".repeat(100000));`,
    );
    await command("a");
    expect(said.map((one) => (one as readonly unknown[]).slice(0, 2))).toMatchObject([
      ["notify", { text: "a\ufffd[2Jb\ufffdc\nd" }],
      ["status", { key: "k\ufffd", text: `${"x ".repeat(29)}x…` }],
      ["notify", { text: expect.stringMatching(/^y{4000,}…?$/u) as string }],
    ]);
  });

  test("without the grant is not shown, and told once", async () => {
    const { command, said, diagnostics } = await hostOf(`for (let i = 0; i < 5; i++) { ctx.ui.notify("x"); ctx.ui.status("k", "x"); }`, [
      "status",
    ]);
    await command("a");
    expect(said.map((one) => (one as readonly string[])[0])).toEqual(Array(5).fill("status"));
    expect(diagnostics).toMatchObject([{ code: "plugin.emit-refused", what: expect.stringContaining(`no grant ui "notify"`) as string }]);
  });

  test("in the wrong shape is not shown, and told once", async () => {
    const { command, said, diagnostics } = await hostOf(
      `ctx.ui.notify("x", "blink"); ctx.ui.notify("x", "blink"); ctx.ui.notify("x", { evil: 1 });`,
    );
    await command("a");
    expect(said).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["plugin.emit-refused"]);
  });

  test("has four places in the status line, which it can give back", async () => {
    const { command, said, diagnostics } = await hostOf(
      `for (const key of ["a", "b", "c", "d", "e"]) ctx.ui.status(key, key); ctx.ui.status("b", ""); ctx.ui.status("e", "e"); ctx.ui.status("a", "again");`,
    );
    await command("a");
    expect(said.map((one) => (one as readonly { readonly key: string }[])[1]?.key)).toEqual(["a", "b", "c", "d", "b", "e", "a"]);
    expect(diagnostics).toMatchObject([{ what: expect.stringContaining("4 items already") as string }]);
  });

  test("in a flood is cut off, not waited for", async () => {
    const { command, said } = await hostOf(`for (let i = 0; i < 20000; i++) ctx.ui.notify("x"); return [];`);
    expect(await command("a")).toEqual({ ok: true, value: [] });
    expect(said.length).toBeLessThanOrEqual(200);
    expect(said.length).toBeGreaterThanOrEqual(100);
  });
});
