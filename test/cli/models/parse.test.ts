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
    ["models list", { type: "models list", words: "", all: false, json: false }],
    ["models list claude opus --all --json", { words: "claude opus", all: true, json: true }],
    ["models show", { type: "models show", selection: undefined, json: false }],
    ["models show claude opus --json", { selection: "claude opus", json: true }],
    ["models use opus:high", { type: "models use", selection: "opus:high" }],
    ["models use -- --odd", { selection: "--odd" }],
    ["models refresh", { type: "models refresh", names: [], json: false }],
    ["models refresh a b --json", { names: ["a", "b"], json: true }],
    ["models list --config models.discovery=false", { common: { pairs: ["models.discovery=false"] } }],
    ["models", { code: "usage.missing-command", exit: 2 }],
    ["models use", { code: "usage.missing-argument", exit: 2 }],
    ["models lst", { code: "usage.unknown-command", exit: 2 }],
    ["models refresh --all", { code: "usage.unknown-flag", exit: 2 }],
    ["models use x --json", { code: "usage.unknown-flag", exit: 2 }],
  ])("%s", (line, meaning) => {
    expect(parse(line)).toMatchObject(meaning);
  });
});
