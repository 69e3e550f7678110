import { describe, expect, test } from "vitest";
import { createOverlay, type OfferFacts, type Overlay } from "../../../src/runtime/session/plugins/overlay.js";
import type { ToolDefinition } from "../../../src/schema/index.js";

const tools = ["edit", "read", "shell"].map((name): ToolDefinition => ({
  name,
  plugin: "p",
  description: "",
  parameters: {},
  readOnly: false,
  timeoutMs: 1,
  summaryKeys: [],
}));

const FACTS = { trained: [], hasProgram: () => true, hasResource: () => false };
const namesOf = (overlay: Overlay, all = tools, facts: OfferFacts = FACTS): readonly string[] | undefined =>
  overlay.offered(all, facts).names;

describe("what is set for a run", () => {
  test("tools that were disabled are not offered until they are enabled again", () => {
    const overlay = createOverlay({ chosen: undefined });
    expect(namesOf(overlay)).toBeUndefined();
    overlay.setTools({ type: "set-tools", disable: ["shell", "edit"] });
    expect(namesOf(overlay)).toEqual(["read"]);
    overlay.setTools({ type: "set-tools", enable: ["edit"] });
    expect(namesOf(overlay)).toEqual(["edit", "read"]);
  });

  test("no plugin offers what a person left out", () => {
    const overlay = createOverlay({ chosen: ["read"] });
    overlay.setTools({ type: "set-tools", enable: ["shell"], disable: ["edit"] });
    expect(namesOf(overlay)).toEqual(["read"]);
  });

  test("tools that wait to be found are offered once they were, and the finder as long as any waits", () => {
    const [first, second] = tools.map((tool) => ({ ...tool, name: `rare-${tool.name}`, offer: "search" as const }));
    if (first === undefined || second === undefined) throw new Error("two tools");
    const all = [...tools, first, second, { ...first, name: "finder", offer: "finder" as const }];
    const overlay = createOverlay({ chosen: undefined });
    expect(namesOf(overlay, all)).toEqual(["edit", "read", "shell", "finder"]);
    expect(overlay.offered(all, FACTS).hidden.get("rare-edit")).toBe("It is offered once finder has named it.");
    overlay.setTools({ type: "set-tools", enable: ["rare-edit"] });
    expect(namesOf(overlay, all)).toEqual(["edit", "read", "shell", "rare-edit", "finder"]);
    expect(overlay.searchable(all, FACTS).map(({ name, offered }) => [name, offered])).toEqual([
      ["rare-edit", true],
      ["rare-read", false],
    ]);
    overlay.setTools({ type: "set-tools", enable: ["rare-read"] });
    expect(namesOf(overlay, all)).toEqual(["edit", "read", "shell", "rare-edit", "rare-read"]);
  });

  test("what a person named is offered without a search, and needs its program all the same", () => {
    const [rare, other] = tools;
    if (rare === undefined || other === undefined) throw new Error("two tools");
    const all = [
      { ...rare, offer: "search" as const },
      { ...other, program: "nu" },
    ];
    const overlay = createOverlay({ chosen: ["edit", "read"] });
    const offered = overlay.offered(all, { ...FACTS, hasProgram: () => false });
    expect(offered.names).toEqual(["edit"]);
    expect(offered.hidden.get("read")).toBe("It needs the program nu, which is not on the PATH of this machine.");
    expect(overlay.searchable(all, FACTS)).toEqual([]);
  });

  test("a search is told of what lacks its program, and where that comes from", () => {
    const [first, second] = tools.map((tool) => ({ ...tool, offer: "search" as const, program: "nu" }));
    if (first === undefined || second === undefined) throw new Error("two tools");
    const all = [first, { ...second, programFrom: "a package" }];
    const overlay = createOverlay({ chosen: undefined });
    overlay.setTools({ type: "set-tools", enable: ["edit"] });
    const lacks = "It needs the program nu, which is not on the PATH of this machine.";
    expect(overlay.searchable(all, { hasProgram: () => false }).map(({ name, offered, lacks: why }) => [name, offered, why])).toEqual([
      ["edit", false, lacks],
      ["read", false, `${lacks} It comes with a package.`],
    ]);
    expect(overlay.searchable(all, FACTS).map(({ offered, lacks: why }) => [offered, why])).toEqual([
      [true, undefined],
      [false, undefined],
    ]);
  });

  test("a tool for collected files is offered where there are some", () => {
    const all = tools.map((tool) => (tool.name === "edit" ? { ...tool, resources: ["skill"] } : tool));
    const overlay = createOverlay({ chosen: undefined });
    expect(namesOf(overlay, all)).toEqual(["read", "shell"]);
    expect(namesOf(overlay, all, { ...FACTS, hasResource: (kind) => kind === "skill" })).toBeUndefined();
  });

  test("a tool for trained models is offered to those alone", () => {
    const all = tools.map((tool) => (tool.name === "edit" ? { ...tool, offer: "trained" as const } : tool));
    const overlay = createOverlay({ chosen: undefined });
    expect(namesOf(overlay, all)).toEqual(["read", "shell"]);
    expect(namesOf(overlay, all, { ...FACTS, trained: ["edit"] })).toBeUndefined();
  });

  test("a section is its plugin's own, replaced by its name and taken away by an empty text", () => {
    const overlay = createOverlay({ chosen: undefined });
    overlay.setPrompt("a", { type: "set-prompt", section: "goal", text: "one", order: 3 });
    overlay.setPrompt("b", { type: "set-prompt", section: "goal", text: "two" });
    overlay.setPrompt("a", { type: "set-prompt", section: "goal", text: "three", order: 3 });
    expect(overlay.sections().map(({ plugin, name, text }) => [plugin, name, text])).toEqual([
      ["a", "goal", "three"],
      ["b", "goal", "two"],
    ]);
    overlay.setPrompt("b", { type: "set-prompt", section: "goal", text: " \n" });
    expect(overlay.sections()).toHaveLength(1);
  });

  test("every change has another revision, so that a prompt is made anew only when it may differ", () => {
    const overlay = createOverlay({ chosen: undefined });
    const seen = [overlay.revision];
    overlay.setPrompt("a", { type: "set-prompt", section: "s", text: "t" });
    seen.push(overlay.revision);
    overlay.setTools({ type: "set-tools", disable: ["x"] });
    seen.push(overlay.revision);
    expect(new Set(seen).size).toBe(3);
  });
});
