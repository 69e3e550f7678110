import { describe, expect, test } from "vitest";
import { createOverlay } from "../../../src/runtime/session/plugins/overlay.js";
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

describe("what is set for a run", () => {
  test("tools that were disabled are not offered until they are enabled again", () => {
    const overlay = createOverlay({ chosen: undefined });
    expect(overlay.offered(tools)).toBeUndefined();
    overlay.setTools({ type: "set-tools", disable: ["shell", "edit"] });
    expect(overlay.offered(tools)).toEqual(["read"]);
    overlay.setTools({ type: "set-tools", enable: ["edit"] });
    expect(overlay.offered(tools)).toEqual(["edit", "read"]);
  });

  test("no plugin offers what a person left out", () => {
    const overlay = createOverlay({ chosen: ["read"] });
    overlay.setTools({ type: "set-tools", enable: ["shell"], disable: ["edit"] });
    expect(overlay.offered(tools)).toEqual(["read"]);
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
