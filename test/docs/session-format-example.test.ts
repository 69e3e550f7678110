import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderFormatExample } from "../../scripts/docs/format-example.js";

test("the byte-level example is what the store writes", async () => {
  const document = readFileSync(new URL("../../docs/reference/session-format-example.md", import.meta.url), "utf8");
  expect(await renderFormatExample()).toBe(document);
});
