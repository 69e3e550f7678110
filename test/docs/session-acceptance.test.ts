import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const document = readFileSync(`${root}docs/reference/session-acceptance.md`, "utf8");

interface Row {
  readonly what: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const rows: readonly Row[] = document
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:---|What is asked)/u.test(line))
  .map((line) => {
    const [what = "", shown = ""] = line.slice(2, -2).split(/ (?<!\\)\| /u);
    const tests = shown.split("<br>").map((cell) => {
      const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/u.exec(cell) ?? [];
      return { file, title: title.replaceAll("\\|", "|") };
    });
    return { what, tests };
  });

const titlesOf = new Map<string, ReadonlySet<string>>();

/** Titles of all tests of a file, behind the title of their group. Templates and formats as they are written. */
function titlesIn(file: string): ReadonlySet<string> {
  const known = titlesOf.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(`${root}${file}`, "utf8"), ts.ScriptTarget.Latest, true);
  const titles = new Set<string>();
  const visit = (node: ts.Node, group: string): void => {
    const named = callNamed(node);
    if (named?.name === "test") titles.add(group === "" ? named.title : `${group} › ${named.title}`);
    const inside = named?.name === "describe" ? named.title : group;
    ts.forEachChild(node, (child) => {
      visit(child, inside);
    });
  };
  visit(source, "");
  titlesOf.set(file, titles);
  return titles;
}

/** `test("title", …)`, `test.each(…)("title", …)` and the same of `describe`. */
function callNamed(node: ts.Node): { readonly name: string; readonly title: string } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  let callee: ts.Expression = node.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  const [title] = node.arguments;
  if (!ts.isIdentifier(callee) || title === undefined) return undefined;
  if (ts.isStringLiteralLike(title)) return { name: callee.text, title: title.text };
  return ts.isTemplateExpression(title) ? { name: callee.text, title: title.getText().slice(1, -1) } : undefined;
}

test("every line on sessions names tests, and every test it names is there", () => {
  expect(rows.length).toBeGreaterThan(140);
  const missing = rows.flatMap(({ what, tests }) =>
    tests
      .filter(({ file, title }) => file === "" || !titlesIn(file).has(title))
      .map(({ file, title }) => `${what}: ${file === "" ? "no test" : `${file}: ${title}`}`),
  );
  expect(missing).toEqual([]);
});

test("no line is asked twice in one section", () => {
  const sections = document.split(/^## /mu).slice(1);
  for (const section of sections) {
    const lines = section.split("\n").filter((line) => line.startsWith("| "));
    expect(new Set(lines).size).toBe(lines.length);
  }
});
