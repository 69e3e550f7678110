import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { ExportItem } from "../../../src/cli/sessions/export/index.js";
import { renderHtml } from "../../../src/cli/sessions/export/index.js";
import { SESSION } from "../fake-runtime.js";
import { everyEntry, seqIds } from "../../session/support/entries.js";
import { HOSTILE, html, maker, readPage } from "./support.js";

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  html: ["lang"],
  head: [],
  meta: ["charset", "http-equiv", "content", "name"],
  title: [],
  body: [],
  header: [],
  main: [],
  footer: [],
  article: ["class", "id"],
  aside: ["class", "id"],
  div: ["class"],
  span: ["class", "id"],
  details: ["open"],
  summary: [],
  a: ["href", "rel", "class"],
  img: ["alt", "src"],
  ol: ["start"],
  p: ["class"],
  pre: ["class"],
  h2: ["class"],
  ...Object.fromEntries(
    "h1 h3 h4 h5 dl dt dd time code strong em del br hr ul li blockquote table thead tbody tr th td".split(" ").map((name) => [name, []]),
  ),
};

/** Reads the page and checks that nothing in it can act: tags and attributes of ours only, links to places we let through. */
function inert(page: string) {
  const read = readPage(page);
  for (const { name, attributes } of read.tags) {
    expect(Object.keys(ALLOWED), `<${name}>`).toContain(name);
    for (const key of Object.keys(attributes)) expect(ALLOWED[name], `${key} of <${name}>`).toContain(key);
    if (attributes["href"] !== undefined) expect(attributes["href"]).toMatch(/^(?:#[0-9a-f-]{36}$|https?:\/\/|mailto:)/iu);
    if (attributes["src"] !== undefined) expect(attributes["src"]).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/u);
    if (attributes["id"] !== undefined) expect(attributes["id"]).toMatch(/^[0-9a-f-]{36}$/u);
  }
  return read;
}

describe("nothing recorded can act in the page", () => {
  const everywhere = (text: string): readonly ExportItem[] => {
    const { base, ids, user, answer, call, result } = maker();
    const first = call(text, { path: text, more: { [text]: text } });
    const image = { mediaType: "image/png", base64: text } as const;
    const error = { code: text, what: text, why: text, next: text, severity: "error", retry: { type: "never" } } as const;
    return [
      { ...base("session-info"), name: text, cwd: text, version: text },
      {
        ...base("prompt"),
        system: text,
        tools: [{ name: text, plugin: text, description: text, parameters: {}, readOnly: true, timeoutMs: 1, summaryKeys: [text] }],
        generation: 1,
      },
      user(text, { images: [image] }),
      answer(text, { thinking: [{ text }], error, dispatch: { provider: text, model: text } }),
      first,
      call(text, undefined, { argsText: text }),
      result(first, text, {
        isError: true,
        mutation: "unknown",
        omittedBytes: 3,
        summary: text,
        details: { diff: `--- ${text}\n+++ ${text}\n+${text}\n-${text}` },
        images: [image],
      }),
      { ...base("compaction"), firstKept: ids.next<EntryId>(), summary: text, tokensBefore: 1 },
      { ...base("context-edit"), target: first.id, operation: "replace", text },
      { ...base("branch-state"), owner: text, key: text, version: 1, fork: "copy", operation: "put", value: { [text]: text } },
      { ...base("reconciled"), effect: ids.next(), outcome: "applied", note: text },
      { ...base("receipt"), submission: ids.next(), work: ids.next(), status: "error", reason: "bug", error },
      { type: "gap", what: text },
    ];
  };

  test.each(HOSTILE.map((text) => [JSON.stringify(text), text] as const))("%s", async (_name, text) => {
    inert(await html(everywhere(text)));
  });

  test("any mix of such texts", async () => {
    const piece = fc.oneof(
      fc.constantFrom(...HOSTILE, "\n", "\n\n", "> ", "- ", "1. ", "```", "`", "*", "_", "[", "](", ")", "|", "<", ">", "&", '"', "'"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        inert(await html(everywhere(pieces.join(""))));
      }),
      { numRuns: 150 },
    );
  });

  test("the policy forbids scripts and requests before anything recorded is read; there is no script and no other address", async () => {
    const page = await html(everywhere("<script>"));
    const policy = page.indexOf(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    );
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(page.indexOf("<title>"));
    const { tags } = readPage(page);
    expect(tags.filter(({ name }) => ["script", "link", "iframe", "object", "form", "base"].includes(name))).toEqual([]);
    expect(/<style>([^<]*)<\/style>/u.exec(page)?.[1]).not.toMatch(/url\(|@import|https?:/u);
  });

  test("what is invisible or turns text around is shown, terminal sequences are gone", async () => {
    const { user } = maker();
    const { text } = inert(
      await html([user("a\u202eb\u200bc\u001b[31md\u001b]8;;https://x\u0007e\u001b]8;;\u001b\\\u0007f\u009b1mg\u{e0041}h\ud800i")]),
    );
    expect(text).toContain("a⟦U+202E⟧b⟦U+200B⟧cde␇fg⟦U+E0041⟧h⟦U+D800⟧i");
  });

  test("text in other scripts and joined emoji stays as it is", async () => {
    const { user } = maker();
    const words = "日本語 עברית العربية 👩‍👩‍👧 é";
    expect(inert(await html([user(words)])).text).toContain(words);
  });
});

describe("the page", () => {
  test("has every entry of the branch as an anchor, calls joined with their results in order", async () => {
    const { user, answer, call, result } = maker();
    const [one, two] = [call("read", { path: "a" }), call("bash", { command: "ls" })];
    const items = [user("q"), answer("a"), one, two, result(one, "ONE"), result(two, "TWO"), answer("end")];
    const { tags, text } = inert(await html(items));
    const ids = tags.flatMap(({ attributes }) => (attributes["id"] === undefined ? [] : [attributes["id"]]));
    expect([...ids].sort()).toEqual(items.map(({ id }) => id).sort());
    expect(text.indexOf("read")).toBeLessThan(text.indexOf("ONE"));
    expect(text.indexOf("ONE")).toBeLessThan(text.indexOf("bash"));
  });

  test("every link inside of the page leads to something in it, for a whole branch", async () => {
    const { tags } = inert(await html(everyEntry(seqIds())));
    const ids = new Set(tags.map(({ attributes }) => attributes["id"]));
    const targets = tags.flatMap(({ attributes }) => (attributes["href"]?.startsWith("#") === true ? [attributes["href"].slice(1)] : []));
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  });

  test("begins with facts and totals", async () => {
    const { base, user, answer, call, result } = maker();
    const [failed, lost] = [call("bash", {}), call("bash", {})];
    const { text } = inert(
      await html([
        { ...base("session-info"), cwd: "/home/a/p" },
        user("Fix the\nbug"),
        answer("", { usage: { inputTokens: 1200, outputTokens: 30 }, inherited: true }),
        failed,
        lost,
        result(failed, "no", { isError: true }),
        answer("done", { usage: { inputTokens: 1, outputTokens: 4 }, cost: 0.42, dispatch: { provider: "p", model: "m" } }),
      ]),
    );
    const head = text.slice(0, text.indexOf("Prompt"));
    expect(head.split("\n").filter((line) => line !== "")).toEqual([
      "Fix the bug",
      "Fix the bug",
      `Session${SESSION}`,
      "Began2026-11-30 09:05 UTC",
      "Last entry2026-11-30 09:05 UTC",
      "Folder/home/a/p",
      "Modelsoffline/rules, p/m",
      "Contents1 prompt, 2 answers, 2 tool calls (1 failed, 1 with an unknown outcome)",
      "Tokens1,201 input, 34 output",
      "Cost$0.42 + 1 unpriced",
      "Inherited1 of the entries came with a fork or an import",
    ]);
  });

  test("an answer ends with what it used and cost, as far as anybody said so", async () => {
    const { answer } = maker();
    const { text } = inert(
      await html([
        answer("one", { usage: { outputTokens: 4 }, cost: 0.42 }),
        answer("two", { usage: { outputTokens: 5 } }),
        answer("three"),
      ]),
    );
    expect(text.split("\n").filter((line) => / output( ·|$)/u.test(line) && !line.startsWith("Tokens"))).toEqual([
      "one4 output · $0.42",
      "two5 output · cost not known",
    ]);
  });

  test("long outputs are folded, short ones and failures are open", async () => {
    const { call, result } = maker();
    const isOpen = async (text: string, isError = false): Promise<boolean> => {
      const one = call("bash", {});
      const { tags } = inert(await html([one, result(one, text, { isError })]));
      return tags.some(({ name, attributes }) => name === "details" && "open" in attributes);
    };
    expect([
      await isOpen("a\nb"),
      await isOpen("a\n".repeat(30)),
      await isOpen("a\n".repeat(30), true),
      await isOpen("a\n".repeat(100), true),
    ]).toEqual([true, false, true, false]);
  });

  test("diffs are coloured line by line and counted", async () => {
    const { call, result } = maker();
    const one = call("edit", { path: "a.ts" });
    const page = await html([
      one,
      result(one, "edited", { mutation: "applied", details: { diff: "--- a\n+++ b\n@@ -1,2 +1,3 @@\n same\n-old <b>\n+new\n+more\n" } }),
    ]);
    inert(page);
    expect(page).toContain("Changes: 2 lines added, 1 removed");
    expect(page).toContain(
      `<span class="hunk">@@ -1,2 +1,3 @@</span><span class="same"> same</span><span class="del">-old &lt;b&gt;</span><span class="add">+new</span>`,
    );
    expect(page).toContain("changed something");
  });

  test("what is not known is said", async () => {
    const { answer, call, result } = maker();
    const [one, two] = [call("bash", { command: "a" }), call("bash", { command: "b" })];
    const { text } = inert(
      await html([
        one,
        result(one, "", { mutation: "unknown", omittedBytes: 5 }),
        two,
        answer("x", { stop: "aborted" }),
        { type: "gap", what: "Change 7 cannot be read." },
      ]),
    );
    for (const words of [
      "outcome unknown",
      "5 bytes not recorded",
      "no result recorded: outcome unknown",
      "aborted",
      "Something is missing here. Change 7 cannot be read.",
    ])
      expect(text).toContain(words);
  });

  test("context edits and compactions name what they are about", async () => {
    const { base, user } = maker();
    const target = user("secret");
    const { tags, text } = inert(
      await html([
        target,
        { ...base("context-edit"), target: target.id, operation: "omit" },
        { ...base("compaction"), firstKept: target.id, summary: "short", tokensBefore: 900 },
      ]),
    );
    expect(tags.filter(({ attributes }) => attributes["href"] === `#${target.id}`)).toHaveLength(3);
    expect(text).toContain("From here on the model does not see this entry:");
    expect(text).toContain("(about 900 tokens)");
  });

  test("answers are typeset: headings, lists, tables, code", async () => {
    const { answer } = maker();
    const page = await html([
      answer(
        "# Plan\n\n1. *do* `x`\n   - [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1 < 2;\n```\n\nSee https://example.com/a?b=1&c=2 &amp; [that](https://example.com).",
      ),
    ]);
    inert(page);
    expect(page).toContain("<h3>Plan</h3>");
    expect(page).toContain("<em>do</em> <code>x</code>");
    expect(page).toContain("☑ done");
    expect(page).toContain("<tr><td>1</td><td>2</td></tr>");
    expect(page).toContain("<pre><code>const a = 1 &lt; 2;</code></pre>");
    expect(page).toContain(
      `<a href="https://example.com/a?b=1&amp;c=2" rel="noopener noreferrer nofollow">https://example.com/a?b=1&amp;c=2</a> &amp; `,
    );
    expect(page).toContain(`>that</a> <span class="href">(https://example.com)</span>`);
  });

  test("a first line end of an output is kept", async () => {
    const { call, result } = maker();
    const one = call("bash", {});
    expect(await html([one, result(one, "\n\nx")])).toContain("<pre>\n\n\nx</pre>");
  });
});

describe("bounds", () => {
  test("texts that make Markdown slow or deep are shown as they were written", { timeout: 60_000 }, async () => {
    const { answer } = maker();
    for (const text of [
      "> ".repeat(5_000),
      "[".repeat(20_000),
      "- ".repeat(2_000),
      "*a ".repeat(20_000),
      "<".repeat(20_000),
      "`a".repeat(20_000),
      "a_".repeat(40_000),
      "**a ".repeat(20_000),
      "x".repeat(500_000),
    ])
      inert(await html([answer(text)]));
  });

  test("pieces come as entries are read", async () => {
    const { user } = maker();
    let taken = 0;
    async function* source(): AsyncIterable<ExportItem> {
      for (let index = 0; index < 5; index += 1) {
        taken += 1;
        yield user("x");
      }
    }
    const facts = {
      id: user("").id as never,
      title: "t",
      createdAt: 0,
      models: [],
      version: "1",
      totals: { prompts: 0, answers: 0, toolCalls: 0, failedCalls: 0, unknownOutcomes: 0, inherited: 0, spend: {} },
    };
    const pieces = renderHtml({ entries: source(), facts })[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.next();
    expect(taken).toBe(0);
    await pieces.next();
    expect(taken).toBe(1);
    await pieces.return?.();
  });
});

test("an empty branch is a page too", async () => {
  expect(inert(await html([])).text).toContain("0 prompts, 0 answers, 0 tool calls");
});
