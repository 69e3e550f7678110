import { isHostError, test, type TestContext } from "smith-agent/plugin";
import { count, licenses } from "../src/main.js";

const FILES: { readonly [path: string]: string } = {
  "node_modules/left/package.json": '{"name":"left","version":"1.0.0","license":"MIT"}',
  "node_modules/@a/right/package.json": '{"name":"@a/right","version":"2.0.0","licenses":[{"type":"GPL-3.0"},{"type":"AGPL-3.0"}]}',
  "node_modules/left/node_modules/old/package.json": '{"name":"old","version":"0.1.0"}',
  "node_modules/broken/package.json": "{",
};
const CONFIG = { "licenses.allow": ["MIT", "ISC"], "licenses.packages": 1000 };

/** A workspace with these files. */
const workspace = (t: TestContext, files = FILES, truncated = false) =>
  t.context(
    {
      "search.find": () => ({ paths: Object.keys(files), truncated, notes: [] }),
      "fs.read": ({ path }) => ({
        type: "text",
        path,
        lines: (files[path] ?? "").split("\n"),
        firstLine: 1,
        totalLines: 1,
        totalBytes: 0,
        cutLines: [],
        truncated: false,
        encoding: "utf-8",
      }),
    },
    { config: CONFIG },
  );

test("the model is told the packages it does not expect, and people see a table", async (t) => {
  const { text, details, isError } = await licenses({}, workspace(t));
  t.equal(text, "3 packages, 1 of them with an expected license.\n@a/right@2.0.0 GPL-3.0 OR AGPL-3.0\nold@0.1.0 declares no license");
  t.ok(!isError);
  t.equal(details?.data, { packages: 3, unexpected: 2 });
  t.equal(details?.view, {
    type: "group",
    children: [
      { type: "text", spans: [{ text: "3 packages, 1 of them with an expected license.", role: "warning" }] },
      {
        type: "table",
        columns: ["package", "version", "license", "expected"],
        rows: [
          ["@a/right", "2.0.0", "GPL-3.0 OR AGPL-3.0", "no"],
          ["old", "0.1.0", "declares no license", "no"],
        ],
      },
    ],
  });
});

test("all of them, or those of a name", async (t) => {
  t.ok((await licenses({ show: "all" }, workspace(t))).text.includes("left@1.0.0 MIT"));
  t.equal((await licenses({ show: "all", name: "left" }, workspace(t))).text.split("\n").slice(1), ["left@1.0.0 MIT"]);
});

test("a search that was cut is told", async (t) => {
  t.ok(
    (await licenses({}, workspace(t, FILES, true))).text.endsWith("[not every package was looked at; licenses.packages says how many are]"),
  );
});

test("without node_modules there is nothing to say, and that is an error the model can act on", async (t) => {
  t.ok((await licenses({}, workspace(t, {}))).isError);
});

test("what may not be read at all is not passed over", async (t) => {
  const context = t.context({ "search.find": () => ({ paths: Object.keys(FILES), truncated: false, notes: [] }) }, { config: CONFIG });
  let code = "";
  try {
    await licenses({}, context);
  } catch (error) {
    code = isHostError(error) ? error.code : "";
  }
  t.equal(code, "grant.denied");
});

test("the command counts, or asks the model about the unexpected ones", async (t) => {
  t.equal(await count("", workspace(t)), [
    {
      type: "notify",
      text: "3 packages, 1 of them with an expected license. GPL-3.0 OR AGPL-3.0 1, MIT 1, declares no license 1",
      role: "warning",
    },
  ]);
  const asked = (await count("explain", workspace(t))) ?? [];
  t.equal(
    asked.map(({ type }) => type),
    ["enqueue"],
  );
  t.ok(JSON.stringify(asked).includes("- old@0.1.0: declares no license"));
});
