import { describe, expect, test } from "vitest";
import { toMarkdown } from "../../../src/effect/text/markdown/convert.js";

const of = (html: string, url?: string): string => toMarkdown(html, url).markdown;

describe("a page as Markdown", () => {
  test("has its headings, lists, links, code and tables", () => {
    const page = `<html><head><title>A &amp; B&#8217;s</title><style>p{}</style></head><body><nav>menu</nav><h1>Top</h1>
      <p>One <b>bold</b> <a href="/x?a=1">link</a>, <a href="#here">here</a>, <a href="javascript:alert(1)">bad</a>.</p>
      <ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>
      <pre><code class="language-ts">const a = 1;\n\`\`\`\n</code></pre>
      <table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a|b</td><td>1</td></tr></tbody></table>
      <img src="x.png" alt="a picture"><script>evil()</script><footer>foot</footer></body></html>`;
    expect(toMarkdown(page, "https://example.com/d/").title).toBe("A & B’s");
    expect(of(page, "https://example.com/d/")).toBe(
      [
        "# Top",
        "",
        "One **bold** [link](https://example.com/x?a=1), here, bad.",
        "",
        "- a",
        "- b",
        "  - c",
        "",
        "````ts",
        "const a = 1;",
        "```",
        "````",
        "",
        "| k | v |",
        "| --- | --- |",
        "| a\\|b | 1 |",
        "",
        "[image: a picture]",
      ].join("\n"),
    );
  });

  test("is what the page is for, where it says so; what is hidden is left out", () => {
    const words = "word ".repeat(60).trim();
    expect(of(`<header>head</header><main><p>${words}</p><p hidden>no</p><p style="display: none">no</p></main><div>rest</div>`)).toBe(
      words,
    );
  });

  test.each([
    ["no markup", "plain words", "plain words"],
    ["nothing", "", ""],
    ["broken markup", "<p>a<b>c<p>d</b></i><table><tr><td>e<td>f", "a**c**\n\n**d**\n\n| e | f |\n| --- | --- |"],
    ["a table for looks", "<table><tr><td>one</td></tr><tr><td>two</td></tr></table>", "one\n\ntwo"],
  ])("of %s", (_, html, expected) => {
    expect(of(html)).toBe(expected);
  });
});
