import { describe, expect, test } from "vitest";
import { run } from "../../../plugins/tool-mcp/run.js";
import { boundText } from "../../../plugins/tool-mcp/present/bound.js";
import type { JsonValue, McpCallOutput, McpContent, McpResourceInfo, McpServerView, ToolContext } from "../../../src/plugin/sdk.js";
import { hostError, serverOf, toolOf } from "./servers.js";

type Answer<T> = T | Error;
interface Host {
  readonly call?: Answer<Partial<McpCallOutput>>;
  readonly read?: Answer<{ readonly content: readonly McpContent[]; readonly omitted: number }>;
  readonly resources?: Answer<{ readonly resources: readonly McpResourceInfo[]; readonly truncated: boolean }>;
  readonly servers?: Answer<readonly McpServerView[]>;
}

const given = async <T>(answer: Answer<T> | undefined): Promise<T> => {
  if (answer === undefined) throw new Error("an operation that the test did not expect");
  if (answer instanceof Error) throw answer;
  return answer;
};

/** Runs a call over a host that answers so, and says what the host was asked. */
async function runOver(
  host: Host,
  { target = { server: "demo", tool: "x" }, args = {} }: { target?: JsonValue; args?: Record<string, JsonValue> } = {},
) {
  const asked: unknown[] = [];
  const mcp = {
    call: async (input: unknown) => {
      asked.push(input);
      return { content: [], isError: false, omitted: 0, ...(await given(host.call)) };
    },
    read: async (input: unknown) => {
      asked.push(input);
      return await given(host.read);
    },
    resources: async (input: unknown) => {
      asked.push(input);
      return await given(host.resources);
    },
    servers: async () => await given(host.servers),
  };
  // Nothing else of a context may be used by these tools.
  const output = await run({ name: "mcp__demo__x", target, args }, { mcp } as unknown as ToolContext);
  return { output, asked };
}

const text = (words: string): McpContent => ({ type: "text", text: words });
const image = (ref: string): McpContent => ({ type: "image", image: { ref, mediaType: "image/png", bytes: 2_048, width: 64, height: 48 } });

const textOf = async (content: readonly McpContent[], over: Partial<McpCallOutput> = {}): Promise<string> =>
  (await runOver({ call: { content, ...over } })).output.text;

describe("a call", () => {
  test("reaches the server under the original name, once, with its arguments as they are", async () => {
    const args = { path: "a", deep: { list: [1, null] } };
    const { output, asked } = await runOver(
      { call: { content: [text("done\nwell")], structured: { n: 1 } } },
      { target: { server: "git.hub/x", tool: "a.b" }, args },
    );
    expect(asked).toEqual([{ server: "git.hub/x", tool: "a.b", args }]);
    expect(output).toEqual({
      text: 'done\nwell\n\n{"n":1}',
      isError: false,
      summary: "done · 3 lines",
      details: { data: { server: "git.hub/x", tool: "a.b", structured: { n: 1 } } },
    });
  });

  test.each<[string, JsonValue]>([
    ["nothing", null],
    ["no tool", { server: "demo" }],
    ["a list", []],
  ])("for %s is an error before any effect", async (_case, target) => {
    const { output, asked } = await runOver({}, { target });
    expect({ isError: output.isError, asked }).toEqual({ isError: true, asked: [] });
    expect(output.text).toBe("mcp__demo__x names no tool of an MCP server; the servers have changed. Use a tool that is offered now.");
  });
});

describe("what a server answered (mcp-6)", () => {
  test("an image alone goes to the model as an image", async () => {
    const { output } = await runOver({ call: { content: [image("i1")] } });
    expect(output).toMatchObject({
      text: "[image 1: image/png, 64x48, 2.0 KiB]",
      images: ["i1"],
      summary: "1 image",
      details: { data: { images: 1 } },
    });
  });

  test("more images than eight are told of", async () => {
    const { output } = await runOver({ call: { content: Array.from({ length: 9 }, (_, index) => image(`i${index}`)) } });
    expect(output.images).toHaveLength(8);
    expect(output.text.split("\n").at(-1)).toBe("[one more image, image/png, 64x48, 2.0 KiB: at most 8 are shown]");
  });

  test.each<[string, readonly McpContent[], Partial<McpCallOutput>, string]>([
    ["structured content alone", [], { structured: { n: 42 } }, '{"n":42}'],
    [
      "structured content that a text says too",
      [text('{ "b": [1], "n": 42 }')],
      { structured: { n: 42, b: [1] } },
      '{ "b": [1], "n": 42 }',
    ],
    ["a wrapped value that a text says too", [text("42")], { structured: { result: 42 } }, "42"],
    ["a wrapped text that a text says too", [text("forty-two")], { structured: { result: "forty-two" } }, "forty-two"],
    ["structured content that no text says", [text("see there")], { structured: [1] }, "see there\n\n[1]"],
    [
      "a text and an embedded text",
      [text("here"), { type: "resource", uri: "file:///a.md", mediaType: "text/markdown", text: "# A" }],
      {},
      "here\n\n[resource file:///a.md, text/markdown]\n# A",
    ],
    [
      "an embedded blob",
      [{ type: "other", kind: "blob", uri: "file:///a.zip", mediaType: "application/zip", bytes: 3_145_728 }],
      {},
      "[blob: uri file:///a.zip, type application/zip, 3.0 MiB; not shown]",
    ],
    [
      "a link",
      [{ type: "other", kind: "link", uri: "file:///b", name: "b", description: "the\nother" }],
      {},
      "[link to a resource: uri file:///b, name b, the other]",
    ],
    ["sound", [{ type: "other", kind: "audio", mediaType: "audio/wav", bytes: 1 }], {}, "[audio: type audio/wav, 1 byte; not shown]"],
    ["something nobody knows", [{ type: "other", kind: "hologram" }], {}, "[hologram; not shown]"],
    ["nothing", [], {}, "(nothing)"],
    ["blank texts", [text(" \n"), text("")], {}, "(nothing)"],
    ["more than is passed on", [text("a")], { omitted: 1 }, "a\n[1 more character of the answer left out]"],
  ])("%s", async (_case, content, over, expected) => {
    expect(await textOf(content, over)).toBe(expected);
  });

  test("an error is one, with all its texts", async () => {
    const { output } = await runOver({ call: { content: [text("no such row"), text("try id 7")], isError: true } });
    expect(output).toMatchObject({ text: "no such row\n\ntry id 7", isError: true, summary: "no such row · 2 lines" });
    expect((await runOver({ call: { isError: true } })).output).toMatchObject({ text: "(failed, without a word why)", isError: true });
  });

  test("bytes in structured content are told of, not written out", async () => {
    const { output } = await runOver({ call: { structured: { name: "a.png", data: "QUJD".repeat(2_000) } } });
    expect(output.text).toBe('{"name":"a.png","data":"[8000 characters of base64 left out]"}');
    expect(JSON.stringify(output)).not.toContain("QUJDQUJD");
  });

  test("structured content over its bound stays out of the details", async () => {
    const { output } = await runOver({ call: { structured: { words: "a b ".repeat(40_000) } } });
    expect(output.details?.data).toMatchObject({ structured: { omitted: "160012 characters of JSON" } });
  });

  test("a long answer keeps head and tail within what reaches the model, and says what is missing", async () => {
    const long = await textOf([text(`HEAD${"é".repeat(100_000)}TAIL`)]);
    expect(Buffer.byteLength(long)).toBeLessThan(64 * 1024);
    expect(long).toMatch(/^HEADé+\n\[\d+ of 100008 characters left out here; ask for less at once\]\né+TAIL$/u);
  });

  test.each([10, 11, 12, 13, 14, 15])("a bound of %i bytes splits no character, and what is kept and left out is the whole", (bytes) => {
    const [head = "", note = "", tail = ""] = boundText("a😀é".repeat(20), bytes).split("\n");
    expect(`${head}${tail}`.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(bytes);
    expect(note).toBe(`[${80 - head.length - tail.length} of 80 characters left out here; ask for less at once]`);
  });

  test("what fits to the byte is kept whole", () => {
    const text = "é😀".repeat(10);
    expect(boundText(text, 60)).toBe(text);
    expect(boundText(text, 59)).not.toBe(text);
  });
});

describe("a server that cannot be used", () => {
  const LOST = hostError("mcp.answer-lost", "The MCP server demo ended.", "It exited with 1.", "Try again.");

  test.each<[string, readonly McpServerView[] | Error, readonly string[]]>([
    ["is gone from the settings", [serverOf({ name: "other" })], ["There is no MCP server demo any more; there are other."]],
    [
      "failed",
      [serverOf({ state: "failed", message: "it exited five times" })],
      ["The MCP server demo is not usable now: it exited five times"],
    ],
    ["is on its way back", [serverOf({ state: "reconnecting" })], ["The MCP server demo is connecting again now."]],
    ["lists the tool no more", [serverOf({ tools: [toolOf("y")] })], ["demo does not list the tool x any more."]],
    ["is there as before", [serverOf({ tools: [toolOf("x")] })], []],
    ["cannot be asked after", hostError("grant.denied", "No."), []],
  ])("and %s: the error says what happened and how it stands", async (_case, servers, lines) => {
    const { output, asked } = await runOver({ call: LOST, servers });
    expect(output).toEqual({
      text: ["The MCP server demo ended.", "It exited with 1.", "Try again.", ...lines].join("\n"),
      isError: true,
      summary: "The MCP server demo ended.",
      details: { data: { server: "demo", tool: "x", code: "mcp.answer-lost" } },
    });
    expect(asked).toHaveLength(1);
  });

  test("a call that was not answered in time says that nobody knows whether it was carried out", async () => {
    const late = hostError("mcp.timed-out", "x was not answered within 30 s.");
    const connected = [serverOf({ tools: [toolOf("x")] })];
    expect((await runOver({ call: late, servers: connected })).output.text).toBe(
      "x was not answered within 30 s.\nWhy.\nWhether it was carried out is not known; it is not sent again.\nNext.",
    );
    const reading = await runOver(
      { read: late, servers: connected },
      { target: { server: "demo", reads: "resources" }, args: { uri: "u" } },
    );
    expect(reading.output.text).toBe("x was not answered within 30 s.\nWhy.\nNext.");
  });

  test("what a failure says of the server is not said twice", async () => {
    const servers = [serverOf({ state: "failed", message: "it exited" })];
    const { output } = await runOver({ call: hostError("mcp.server-failed", "It cannot be used.", "It exited."), servers });
    expect(output.text).toBe("It cannot be used.\nIt exited.\nNext.");
  });

  test("a fault of the plugin itself is no error of the server", async () => {
    await expect(runOver({ call: new Error("bug") })).rejects.toThrow("bug");
  });
});

describe("resources", () => {
  const target = { server: "demo", reads: "resources" };

  test("one is read by its address", async () => {
    const content: readonly McpContent[] = [{ type: "resource", uri: "demo://1", text: "one" }];
    const { output, asked } = await runOver({ read: { content, omitted: 0 } }, { target, args: { uri: "demo://1" } });
    expect(asked).toEqual([{ server: "demo", uri: "demo://1" }]);
    expect(output).toMatchObject({
      text: "[resource demo://1]\none",
      isError: false,
      details: { data: { server: "demo", uri: "demo://1" } },
    });
  });

  test("without an address they are listed, templates with what they are", async () => {
    const resources = [
      { uri: "demo://1", name: "One", description: "The first\none", mediaType: "text/plain", bytes: 3 },
      { uri: "demo://{id}", name: "demo://{id}" },
    ];
    const { output, asked } = await runOver({ resources: { resources, truncated: true } }, { target, args: { uri: "" } });
    expect(asked).toEqual([{ server: "demo" }]);
    expect(output).toMatchObject({
      text: "demo://1  One  (text/plain, 3 bytes)  The first one\ndemo://{id}\n[an address with {name} is a template: put values in the place of its braces]\n[there are more resources than are listed here]",
      summary: "2 resources and more",
    });
  });

  test("none at all is an answer", async () => {
    expect((await runOver({ resources: { resources: [], truncated: false } }, { target })).output).toMatchObject({
      text: "demo lists no resources.",
      isError: false,
    });
  });

  test("one that cannot be read is an error with what is known", async () => {
    const { output } = await runOver(
      { read: hostError("mcp.failed", "No such resource."), servers: [serverOf()] },
      { target, args: { uri: "x" } },
    );
    expect(output).toMatchObject({ text: "No such resource.\nWhy.\nNext.", isError: true });
  });
});
