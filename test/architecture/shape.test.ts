import ts from "typescript";
import { describe, expect, test } from "vitest";
import { diagnosticMakers } from "./diagnostic-codes.js";
import { folderComplaints, nameComplaints, sizeComplaints } from "./laws.js";
import rules from "./rules.json" with { type: "json" };
import { listFiles, parseSource, readSources, type SourceFile, walk } from "./source.js";

const host = readSources("src", "bin");
const everything = [...host, ...readSources("plugins", "docs/examples", "test")];

describe("sizes and names", () => {
  test("no file is longer than its stop or imports more than its stop", () => {
    expect(sizeComplaints(everything)).toEqual([]);
  });

  test("a folder holds at most 16 files", () => {
    expect(folderComplaints([...listFiles("src"), ...listFiles("bin"), ...listFiles("plugins"), ...listFiles("docs/examples")])).toEqual(
      [],
    );
  });

  test("files are named for the noun they own", () => {
    expect(nameComplaints(everything.map(({ path }) => path))).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    expect(sizeComplaints([parseSource("src/base/x.ts", "\n".repeat(401))])).toHaveLength(1);
    expect(folderComplaints(Array.from({ length: 17 }, (_, index) => `src/base/${index}.ts`))).toHaveLength(1);
    expect(nameComplaints(["src/base/fooBar.ts", "src/base/utils.ts", "src/tui/chrome/my_box.tsx"])).toHaveLength(3);
  });
});

describe("doors", () => {
  const folders = [...new Set(host.flatMap(({ path }) => /^(src\/[^/]+)\//u.exec(path)?.[1] ?? []))];

  test.each(folders)("%s has a door that says what it owns, promises and must never know", (folder) => {
    const door = host.find(({ path }) => path === `${folder}/index.ts`);
    const header = /^\/\*\*[\s\S]*?\*\//u.exec(door?.text ?? "")?.[0] ?? "";
    expect(header).toMatch(/Promises/u);
    expect(header).toMatch(/Must never know/u);
    expect(header).toMatch(/Read first/u);
    expect(header.split("\n").length).toBeLessThanOrEqual(10);
  });

  test.each(folders)("the door of %s only exports", (folder) => {
    const door = host.find(({ path }) => path === `${folder}/index.ts`);
    const others = (door?.tree.statements ?? []).filter((statement) => !ts.isExportDeclaration(statement));
    expect(others.map((statement) => statement.getText().slice(0, 80))).toEqual([]);
  });
});

describe("exports and the terminal", () => {
  test("nothing in the host is exported as default", () => {
    expect(host.filter(({ text }) => /^export default\b/mu.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("escape sequences are written in one place", () => {
    expect(host.filter((file) => !isIn(rules.escapes, file.path) && hasEscape(file)).map(({ path }) => path)).toEqual([]);
  });

  test("only the terminal and the program's own entry write to the streams", () => {
    const writers = host.filter((file) => writesToStreams(file)).map(({ path }) => path);
    expect(writers.filter((path) => !isIn([...rules.escapes, ...rules.ambient], path))).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    expect(hasEscape(parseSource("src/cli/x.ts", String.raw`const red = "\x1b[31m";`))).toBe(true);
    expect(hasEscape(parseSource("src/cli/x.ts", "const red = `\\u001b[${code}m`;"))).toBe(true);
    expect(hasEscape(parseSource("src/cli/x.ts", String.raw`const pattern = /\x1b\[/u;`))).toBe(false);
    expect(writesToStreams(parseSource("src/cli/x.ts", `process.stdout.write("x");`))).toBe(true);
  });
});

describe("diagnostics", () => {
  const makers = diagnosticMakers(host);

  test("each code has one maker", () => {
    const places = new Map<string, string[]>();
    for (const { code, path, line } of makers) places.set(code, [...(places.get(code) ?? []), `${path}:${line}`]);
    expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
  });

  test("each code is area.reason and its maker says what, why and next", () => {
    const wrong = makers.filter(({ code, missing }) => !/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/u.test(code) || missing.length > 0);
    expect(wrong.map(({ code, path, line, missing }) => ({ code, path, line, missing }))).toEqual([]);
  });

  test("a maker without an action is caught", () => {
    const [maker] = diagnosticMakers([parseSource("src/base/x.ts", `const x = diagnostic({ code: "a.b", what: "w", why: "y" });`)]);
    expect(maker?.missing).toEqual(["next"]);
  });
});

const isIn = (places: readonly string[], path: string): boolean =>
  places.some((place) => path === place || (place.endsWith("/") && path.startsWith(place)));

/** Strings only: a regular expression that recognises escapes is how they are kept out. */
function hasEscape(file: SourceFile): boolean {
  let found = false;
  walk(file.tree, (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
      found ||= node.text.includes("\u001b");
  });
  return found;
}

function writesToStreams(file: SourceFile): boolean {
  return /\b(process\.)?(stdout|stderr)\.write\(/u.test(file.text);
}
