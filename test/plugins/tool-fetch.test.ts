import { describe, expect, test } from "vitest";
import { fetch, type FetchArgs } from "../../plugins/tool-fetch/index.js";
import type { FetchOutput } from "../../src/plugin/sdk.js";
import { runTool } from "./fake-context.js";

const answer = (over: Partial<FetchOutput>): FetchOutput => ({
  status: 200,
  url: "https://e.org/",
  headers: { "content-type": "text/plain" },
  body: "hello",
  omittedBytes: 0,
  ...over,
});

const hostError = (code: string) => Object.assign(new Error(code), { name: "HostError", code, what: "What.", why: "Why.", next: "Next." });

/** Answers in their order, the last one again and again; with the waits between them. */
async function fetched(answers: readonly (FetchOutput | Error)[], args: Partial<FetchArgs> = {}) {
  let asked = 0;
  const waits: number[] = [];
  const methods: (string | undefined)[] = [];
  const output = await runTool(
    fetch,
    { url: "https://e.org/", ...args },
    {
      fetch: async ({ method }) => {
        methods.push(method);
        const next = answers[Math.min(asked, answers.length - 1)];
        asked += 1;
        if (next === undefined || next instanceof Error) throw next ?? new Error("no answer");
        return next;
      },
      markdown: async ({ html }) => ({ markdown: html.replace(/<[^>]*>/gu, ""), title: "T" }),
      sleep: async (ms) => {
        waits.push(ms);
      },
    },
  );
  return { output, asked, waits, methods };
}

describe("what comes", () => {
  test("text is as it is, below its address", async () => {
    expect((await fetched([answer({})])).output).toEqual({
      text: "https://e.org/\n\nhello",
      isError: false,
      summary: "5 characters",
      details: { data: { url: "https://e.org/", status: 200, characters: 5, contentType: "text/plain" } },
    });
  });

  test.each<[string, [string, Partial<FetchArgs>], string, string]>([
    ["a page is Markdown", ["text/html; charset=utf-8", {}], "<p>x</p>", "https://e.org/\nT\n\nx"],
    ["raw is the page as it is", ["text/html", { raw: true }], "<p>x</p>", "https://e.org/\n\n<p>x</p>"],
    ["JSON is as it is", ["application/json", {}], '{"a":1}', 'https://e.org/\n\n{"a":1}'],
    ["text that says nothing of itself is text", ["", {}], "words", "https://e.org/\n\nwords"],
    ["a page that says nothing of itself is a page", ["", {}], "<!DOCTYPE html><p>x", "https://e.org/\nT\n\nx"],
  ])("%s", async (_, [type, args], body, text) => {
    expect((await fetched([answer({ headers: { "content-type": type }, body })], args)).output).toMatchObject({ text, isError: false });
  });

  test.each([
    ["an image", { "content-type": "image/png", "content-length": "900" }, "\ufffdPNG", "image/png, 900 bytes"],
    ["text with NULs", { "content-type": "text/plain" }, "a\0b", "text/plain, of unknown size"],
    ["bytes without a type", {}, "\ufffd\ufffd\0", "data, of unknown size"],
  ])("%s is named and not dumped", async (_, headers, body, summary) => {
    const { output } = await fetched([answer({ headers: headers, body })]);
    expect(output).toMatchObject({ isError: false, summary });
    expect(output.text).not.toContain(body);
  });

  test("head is asked for without its content, and its headers are the answer", async () => {
    const headers = { "content-type": "application/zip", "content-length": "123456789", etag: '"x"' };
    const { output, methods } = await fetched([answer({ status: 503 }), answer({ headers, body: "" })], { head: true });
    expect(methods).toEqual(["HEAD", "HEAD"]);
    expect(output).toMatchObject({
      text: 'https://e.org/ answered 200.\ncontent-type: application/zip\ncontent-length: 123456789\netag: "x"',
      isError: false,
      summary: "200, application/zip",
    });
    expect((await fetched([answer({ status: 404, body: "" })], { head: true })).output).toMatchObject({ isError: true, summary: "404" });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, "v".repeat(5_000)]));
    expect((await fetched([answer({ headers: many })], { head: true })).output.text.length).toBeLessThan(32_000);
  });

  test("a page that cannot be converted is shown as it is, and told", async () => {
    const output = await runTool(
      fetch,
      { url: "https://e.org/" },
      {
        fetch: async () => answer({ headers: { "content-type": "text/html" }, body: "<p>x" }),
        markdown: async () => {
          throw hostError("text.not-converted");
        },
      },
    );
    expect(output.text).toBe("https://e.org/\n\n<p>x\n[shown as it is: Why.]");
  });
});

describe("what a plugin may take at once", () => {
  test("an answer that is too much once it is escaped is asked for again with less of it", async () => {
    const sizes: (number | undefined)[] = [];
    const output = await runTool(
      fetch,
      { url: "https://e.org/" },
      {
        fetch: async ({ maxBytes }) => {
          sizes.push(maxBytes);
          if (sizes.length === 1) throw hostError("plugin.answer-size");
          return answer({ omittedBytes: 9 });
        },
      },
    );
    expect(sizes).toEqual([3 * 1024 * 1024, 640 * 1024]);
    expect(output).toMatchObject({
      isError: false,
      text: "https://e.org/\n\nhello\n[the answer was longer: 9 bytes at its end were not taken]",
    });
  });

  test("a page waits for its turn when several are converted at once", async () => {
    let calls = 0;
    const waits: number[] = [];
    const output = await runTool(
      fetch,
      { url: "https://e.org/" },
      {
        fetch: async () => answer({ headers: { "content-type": "text/html" }, body: "<p>x" }),
        markdown: async () => {
          calls += 1;
          if (calls < 4) throw hostError("plugin.call-credit");
          return { markdown: "x" };
        },
        sleep: async (ms) => {
          waits.push(ms);
        },
      },
    );
    expect({ text: output.text, waits }).toEqual({ text: "https://e.org/\n\nx", waits: [200, 200, 200] });
  });
});

describe("windows", () => {
  const body = `${"a".repeat(29_999)}😀${"b".repeat(10)}`;

  test("end between characters, say how to go on, and meet", async () => {
    const first = (await fetched([answer({ body })])).output.text;
    expect(first).toContain("[characters 0-29999 of 30011; continue with offset=29999]");
    const rest = (await fetched([answer({ body })], { offset: 29_999 })).output.text;
    expect(rest).toBe(`https://e.org/\n\n😀${"b".repeat(10)}`);
  });

  test("behind the end there is nothing", async () => {
    expect((await fetched([answer({})], { offset: 5 })).output).toMatchObject({
      isError: true,
      text: "https://e.org/ has 5 characters; there is nothing at offset 5.",
    });
  });

  test("bytes that were not taken are told", async () => {
    expect((await fetched([answer({ omittedBytes: 7 })])).output.text).toContain("7 bytes at its end were not taken");
  });
});

describe("refusals", () => {
  test.each([
    [403, "does not serve programs"],
    [404, "no such page"],
    [401, "credentials"],
    [410, "gone for good"],
  ])("%i is told at once, with advice and what the server said", async (status, advice) => {
    const { output, asked } = await fetched([answer({ status, body: "because" })]);
    expect(asked).toBe(1);
    expect(output).toMatchObject({ isError: true, summary: String(status) });
    expect(output.text).toContain(advice);
    expect(output.text).toContain("because");
  });

  test.each([408, 429, 500, 502, 503, 504])("%i is tried three times in all", async (status) => {
    expect(await fetched([answer({ status })])).toMatchObject({ asked: 3, waits: [500, 1_500], output: { isError: true } });
    expect(await fetched([answer({ status }), answer({})])).toMatchObject({ asked: 2, output: { isError: false } });
  });

  test("a wait the server names is kept where it is short, and told where it is long", async () => {
    const busy = (after: string) => answer({ status: 429, headers: { "retry-after": after } });
    expect((await fetched([busy("3"), answer({})])).waits).toEqual([3_000]);
    const { output, asked } = await fetched([busy("120")]);
    expect({ asked, told: output.text.includes("Retry-After: 120") }).toEqual({ asked: 1, told: true });
  });

  test.each(["net.timeout", "net.unreachable", "net.no-answer", "net.broken-body"])("%s is tried again", async (code) => {
    expect(await fetched([hostError(code)])).toMatchObject({ asked: 3, output: { isError: true, text: "What.\nWhy.\nNext." } });
  });

  test.each(["net.private-address", "grant.denied", "net.bad-redirect"])("%s is not", async (code) => {
    expect(await fetched([hostError(code)])).toMatchObject({ asked: 1, output: { isError: true } });
  });

  test.each(["file:///etc/passwd", "ftp://e.org/", "e.org", "javascript:alert(1)"])("%s is no address of the web", async (url) => {
    expect(await runTool(fetch, { url }, {})).toMatchObject({ isError: true });
  });
});
