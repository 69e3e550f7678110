import fc from "fast-check";
import { Lexer, type Token } from "marked";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import type { ExportItem } from "../../../src/cli/sessions/export/index.js";
import { containedMarkdown, fenced } from "../../../src/cli/sessions/export/markdown-text.js";
import { everyEntry, seqIds } from "../../session/support/entries.js";
import { HOSTILE, maker, markdown } from "./support.js";

function* walk(tokens: readonly Token[]): Iterable<Token> {
  for (const token of tokens) {
    yield token;
    const inner = token as { readonly tokens?: readonly Token[]; readonly items?: readonly Token[] };
    yield* walk(inner.tokens ?? []);
    yield* walk(inner.items ?? []);
    if (token.type === "table") {
      const { header, rows } = token as unknown as { readonly header: readonly Token[]; readonly rows: readonly (readonly Token[])[] };
      yield* walk([...header, ...rows.flat()]);
    }
  }
}

const OURS =
  /^(?:<a id="[0-9a-f-]{36}">|<\/a>|<details>\n<summary>(?:Thinking|Arguments|Output, \d+ lines|System prompt and \d+ tools? from here on)<\/summary>|<\/details>)\s*$/u;

/** How a reader of Markdown takes the document: HTML that is not ours, images from elsewhere, and whether it ends as it should. */
function taken(document: string) {
  const tokens = new Lexer({ gfm: true }).lex(document);
  const all = [...walk(tokens)];
  return {
    html: all.filter((token) => token.type === "html" && !OURS.test(token.raw)).map(({ raw }) => raw),
    images: all
      .flatMap((token) => (token.type === "image" ? [(token as unknown as { readonly href: string }).href] : []))
      .filter((href) => !href.startsWith("data:")),
    end: tokens.at(-1)?.raw.trim(),
  };
}

const SOUND = { html: [], images: [], end: "Exported by smith 1.2.3." };

const everywhere = (text: string): readonly ExportItem[] => {
  const { base, ids, user, answer, call, result } = maker();
  const first = call(text, { path: text, more: { [text]: text } });
  const error = { code: text, what: text, why: text, next: text, severity: "error", retry: { type: "never" } } as const;
  return [
    { ...base("session-info"), name: text, cwd: text },
    { ...base("prompt"), system: text, tools: [], generation: 1 },
    user(text),
    answer(text, { thinking: [{ text }], error, dispatch: { provider: text, model: text } }),
    first,
    result(first, text, { isError: true, summary: text, details: { diff: text } }),
    { ...base("compaction"), firstKept: ids.next<EntryId>(), summary: text, tokensBefore: 1 },
    { ...base("branch-state"), owner: text, key: text, version: 1, fork: "copy", operation: "put", value: { [text]: text } },
    { type: "gap", what: text },
    answer("the end"),
  ];
};

describe("nothing recorded changes the structure of the document", () => {
  test.each(HOSTILE.map((text) => [JSON.stringify(text), text] as const))("%s", async (_name, text) => {
    expect(taken(await markdown(everywhere(text)))).toEqual(SOUND);
  });

  test("any mix of such texts", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...HOSTILE,
        "\n",
        "\n\n",
        "> ",
        "- ",
        "10. ",
        "```",
        "~~~",
        "`",
        "``",
        "\\",
        "*",
        "[",
        "](",
        ")",
        "|",
        "<",
        "<b>",
        ">",
        "&",
        "    ",
      ),
      fc.string({ unit: "grapheme-ascii", maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(taken(await markdown(everywhere(pieces.join(""))))).toEqual(SOUND);
      }),
      { numRuns: 300 },
    );
  });

  test("a fence is longer than any run of backticks inside", () => {
    expect(fenced("a\n````\nb\n", "text")).toBe("`````text\na\n````\nb\n`````\n");
  });

  test.each([
    ["prose and code stay as they are", 'Use `a<b>` and:\n\n```ts\nf<T>("![x](y)")\n```', 'Use `a<b>` and:\n\n```ts\nf<T>("![x](y)")\n```'],
    ["code in a list too", "1. x\n\n    ```ts\n    f<T>()\n    ```\n<b>", "1. x\n\n    ```ts\n    f<T>()\n    ```\n&lt;b>"],
    ["an open fence is closed", "```js\n<b>", "```js\n<b>\n```"],
    ["a fence is not closed by a shorter one or the other kind", "~~~~\n~~~\n```\n<b>", "~~~~\n~~~\n```\n<b>\n~~~~"],
    ["tags are text", "a <b>c</b> <!-- x --> <?php 1 < 2 <3", "a &lt;b>c&lt;/b> &lt;!-- x --> &lt;?php 1 < 2 <3"],
    ["images are links", "![x](https://e/p.png)", "!\\[x](https://e/p.png)"],
    ["a backtick that pairs with nothing makes no code", "a ` <b>", "a ` &lt;b>"],
    ["nor does one of the line before", "a `\n` <b> `", "a `\n` &lt;b> `"],
    ["nor does code in code", "`\\`<b>`", "`\\`&lt;b>`"],
    [
      "what others take for no fence is code as a whole",
      "- a\n\n  b\n         ```\n\n<b>",
      "````markdown\n- a\n\n  b\n         ```\n\n<b>\n````",
    ],
    ["nor an escaped one", "\\`<b>`", "\\`&lt;b>`"],
  ])("%s", (_rule, text, contained) => {
    expect(containedMarkdown(text)).toBe(contained);
  });
});

describe("the document", () => {
  test("tells a turn with its tools", async () => {
    const { base, user, answer, call, result } = maker();
    const edit = call("edit", { path: "a.ts", text: "new" });
    const lost = call("bash", { command: "make" });
    const document = await markdown([
      { ...base("session-info"), name: "Letters", cwd: "/home/a/p" },
      user("Fix\nit"),
      answer("I will.", { thinking: [{ text: "Hm." }], stop: "tool-use" }),
      edit,
      lost,
      result(edit, "edited ```", { mutation: "applied", durationMs: 1234, details: { diff: "-old\n+new" } }),
      answer("", { stop: "aborted" }),
    ]);
    expect(document.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "ID")).toBe(TOLD);
  });

  test("has every type of entry and keeps its bearings", async () => {
    const document = await markdown(everyEntry(seqIds()));
    expect(taken(document)).toEqual(SOUND);
    const anchors = new Set([...document.matchAll(/<a id="([^"]+)">/gu)].map(([, id]) => id));
    const links = [...document.matchAll(/\]\(#([^)]+)\)/gu)].map(([, id]) => id);
    expect(links).not.toEqual([]);
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
  });

  test("an answer of nothing but calls has no heading of its own; a new name is told", async () => {
    const { base, answer } = maker();
    const first = answer("", { stop: "tool-use" });
    const document = await markdown([first, { ...base("session-info"), parent: first.id, name: "New *name*" }]);
    expect(document).not.toContain("## Answer");
    expect(document).toContain(`<a id="${first.id}"></a>`);
    expect(document).toContain("*The session is named “New \\*name\\*”.*");
  });

  test("images are named, or come along", async () => {
    const { user } = maker();
    const shown = user("see", {
      images: [
        { mediaType: "image/png", base64: "AAAA" },
        { mediaType: "image/png", base64: "no) ![x](https://e)" },
      ],
    });
    expect(await markdown([shown])).toContain("\n*[image 1, image/png]*\n\n*[image 2, image/png]*\n");
    expect(await markdown([shown], { images: "embedded" })).toContain(
      "\n![image 1, image/png](data:image/png;base64,AAAA)\n\n*[image 2, image/png]*\n",
    );
  });

  test("long outputs are folded", async () => {
    const { call, result } = maker();
    const one = call("bash", {});
    expect(await markdown([one, result(one, "a\n".repeat(50))])).toContain(
      "<details>\n<summary>Output, 50 lines</summary>\n\n```text\na\n",
    );
  });

  test("what is missing or not known is said in its place", async () => {
    const { user, call, result } = maker();
    const one = call("bash", { command: "a" });
    const document = await markdown([
      user("q"),
      one,
      result(one, "", { mutation: "unknown", omittedBytes: 1 }),
      { type: "gap", what: "Change 7 *cannot* be read." },
    ]);
    expect(document).toContain("**Tool `bash`** `a` · **outcome unknown** · **1 byte not recorded**");
    expect(document).toContain("> **Something is missing here.** Change 7 \\*cannot\\* be read.");
  });
});

const TOLD = `# Letters

| | |
| --- | --- |
| Session | ID |
| Began | 2026-11-30 09:05 UTC |
| Last entry | 2026-11-30 09:05 UTC |
| Folder | /home/a/p |
| Model | offline/rules |
| Contents | 1 prompt, 2 answers, 2 tool calls (1 with an unknown outcome) |

<a id="ID"></a>

<a id="ID"></a>

## Prompt · 2026-11-30 09:05 UTC

> Fix
> it

<a id="ID"></a>

## Answer of offline/rules · 2026-11-30 09:05 UTC

<details>
<summary>Thinking</summary>

\`\`\`text
Hm.
\`\`\`

</details>

I will.

<a id="ID"></a>

**Tool \`edit\`** \`a.ts new\` · changed something · 1.2 s

<details>
<summary>Arguments</summary>

\`\`\`json
{
  "path": "a.ts",
  "text": "new"
}
\`\`\`

</details>

\`\`\`\`text
edited \`\`\`
\`\`\`\`

\`\`\`diff
-old
+new
\`\`\`

<a id="ID"></a>

**Tool \`bash\`** \`make\` · **no result recorded: outcome unknown**

<details>
<summary>Arguments</summary>

\`\`\`json
{
  "command": "make"
}
\`\`\`

</details>

<a id="ID"></a>

## Answer of offline/rules (aborted) · 2026-11-30 09:05 UTC

---

Exported by smith 1.2.3.
`;
