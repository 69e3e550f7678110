import { afterEach, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import { createScripted, type Scripted } from "../support/scripted.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.quiet();
  await here?.close();
  here = undefined;
});

test("smith mcp-servers adds what can be used and nothing else, lists it, says why it fails, and takes it out", async () => {
  const place = await createScripted({ script: () => say("done") });
  here = place;
  const run = async (...words: readonly string[]) => await place.run(["mcp-servers", ...words]);
  const added = await run("add", "gone", "--", "/no/such/program", "--flag");
  expect([added.status, added.stderr]).toEqual([0, "smith: see what it has with: smith mcp-servers check gone\n"]);
  const refused = await run("add", "gone", "--url", "notaurl");
  expect([refused.status, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("config.mcp-server-not-added");
  expect((await run("list")).stdout).toMatch(/^gone +on +\/no\/such\/program --flag /u);
  const checked = await run("check", "gone");
  expect([checked.status, checked.stderr]).toEqual([1, ""]);
  expect(checked.stdout.split("\n")).toEqual([
    "gone: failed",
    "  The MCP server gone cannot be used.",
    "  The program /no/such/program was not found, or may not be executed.",
    "  (/no/such/program --flag)",
    "",
  ]);
  expect((await run("remove", "gone")).status).toBe(0);
  expect((await run("remove", "gone")).status).toBe(1);
  expect((await run("list")).stdout).toBe("");
});
