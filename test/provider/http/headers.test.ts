import { describe, expect, test } from "vitest";
import { fillSecrets, redactor } from "../../../src/provider/http/secrets.js";
import { wireHeaders } from "../../../src/provider/http/headers.js";
import type { HttpRequest } from "../../../src/provider/index.js";

const request = (more: Partial<HttpRequest>): HttpRequest => ({
  method: "POST",
  url: "https://h.test/v1",
  headers: {},
  secrets: ["KEY"],
  ...more,
});
const made = (more: Partial<HttpRequest>): ReturnType<typeof wireHeaders> => wireHeaders(request(more), "1.2.3", () => "sk-live-1234");

describe("configured headers", () => {
  test("come last, whatever the case of their names, and nothing is filled into them", () => {
    const result = made({
      headers: { Authorization: "Bearer {secret:KEY}", "x-a": "plugin", accept: "a/b" },
      added: { authorization: "Token mine-5678", "X-A": "person", "User-Agent": "other" },
      body: "ä",
    });
    expect(result.ok && result.value.headers).toEqual({
      "user-agent": "other",
      "accept-encoding": "identity",
      authorization: "Token mine-5678",
      "x-a": "person",
      accept: "a/b",
      "content-length": "2",
    });
  });

  test("that hold a key are taken out of what comes back, with and without the word for the scheme", () => {
    const result = made({ added: { "X-Api-Key": "configured-key", authorization: "Bearer my-own-key-1", "x-title": "a title text" } });
    expect(result.ok && result.value.redact("configured-key my-own-key-1 a title text")).toBe("[redacted] [redacted] a title text");
  });

  test("may not refer to secrets", () => {
    expect(made({ added: { "x-a": "a {secret:KEY}" } })).toEqual({
      ok: false,
      error: {
        reason: "invalid-request",
        message: "the configured header x-a holds a reference to a secret, which headers of a configuration cannot",
      },
    });
  });

  test.each(["Host", "content-length", "Transfer-Encoding", "connection", "Upgrade", "keep-alive", "TE", "Trailer", "Expect"])(
    "%s belongs to the connection, whoever sets it",
    (name) => {
      const error = { reason: "invalid-request", message: `the header ${name} belongs to the connection and cannot be set` };
      expect(made({ added: { [name]: "x" } })).toEqual({ ok: false, error });
      expect(made({ headers: { [name]: "x" } })).toEqual({ ok: false, error });
    },
  );
});

describe("taking secrets out", () => {
  test.each([
    ["as it is", 'the key se/cret"key-1 is bad', "the key [redacted] is bad"],
    ["in JSON", '{"m":"se/cret\\"key-1"}', '{"m":"[redacted]"}'],
    ["in a URL", "?key=se%2Fcret%22key-1&x", "?key=[redacted]&x"],
  ])("%s", (_name, text, expected) => {
    expect(redactor(['se/cret"key-1'])(text)).toBe(expected);
  });

  test("a slash that is escaped", () => {
    expect(redactor(["se/cret-key"])("se\\/cret-key")).toBe("[redacted]");
  });

  test("a value inside another one leaves nothing of the longer one", () => {
    expect(redactor(["secret-1", "secret-1-and-more"])("secret-1-and-more secret-1")).toBe("[redacted] [redacted]");
  });

  test.each([
    ["base64", (key: string) => Buffer.from(key).toString("base64"), "[redacted]="],
    ["base64 of URLs", (key: string) => Buffer.from(key).toString("base64url"), "[redacted]"],
    ["hex", (key: string) => Buffer.from(key).toString("hex"), "[redacted]"],
  ])("in %s", (_name, written, expected) => {
    const key = "sk-live-AAA111~~~???222";
    expect(redactor([key])(`you sent ${written(key)} to us`)).toBe(`you sent ${expected} to us`);
  });

  test("what a cut leaves of the beginning of a key, wherever the cut is", () => {
    const key = "sk-live-AAA111BBB222CCC333";
    const clean = redactor([key]);
    for (let kept = 12; kept <= key.length; kept += 1)
      expect(clean(`page ${key.slice(0, kept)}… and ${key.slice(0, kept)}`)).toBe("page [redacted]… and [redacted]");
    expect(clean("keys begin with sk-live-")).toBe("keys begin with sk-live-");
  });

  test("config-4: a short value with digits and letters is no word, wherever it came from", () => {
    expect(redactor(["CCC333"])("bad key CCC333")).toBe("bad key [redacted]");
    const result = made({ added: { "x-api-key": "CCC333", authorization: "Bearer DDD444" } });
    expect(result.ok && result.value.redact("CCC333 or DDD444")).toBe("[redacted] or [redacted]");
  });

  test("short values are words of every sentence", () => {
    expect(redactor(["none"])("there is none")).toBe("there is none");
  });

  test("the key of a URL's query is taken out too", () => {
    const result = made({ url: "https://h.test/v1?key=in-the-query-1&alt=something-else" });
    expect(result.ok && result.value.redact("bad key in-the-query-1 for something-else")).toBe("bad key [redacted] for something-else");
  });
});

test("a reference is filled in wherever it stands in a value", () => {
  const filled = fillSecrets({ a: "x {secret:K} y {secret:K}" }, ["K"], () => " v1 ");
  expect(filled).toEqual({ ok: true, value: { headers: { a: "x v1 y v1" }, used: new Set(["v1"]) } });
});
