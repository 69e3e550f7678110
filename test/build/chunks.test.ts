import { expect, test } from "vitest";
import { script } from "./scripts.js";

interface Meta {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>>;
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>>;
}

const { gather } = await script<{ gather: (meta: Meta, root: string) => ReadonlyMap<string, readonly string[]> }>("chunks");

/** Modules by name: what each imports at once, and when it gets there. */
function meta(
  modules: Readonly<Record<string, { readonly now?: readonly string[]; readonly later?: readonly string[]; readonly bytes?: number }>>,
): Meta {
  const kinds = (paths: readonly string[], kind: string) => paths.map((path) => ({ path, kind }));
  const inputs = Object.entries(modules).map(([path, { now = [], later = [] }]) => {
    const imports = [...kinds(now, "import-statement"), ...kinds(later, "dynamic-import")];
    return [path, { imports }] as const;
  });
  const sizes = Object.entries(modules).map(([path, { bytes = 10_000 }]) => [path, { bytesInOutput: bytes }] as const);
  return { inputs: Object.fromEntries(inputs), outputs: { all: { inputs: Object.fromEntries(sizes) } } };
}

const gathered = (given: Meta, entry: string): readonly string[] => [...(gather(given, "src/root.ts").get(entry) ?? [])].sort();

test("what is only reached after another has all of that one's modules, but not itself", () => {
  const given = meta({
    "src/root.ts": { now: ["src/main.ts"], later: ["src/run.ts"] },
    "src/main.ts": {},
    "src/run.ts": { now: ["src/shared.ts", "src/own.ts"], later: ["src/rare.ts"] },
    "src/rare.ts": { now: ["src/shared.ts"] },
    "src/shared.ts": {},
    "src/own.ts": {},
  });
  expect(gathered(given, "src/rare.ts")).toEqual(["src/main.ts", "src/own.ts", "src/shared.ts"]);
  expect(gathered(given, "src/run.ts")).toEqual(["src/main.ts"]);
});

test("what can be reached in two ways has what both have", () => {
  const given = meta({
    "src/root.ts": { later: ["src/start.ts"] },
    "src/start.ts": { now: ["src/base.ts"], later: ["src/a.ts", "src/b.ts"] },
    "src/a.ts": { now: ["src/only-a.ts"], later: ["src/end.ts"] },
    "src/b.ts": { later: ["src/end.ts"] },
    "src/end.ts": {},
    "src/base.ts": {},
    "src/only-a.ts": {},
  });
  expect(gathered(given, "src/end.ts")).toEqual(["src/base.ts"]);
});

const twoUsers = (bytes: number): Meta =>
  meta({
    "src/root.ts": { later: ["src/start.ts"] },
    "src/start.ts": { later: ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"] },
    "src/a.ts": { now: ["src/both.ts"] },
    "src/b.ts": { now: ["src/both.ts"] },
    "src/c.ts": {},
    "src/d.ts": {},
    "src/both.ts": { bytes },
  });

test("a small module of several goes with the one that is there before them; a large one has a chunk of its own", () => {
  expect(gathered(twoUsers(500), "src/start.ts")).toEqual(["src/both.ts"]);
  expect(gathered(twoUsers(50_000), "src/start.ts")).toEqual([]);
});

test("a large module that most of what is loaded next has goes with what is before, too", () => {
  const given = meta({
    "src/root.ts": { later: ["src/start.ts"] },
    "src/start.ts": { later: ["src/a.ts", "src/b.ts", "src/c.ts"] },
    "src/a.ts": { now: ["src/both.ts"] },
    "src/b.ts": { now: ["src/both.ts"] },
    "src/c.ts": {},
    "src/both.ts": { bytes: 50_000 },
  });
  expect(gathered(given, "src/start.ts")).toEqual(["src/both.ts"]);
});

/** Three ways in; two sets of modules that differ in one of them. */
const twoSets = (bytes: number): Meta =>
  meta({
    "src/root.ts": { later: ["src/a.ts", "src/b.ts", "src/c.ts"] },
    "src/a.ts": { now: ["src/all.ts", "src/two.ts"] },
    "src/b.ts": { now: ["src/all.ts", "src/two.ts"] },
    "src/c.ts": { now: ["src/all.ts"] },
    "src/all.ts": {},
    "src/two.ts": { bytes },
  });

test("two sets become one where what is loaded for nothing is less than what the others save, and with the root nothing is", () => {
  expect(gathered(twoSets(4_000), "src/c.ts")).toEqual(["src/two.ts"]);
  expect(gathered(twoSets(6_000), "src/c.ts")).toEqual([]);
  expect(gathered(twoSets(4_000), "src/root.ts")).toEqual([]);
});

test("what a module imports counts with it where it goes", () => {
  const given = meta({
    "src/root.ts": { later: ["src/a.ts", "src/b.ts", "src/c.ts"] },
    "src/a.ts": { now: ["src/all.ts", "src/two.ts"] },
    "src/b.ts": { now: ["src/all.ts", "src/two.ts"] },
    "src/c.ts": { now: ["src/all.ts"] },
    "src/all.ts": {},
    "src/two.ts": { now: ["src/large.ts"], bytes: 1_000 },
    "src/large.ts": { now: ["node_modules/p/index.js"] },
    "node_modules/p/index.js": {},
  });
  expect(gathered(given, "src/c.ts")).toEqual([]);
});

test("nothing is moved to where what it imports is not", () => {
  const given = meta({
    "src/root.ts": { later: ["src/start.ts"] },
    "src/start.ts": { later: ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts", "src/f.ts"] },
    "src/a.ts": { now: ["src/both.ts"] },
    "src/b.ts": { now: ["src/both.ts"] },
    "src/c.ts": { now: ["src/large.ts"] },
    "src/d.ts": {},
    "src/e.ts": {},
    "src/f.ts": {},
    "src/both.ts": { now: ["src/large.ts"], bytes: 500 },
    "src/large.ts": { bytes: 50_000 },
  });
  expect(gathered(given, "src/start.ts")).toEqual([]);
});

test("a module that is also imported at once never imports who imports it", () => {
  const given = meta({
    "src/root.ts": { later: ["src/run.ts"] },
    "src/run.ts": { now: ["src/early.ts", "src/own.ts"], later: ["src/early.ts"] },
    "src/early.ts": {},
    "src/own.ts": {},
  });
  expect(gathered(given, "src/early.ts")).toEqual([]);
});

test("packages are not moved: loading one can do something", () => {
  const given = meta({
    "src/root.ts": { later: ["src/run.ts"] },
    "src/run.ts": { now: ["node_modules/p/index.js"], later: ["src/rare.ts"] },
    "src/rare.ts": {},
    "node_modules/p/index.js": { bytes: 10 },
  });
  expect(gathered(given, "src/rare.ts")).toEqual([]);
});
