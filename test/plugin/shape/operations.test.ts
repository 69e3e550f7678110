import { describe, expect, test } from "vitest";
import { OPERATION_INPUTS, readShape } from "../../../src/plugin/shape/index.js";
import { SDK_OPERATIONS, type SdkOperation } from "../../../src/schema/index.js";

const wordsOf = (operation: SdkOperation, input: unknown): string => {
  const result = readShape<unknown>(OPERATION_INPUTS[operation], input, "input");
  return result.ok ? "accepted" : result.error;
};

describe("inputs of host operations", () => {
  test("are read for every operation there is", () => {
    expect(Object.keys(OPERATION_INPUTS).sort()).toEqual(Object.keys(SDK_OPERATIONS).sort());
  });

  test.each<[SdkOperation, unknown]>([
    ["fs.stat", { path: "x" }],
    ["process.run", { command: "ls", cwd: ".", timeoutMs: 5, env: { A: "b" }, stdin: "x" }],
    ["process.run", { program: "git", args: ["status"], env: {} }],
    ["net.fetch", { url: "https://x", method: "POST", headers: { a: "{secret:B}" }, body: "", timeoutMs: 1, maxBytes: 1, as: "base64" }],
    ["evaluate.run", { source: "return 1", input: { a: [null] }, timeoutMs: 5 }],
    ["vcs.status", {}],
    ["vcs.diff", { path: "src" }],
    ["state.get", { key: "k" }],
    ["state.put", { key: "k", value: [1, { a: "b" }] }],
    ["state.delete", { key: "k" }],
    ["ui.ask", { text: "Name?", placeholder: "x", initial: "a\nb", multiline: true }],
    ["ui.choose", { text: "Which?", options: [{ value: "a", label: "A", hint: "first" }], many: true }],
    ["ui.confirm", { text: "Sure?", yes: "Do it", no: "No" }],
    ["resource.read", { kind: "skill", name: "x", path: "more.md" }],
    ["secrets.keep", { name: "token", value: "x" }],
    ["clock.sleep", { ms: 0 }],
    ["clock.now", {}],
    ["entropy.bytes", { count: 16 }],
    ["text.diff", { before: "a", after: "b", path: "x" }],
  ])("%s takes %j as it is", (operation, input) => {
    expect(readShape<unknown>(OPERATION_INPUTS[operation], input, "input")).toEqual({ ok: true, value: input });
  });

  test.each<[SdkOperation, unknown, string]>([
    ["process.run", { program: "git", command: "git" }, "input.command must be absent"],
    ["process.run", { args: [] }, "input.args must be absent"],
    ["process.run", { program: "git", args: [1] }, "input.args[0] must be a string"],
    ["process.run", { command: "x", env: { a: 1 } }, "input.env.a must be a string"],
    ["net.fetch", { url: "x", as: "blob" }, "input.as must be one of text, base64"],
    ["net.fetch", { url: "x", headers: JSON.parse(`{"__proto__": "x"}`) as unknown }, "__proto__"],
    ["state.get", { key: "k", scope: "user" }, "input.scope must be absent"],
    ["state.put", { key: "k" }, "input.value must be present"],
    ["ui.ask", { text: "x".repeat(5_000) }, "input.text must be at most 4096 characters long"],
    ["ui.choose", { text: "x", options: [] }, "input.options must be an array of 1 to 200 items"],
    ["ui.choose", { text: "x", options: [{ value: "a" }] }, "input.options[0].label must be present"],
    ["clock.sleep", { ms: -1 }, "input.ms must be a whole number of at least 0"],
    ["clock.sleep", { ms: 1.5 }, "input.ms must be a whole number of at least 0"],
    ["clock.now", { zone: "x" }, "input.zone must be absent"],
    ["entropy.bytes", { count: "8" }, "input.count must be a whole number"],
    ["evaluate.run", { source: 1 }, "input.source must be a string"],
    ["resource.read", { kind: "skill" }, "input.name must be present"],
  ])("%s refuses %j", (operation, input, words) => {
    expect(wordsOf(operation, input)).toContain(words);
  });

  test("questions hold no control characters", () => {
    const evil = "a\u001bb\u202ec";
    const given = { text: evil, options: [{ value: evil, label: evil, hint: evil }] };
    const clean = "a\ufffdb\ufffdc";
    // What comes back is the plugin's own word: it is never shown.
    expect(readShape<unknown>(OPERATION_INPUTS["ui.choose"], given, "input")).toEqual({
      ok: true,
      value: { text: clean, options: [{ value: evil, label: clean, hint: clean }] },
    });
  });
});
