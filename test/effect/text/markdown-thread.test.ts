import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainText } from "../../../src/effect/text/markdown/plain.js";
import { type Bench, createBench, makeFolder, removeFolder } from "../support.js";

let folder: string;
let bench: Bench;
beforeAll(async () => {
  folder = await makeFolder();
  const outfile = join(folder, "markdown-worker.mjs");
  await build({
    entryPoints: [new URL("../../../src/effect/text/markdown/worker.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  bench = createBench(folder, { markdownWorkerUrl: pathToFileURL(outfile) });
});
afterAll(async () => {
  await bench.close();
  await removeFolder(folder);
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ...["div", "b", "table", "select"].map((tag) => [`100,000 <${tag}>`, `${`<${tag}>`.repeat(100_000)}x`] as const),
  ["an attribute of 3 MB", `<p title="${"y".repeat(3_000_000)}">x</p>`],
  ["an attribute without an end", `<p title="${"y".repeat(1_000_000)}>x`],
  ["100,000 titles that never end", "<title ".repeat(100_000)],
  ["100,000 comments that never end", `x${"<!-- ".repeat(100_000)}`],
  ["a megabyte of opening brackets", "<".repeat(1_000_000)],
];

describe("a conversion in its thread", () => {
  test("gives the page as Markdown", async () => {
    expect(await bench.value("text.markdown", { html: "<title>T</title><h2>a_b</h2><ol><li>x<li>y</ol>", url: "https://e.org/" })).toEqual({
      markdown: "## a_b\n\n1. x\n2. y",
      title: "T",
    });
  });

  test.each(HOSTILE)(
    "comes to an end with %s",
    async (_, html) => {
      const made = await bench.value("text.markdown", { html });
      expect(typeof made.markdown).toBe("string");
      expect(made.markdown.length).toBeLessThanOrEqual(html.length);
    },
    30_000,
  );

  test("a page too tangled to take apart comes as its words", async () => {
    const html = `<title>no</title>${"<div>".repeat(100_000)}deep &amp; <b>bold</b><script>no()</script><p>end`;
    expect(await bench.value("text.markdown", { html })).toEqual({ markdown: "deep & bold\nend", isPlain: true });
  }, 30_000);

  test("a page over 5 MiB is refused with its size", async () => {
    expect(await bench.error("text.markdown", { html: "x".repeat(5 * 1024 * 1024 + 1) })).toMatchObject({ code: "text.page-too-large" });
  });

  test("a call that is aborted ends it", async () => {
    const over = new AbortController();
    const running = bench.error("text.markdown", { html: "<div>".repeat(100_000) }, { signal: over.signal });
    over.abort();
    expect(await running).toMatchObject({ code: "text.not-converted", why: "It was stopped." });
  });
});

describe("the words of a page", () => {
  test.each([
    ["blocks are lines", "<h1>A</h1><p>b <i>c</i></p>d<br>e", "A\nb c\nd\ne"],
    ["what is silent is left out", "a<script>x<b></b></script>b<style>y", "a\nb"],
    ["a bracket that opens nothing ends the text", "a <", "a"],
  ])("%s", (_, html, text) => {
    expect(plainText(html)).toBe(text);
  });
});
