import { describe, expect, test } from "vitest";
import { toInvocation } from "../../../src/cli/invocation.js";
import { parseLine } from "../../../src/cli/program.js";

function parse(line: string): object {
  const parsed = parseLine(line.split(" "), 100);
  if (!parsed.ok) return parsed.error;
  if (parsed.value.type !== "command") return { help: true };
  const meant = toInvocation(parsed.value);
  return meant.ok ? meant.value : meant.error;
}

describe("what lines mean", () => {
  test.each<[string, object]>([
    ["plugins list", { type: "plugins list", json: false }],
    ["plugins list --json --plugin a --plugin b", { json: true, common: { plugins: ["a", "b"], watch: false } }],
    ["--plugin a plugins list", { common: { plugins: ["a"] } }],
    ["plugins list --trust --cwd /x", { common: { trusted: true, cwd: "/x" } }],
    ["plugins info acme.lint", { type: "plugins info", id: "acme.lint" }],
    ["plugins install a npm:b@1.0.0 -y", { type: "plugins install", specs: ["a", "npm:b@1.0.0"], yes: true }],
    ["plugins remove acme.lint --yes", { type: "plugins remove", id: "acme.lint", yes: true }],
    ["plugins enable acme.lint", { type: "plugins enable", id: "acme.lint" }],
    ["plugins disable acme.lint", { type: "plugins disable", id: "acme.lint" }],
    ["plugins trust", { type: "plugins trust", what: { type: "project" }, yes: false }],
    ["plugins trust acme.lint", { what: { type: "plugin", id: "acme.lint" } }],
    ["plugins trust --revoke", { what: { type: "revoke" } }],
    ["plugins check", { type: "plugins check", dir: "" }],
    ["plugins check a", { dir: "a" }],
    ["plugins new a", { type: "plugins new", dir: "a", kind: "tool", id: undefined }],
    ["plugins new a --kind theme --id acme.dark", { kind: "theme", id: "acme.dark" }],
    ["--plugin a --watch do it", { type: "interactive", prompt: "do it", common: { plugins: ["a"], watch: true } }],
    ["eval --plugin a do it", { type: "eval", common: { plugins: ["a"], watch: false } }],
  ])("%s", (line, meaning) => {
    expect(parse(line)).toMatchObject(meaning);
  });
});

describe("what is refused with status 2", () => {
  test.each([
    ["plugins", "usage.missing-command", "smith plugins check"],
    ["plugins lst", "usage.unknown-command", "Did you mean smith plugins list?"],
    ["plugins info", "usage.missing-argument", "smith plugins info --help"],
    ["plugins install", "usage.missing-argument", "smith plugins install --help"],
    ["plugins info a b", "usage.too-many-arguments", "smith plugins info --help"],
    ["plugins new a --kind agent", "usage.bad-choice", "tool, command, policy, provider, theme"],
    ["plugins trust acme.lint --revoke", "usage.revoke-takes-no-id", "smith plugins disable acme.lint"],
    ["plugins list --yes", "usage.unknown-flag", "smith plugins list --help"],
    ["--watch", "usage.watch-needs-plugin", "smith --plugin DIR --watch"],
    ["eval --watch do it", "usage.misplaced-flag", "smith eval --help"],
    ["--watch eval do it", "usage.misplaced-flag", "smith eval --help"],
    ["--model x plugins list", "usage.misplaced-flag", "smith plugins list --help"],
    ["eval --plugin", "usage.missing-value", "smith eval --help"],
  ])("%s", (line, code, next) => {
    const refused = parse(line);
    expect(refused).toMatchObject({ code, exit: 2 });
    expect((refused as { next: string }).next).toContain(next);
  });
});
