import { describe, expect, test } from "vitest";
import { renderSdkReference } from "../../scripts/docs/sdk.js";
import { parseSource, readSources, type SourceFile } from "../architecture/source.js";

const real = readSources("src/plugin", "src/schema");

/** The sources with one of them replaced. */
const withFile = (path: string, text: string): readonly SourceFile[] =>
  real.map((source) => (source.path === path ? parseSource(path, text) : source));

describe("the reference of the plugin SDK", () => {
  test("holds every declaration that authors can import, with its words and its code", () => {
    const text = renderSdkReference(real);
    for (const name of ["definePlugin", "PluginContext", "Provider", "SdkOperations", "LifecycleEvent", "Action", "RenderNode", "test"])
      expect(text).toContain(`\n### ${name}\n\n`);
    expect(text).toContain("function definePlugin(plugin: Plugin): Plugin;");
    expect(text).not.toMatch(/^export /mu);
  });

  test.each([
    ["an exported type", "src/schema/ui.ts", "export type Bare = string;\n", "src/schema/ui.ts Bare"],
    ["an exported function", "src/schema/ui.ts", "export function bare(): void {}\n", "src/schema/ui.ts bare"],
    [
      "a variant",
      "src/schema/action.ts",
      "/** Told. */\nexport type Action =\n  /** Told. */\n  | { a: 1 }\n  | { b: 2 };\n",
      "Action: { b: 2 }",
    ],
    [
      "a member",
      "src/schema/sdk/table.ts",
      "/** Told. */\nexport interface SdkOperations {\n  /** Told. */\n  a: 1;\n  b: 2;\n}\n",
      "SdkOperations: b",
    ],
  ])("%s without a description fails it, with its name", (_what, path, text, named) => {
    expect(() => renderSdkReference(withFile(path, text))).toThrow(named);
  });

  test("of a function nothing of its body is shown, of a docstring no mark", () => {
    const text = renderSdkReference(
      withFile("src/schema/ui.ts", "/**\n * Adds {@link One}.\n */\nexport function add(a: number): number {\n  return a + 1;\n}\n"),
    );
    expect(text).toContain("### add\n\nAdds `One`.\n\n```ts\nfunction add(a: number): number;\n```");
  });
});
