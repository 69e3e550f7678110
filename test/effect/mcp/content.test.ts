import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { readAnswer, readContents } from "../../../src/effect/mcp/content.js";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const partsOf = (...content: JsonObject[]) => readAnswer({ content }).content;

describe("parts of an answer", () => {
  test("an image is one by its bytes, whatever it is called, and is written anew", () => {
    const image = { type: "image", image: { mediaType: "image/png", base64: PNG } };
    expect(partsOf({ type: "image", data: PNG, mimeType: "image/jpeg" })).toEqual([image]);
    expect(partsOf({ type: "image", data: `${PNG.slice(0, 20)}\n${PNG.slice(20)}` })).toEqual([image]);
    expect(readContents({ contents: [{ uri: "x:1", mimeType: "image/png", blob: PNG }] })).toEqual([image]);
  });

  test("what is no image is told as what it says it is, without its bytes", () => {
    expect(partsOf({ type: "image", data: "bm90IGFuIGltYWdl", mimeType: "image/png" })).toEqual([
      { type: "other", kind: "image", mediaType: "image/png", bytes: 12 },
    ]);
  });

  test("resources, blobs, links, sounds and kinds nobody knows keep what is known of them", () => {
    const blob = Buffer.alloc(3_000_000).toString("base64");
    const parts = partsOf(
      { type: "text", text: "see" },
      { type: "resource", resource: { uri: "file:///a.md", mimeType: "text/markdown", text: "# A" } },
      { type: "resource", resource: { uri: "file:///a.bin", mimeType: "application/octet-stream", blob } },
      { type: "resource_link", uri: "https://x.example/y", name: "Y", description: "about y", size: 7 },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "hologram", data: "AAAA" },
      {},
    );
    expect(parts).toEqual([
      { type: "text", text: "see" },
      { type: "resource", uri: "file:///a.md", mediaType: "text/markdown", text: "# A" },
      { type: "other", kind: "blob", uri: "file:///a.bin", mediaType: "application/octet-stream", bytes: 3_000_000 },
      { type: "other", kind: "link", uri: "https://x.example/y", name: "Y", description: "about y", bytes: 7 },
      { type: "other", kind: "audio", mediaType: "audio/wav", bytes: 3 },
      { type: "other", kind: "hologram", bytes: 3 },
      { type: "other", kind: "unknown" },
    ]);
    expect(JSON.stringify(parts)).not.toContain("AAAA");
  });

  test("structured content without any other is there, and errors are marked with all their texts", () => {
    expect(readAnswer({ content: [], structuredContent: { n: 42 } })).toEqual({ content: [], structured: { n: 42 }, isError: false });
    const texts = ["one", "two"].map((text) => ({ type: "text", text }));
    expect(readAnswer({ content: texts, isError: true })).toEqual({ content: texts, isError: true });
  });

  test.each([[undefined], [null], ["text"], [[1, "x", null]]])("content that is none (%j) is an empty answer", (content) => {
    expect(readAnswer(content === undefined ? {} : { content })).toEqual({ content: [], isError: false });
  });
});
