import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile, plugin, told } from "./stage.js";

const reference = readFileSync(new URL("../../../docs/reference/plugin-manifest.md", import.meta.url), "utf8");
const blocks = [...reference.matchAll(/```kdl\n([\s\S]*?)```/gu)].map(([, text = ""]) => text);

/** The words a node takes, as the compiler lists them when it meets one it does not know. */
async function wordsOf(text: string): Promise<readonly string[]> {
  const problem = (await told(text)).find((found) => found.includes(`has no "nope"`)) ?? "";
  return (/Known here: (.*?)\. \| /u.exec(problem)?.[1] ?? "").split(", ");
}

describe("the manifest reference", () => {
  test("its example compiles, and has every node", async () => {
    expect(blocks).toHaveLength(1);
    const [example = ""] = blocks;
    expect(await told(example)).toEqual([]);
    const result = await compile(example);
    const empty = result.ok ? Object.entries(result.value).filter(([, value]) => Array.isArray(value) && value.length === 0) : [];
    // A plugin that lints has no reason to be a provider.
    expect(empty.map(([name]) => name)).toEqual(["providers"]);
  });

  test.each([
    ["plugin", plugin(`  nope`)],
    ["grants", plugin(`  grants { nope; }`)],
    ["fs", plugin(`  grants { fs nope=1; }`)],
    ["process", plugin(`  grants { process "x" nope=1; }`)],
    ["net", plugin(`  grants { net "*" nope=1; }`)],
    ["ui", plugin(`  grants { ui "nope"; }`)],
    ["tool's properties", plugin(`  tool "t" nope=1 { description "d"; }`)],
    ["tool's children", plugin(`  tool "t" { description "d"; nope; }`)],
    ["arg", plugin(`  tool "t" { description "d"; arg "a" type="string" nope=1; }`)],
    ["type of arg", plugin(`  tool "t" { description "d"; arg "a" type="nope"; }`)],
    ["tool-set", plugin(`  tool-set "t" nope=1`)],
    ["command", plugin(`  command "c" nope=1`)],
    ["provider", plugin(`  provider "p" title="P" { nope; }`)],
    ["connection", plugin(`  provider "p" title="P" { connection "c" nope=1; }`)],
    ["oauth", plugin(`  provider "p" title="P" { oauth nope=1; }`)],
    ["prompt", plugin(`  prompt "p" "t" nope=1`)],
    ["resource's properties", plugin(`  resource "r" nope=1`)],
    ["resource's children", plugin(`  resource "r" { nope; }`)],
    ["format of resource", plugin(`  resource "r" format="nope"`)],
    ["from", plugin(`  resource "r" { from "nope" path="x"; }`)],
    ["theme", plugin(`  theme "t" nope=1`)],
    ["style", plugin(`  theme "t" { style "s" nope=1; }`)],
    ["key", plugin(`  key "f5" nope=1`)],
    ["config", plugin(`  config { nope; }`)],
    ["option", plugin(`  config { option "a.b" nope=1; }`)],
    ["type of option", plugin(`  config { option "a.b" type="nope"; }`)],
    ["handler", plugin(`  handler "idle" nope=1`)],
    ["events", plugin(`  handler "nope"`)],
    ["state", plugin(`  state "s" nope=1`)],
    ["scope of state", plugin(`  state "s" scope="nope"`)],
    ["fork of state", plugin(`  state "s" scope="user" fork="nope"`)],
  ])("tells every word of %s", async (_name, text) => {
    const words = await wordsOf(text);
    expect(words.join()).not.toBe("");
    const missing = words
      .map((word) => word.replace(/\[\]$/u, ""))
      .filter((word) => !new RegExp(`[\`\\s"]${word}[\`\\s"=]`, "u").test(reference));
    expect(missing).toEqual([]);
  });
});
