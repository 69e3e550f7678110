import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const sources = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/u.test(path))
    .map((path) => join(folder, path));

const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0] ?? name;

/** A package in CommonJS gives its names under `default` alone once it is bundled. */
function isModule(name: string): boolean {
  const text = readFileSync(join(ROOT, "node_modules", packageOf(name), "package.json"), "utf8");
  const { type, exports } = JSON.parse(text) as { readonly type?: string; readonly exports?: unknown };
  return type === "module" || JSON.stringify(exports ?? "").includes('"import"');
}

/** Each pattern that a package imported late is taken apart with, by the name of the package. */
function takenApart(text: string): readonly (readonly [pattern: string, name: string])[] {
  return text.split("\n").flatMap((line) => {
    const patterns = [...line.matchAll(/\{([^{}]*)\}(?=.*=)/gu)].map((found) => found[1] ?? "");
    const names = [...line.matchAll(/import\("([^"]+)"\)/gu)].map((found) => found[1] ?? "");
    return names.flatMap((name, at) => (patterns[at] === undefined || /^(?:\.|node:)/u.test(name) ? [] : [[patterns[at], name] as const]));
  });
}

test("of a package in CommonJS that is imported late only the default is taken: a bundle has nothing else", () => {
  const all = ["src", "bin"].flatMap(sources).flatMap((path) => takenApart(readFileSync(join(ROOT, path), "utf8")));
  expect(all.map(([, name]) => name)).toContain("https-proxy-agent");
  expect(all.filter(([pattern, name]) => !isModule(name) && !/^\s*default\s*:/u.test(pattern))).toEqual([]);
});
