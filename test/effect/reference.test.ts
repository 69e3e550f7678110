import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SDK_OPERATIONS } from "../../src/schema/index.js";

const page = readFileSync(new URL("../../docs/reference/operations.md", import.meta.url), "utf8");
const sections = new Map(page.split(/^## /mu).map((section) => [/^`([^`]+)`/u.exec(section)?.[1] ?? "", section]));

describe("the reference of operations", () => {
  test.each(Object.entries(SDK_OPERATIONS))("%s has a section that says input, output, bounds and grant", (op, { changes }) => {
    const section = sections.get(op) ?? "";
    for (const word of ["Input", "Output", "Bounds", "Grant"]) expect(section).toContain(`- **${word}** `);
    // What may change something says what is known afterwards; files are all or nothing.
    if (changes && !op.startsWith("fs.")) expect(section).toContain("- **Outcome** ");
  });

  test("has no section of an operation that is not there", () => {
    expect([...sections.keys()].filter((op) => op !== "" && !Object.hasOwn(SDK_OPERATIONS, op))).toEqual([]);
  });
});
