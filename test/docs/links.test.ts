import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => join("docs", name))
  .filter((name) => name.endsWith(".md"));

/** Targets of the links to files in a document, relative to the repository. */
function linkedFiles(document: string): readonly string[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/gu)]
    .map(([, target]) => target ?? "")
    .filter((target) => !/^[a-z]+:/u.test(target))
    .map((target) => normalize(join(dirname(document), target)));
}

test.each(["README.md", "CONTRIBUTING.md", ...inDocs])("every link in %s leads to a file", (document) => {
  expect(linkedFiles(document).filter((target) => !existsSync(join(root, target)))).toEqual([]);
});

test("the index leads to every document", () => {
  const linked = new Set(linkedFiles("docs/index.md"));
  // What lies beside the README of an example is a part of the plugin, such as the words of a tool.
  const isPart = (name: string): boolean => name.startsWith("docs/examples/") && !name.endsWith("/README.md");
  expect(inDocs.filter((name) => name !== "docs/index.md" && !isPart(name) && !linked.has(name))).toEqual([]);
});
