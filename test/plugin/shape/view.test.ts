import { describe, expect, test } from "vitest";
import { readShape, renderNode } from "../../../src/plugin/shape/index.js";
import { RENDER_LIMITS, type RenderNode } from "../../../src/schema/index.js";

const read = (value: unknown) => readShape(renderNode, value, "view");
const textNode = (text: string, more = {}): unknown => ({ type: "text", spans: [{ text, ...more }] });
const textOf = (value: unknown): string => {
  const node = read(value);
  if (!node.ok) throw new Error(node.error);
  return node.value.type === "text" ? (node.value.spans[0]?.text ?? "") : "";
};
const wordsOf = (value: unknown): string => {
  const node = read(value);
  return node.ok ? "accepted" : node.error;
};

describe("a render description", () => {
  test.each<[string, RenderNode]>([
    ["text", { type: "text", spans: [{ text: "a", role: "warning", href: "https://example.com/x?y#z" }, { text: "b" }] }],
    ["code", { type: "code", text: "let a;\n\tb", language: "c++" }],
    ["diff", { type: "diff", text: "-a\n+b\n" }],
    ["table", { type: "table", columns: ["a", "b"], rows: [["1", "2"], ["3"]] }],
    [
      "list",
      {
        type: "list",
        ordered: true,
        items: [
          { type: "text", spans: [] },
          { type: "diff", text: "" },
        ],
      },
    ],
    ["image", { type: "image", mediaType: "image/png", base64: "aGk=", alt: "hi" }],
    ["progress", { type: "progress", label: "files", done: 3, total: 10.5 }],
    ["group", { type: "group", title: "all", children: [{ type: "progress", label: "", done: 0 }] }],
  ])("of type %s comes out as it went in, as a fresh value", (_name, node) => {
    const result = read(node);
    expect(result).toEqual({ ok: true, value: node });
    expect(result.ok && result.value).not.toBe(node);
  });

  test.each([
    ["no object", "x", "view.type must be one of"],
    ["an unknown type", { type: "html", text: "" }, `got "html"`],
    ["an extra field", { type: "code", text: "", onClick: 1 }, "view.onClick must be absent"],
    ["a field that is missing", { type: "image", mediaType: "image/png", alt: "" }, "view.base64 must be present"],
    ["an unknown role", textNode("a", { role: "blink" }), "view.spans[0].role must be one of"],
    ["a media type that can run", { type: "image", mediaType: "image/svg+xml", base64: "", alt: "" }, "view.mediaType must be one of"],
    ["an image that is no base64", { type: "image", mediaType: "image/png", base64: "<svg>", alt: "" }, "view.base64 must be base64"],
    ["half a base64 group", { type: "image", mediaType: "image/png", base64: "aGk", alt: "" }, "view.base64 must be base64"],
    ["a row longer than the columns", { type: "table", columns: ["a"], rows: [["1"], ["1", "2"]] }, "view.rows[1]"],
    ["a language that is none", { type: "code", text: "", language: "a b\u001b" }, "view.language"],
    ["negative progress", { type: "progress", label: "", done: -1 }, "view.done must be a number of at least 0"],
    ["progress that is no number", { type: "progress", label: "", done: null }, "view.done must be a number"],
    ["a child that is wrong", { type: "group", children: [{ type: "list", items: [{ type: "code" }] }] }, "view.children[0].items[0].text"],
    ["a key __proto__", JSON.parse(`{ "type": "code", "text": "", "__proto__": {} }`), "__proto__"],
  ])("with %s is refused, and the path says where", (_name, value, words) => {
    expect(wordsOf(value)).toContain(words);
  });
});

describe("links", () => {
  test.each(["https://example.com", "http://example.com/a?b=c#d", "file:///tmp/x", "mailto:a@example.com", "HTTPS://EXAMPLE.COM"])(
    "%s is one",
    (href) => expect(wordsOf(textNode("a", { href }))).toBe("accepted"),
  );

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " https://example.com",
    "https://example.com/\u001b]8;;evil",
    "https://example.com/\u202e",
    "https://example.com/ a",
    "data:text/html,x",
    "vbscript:x",
    "//example.com",
    "https:",
    "",
    `https://example.com/${"x".repeat(3_000)}`,
  ])("%j is none", (href) => expect(wordsOf(textNode("a", { href }))).toMatch(/view\.spans\[0\]\.href must be a link/u));
});

describe("texts", () => {
  test.each([
    ["an escape sequence", "\u001b[31mred\u001b[0m", "\ufffd[31mred\ufffd[0m"],
    ["a bell and a backspace", "a\u0007b\u0008c", "a\ufffdb\ufffdc"],
    ["NUL and DEL", "a\u0000b\u007fc", "a\ufffdb\ufffdc"],
    ["a C1 control", "a\u009b31mb", "a\ufffd31mb"],
    ["a bare carriage return", "safe\rover", "safe\ufffdover"],
    ["line ends of other systems", "a\r\nb", "a\nb"],
    ["lines and tabs", "a\n\tb", "a\n\tb"],
    ["bidirectional controls", "a\u202eb\u2066c\u2069d\u200fe", "a\ufffdb\ufffdc\ufffdd\ufffde"],
    ["half a pair", "a\ud83db", "a\ufffdb"],
    ["the other half", "a\ude00b", "a\ufffdb"],
    ["a whole pair", "a😀b", "a😀b"],
    ["other scripts", "äЖ中\u0301", "äЖ中\u0301"],
  ])("with %s are safe to show", (_name, given, shown) => {
    expect(textOf(textNode(given))).toBe(shown);
  });

  test("of one line stay on it", () => {
    const node = read({ type: "table", columns: ["a\nb"], rows: [["c\td\r\ne\u001b"]] });
    expect(node).toEqual({ ok: true, value: { type: "table", columns: ["a b"], rows: [["c d e\ufffd"]] } });
  });

  test("are cleaned wherever they are", () => {
    const evil = "x\u001b\u202e";
    const nodes = [
      { type: "code", text: evil },
      { type: "diff", text: evil },
      { type: "table", columns: [evil], rows: [[evil]] },
      { type: "image", mediaType: "image/png", base64: "", alt: evil },
      { type: "progress", label: evil, done: 1 },
      { type: "group", title: evil, children: [textNode(evil)] },
      { type: "list", items: [textNode(evil)] },
    ];
    const made = read({ type: "group", children: nodes });
    expect(JSON.stringify(made)).toContain("x\ufffd\ufffd");
    expect(JSON.stringify(made)).not.toMatch(/\\u001b|\u202e/u);
  });
});

describe("bounds", () => {
  const nested = (depth: number): unknown => (depth === 1 ? { type: "diff", text: "" } : { type: "group", children: [nested(depth - 1)] });

  test("are exact for levels", () => {
    expect(wordsOf(nested(RENDER_LIMITS.depth))).toBe("accepted");
    expect(wordsOf(nested(RENDER_LIMITS.depth + 1))).toContain("at most 16 levels deep");
  });

  test("are exact for nodes, spans and cells alike", () => {
    const spans = (count: number): unknown => ({ type: "text", spans: Array.from({ length: count }, () => ({ text: "" })) });
    expect(wordsOf(spans(RENDER_LIMITS.nodes - 1))).toBe("accepted");
    expect(wordsOf(spans(RENDER_LIMITS.nodes))).toContain("within 2000 nodes");
    const rows = Array.from({ length: 1_000 }, () => ["a", "b"]);
    expect(wordsOf({ type: "table", columns: ["a", "b"], rows })).toContain("within 2000 nodes");
  });

  test("are exact for text, all of it together", () => {
    const codes = (...lengths: number[]): unknown => ({
      type: "group",
      children: lengths.map((length) => ({ type: "code", text: "x".repeat(length) })),
    });
    expect(wordsOf(codes(RENDER_LIMITS.textUnits / 2, RENDER_LIMITS.textUnits / 2))).toBe("accepted");
    expect(wordsOf(codes(RENDER_LIMITS.textUnits / 2, RENDER_LIMITS.textUnits / 2 + 1))).toContain("within 65536 characters");
  });

  test("hold for images, all of them together", () => {
    const image = (bytes: number): unknown => ({ type: "image", mediaType: "image/png", base64: "A".repeat((bytes / 3) * 4), alt: "" });
    const half = Math.floor(RENDER_LIMITS.imageBytes / 2 / 3) * 3;
    expect(wordsOf({ type: "group", children: [image(half), image(half)] })).toBe("accepted");
    expect(wordsOf({ type: "group", children: [image(half), image(half), image(300)] })).toContain("within 1048576 bytes of images");
  });

  test("stop a description that is only deep, before the stack does", () => {
    let node: unknown = { type: "diff", text: "" };
    for (let level = 0; level < 50_000; level += 1) node = { type: "list", items: [node] };
    expect(wordsOf(node)).toContain("levels deep");
  });
});
