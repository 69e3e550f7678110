import { describe, expect, test } from "vitest";
import { redactHeaders, redactJsonText, redactJsonValue, redactUrl } from "../../src/base/index.js";

describe("seed of the framework, section 16.4: headers", () => {
  test.each([
    "Authorization",
    "authorization",
    "AUTHORIZATION",
    "X-Api-Key",
    "x-api-key",
    "Api-Key",
    "api-key",
    "Cookie",
    "Set-Cookie",
    "set-cookie",
    "x-goog-api-key",
    "X-Goog-Api-Key",
    "Proxy-Authorization",
    "proxy-authorization",
    "X-Auth-Token",
    "X-Vendor-Password",
  ])("%s is replaced", (name) => {
    expect(redactHeaders({ [name]: "Bearer sk-live-1" })).toEqual({ [name]: "<redacted>" });
  });

  test.each(["Content-Type", "x-request-id", "anthropic-version", "retry-after", "x-ratelimit-remaining-tokens", "user-agent"])(
    "%s stays",
    (name) => {
      expect(redactHeaders({ [name]: "v" })).toEqual({ [name]: "v" });
    },
  );
});

describe("seed of the framework, section 16.4: JSON", () => {
  test.each([
    "apikey",
    "api_key",
    "api-key",
    "ApiKey",
    "OPENAI_API_KEY",
    "access_token",
    "access-token",
    "accessToken",
    "bearer",
    "BearerAuth",
    "password",
    "dbPassword",
    "client_secret",
    "clientSecret",
    "refresh_token",
    "refreshToken",
    "id_token",
    "private_key",
    "secret_access_key",
    "token",
    "secret",
    "authorization",
    "cookie",
  ])("the value of %s is replaced", (key) => {
    expect(redactJsonValue({ [key]: "v" })).toEqual({ [key]: "<redacted>" });
    expect(redactJsonText(`{"${key}":{"nested":["v"]}}`)).toBe(`{"${key}":"<redacted>"}`);
  });

  test.each(["max_tokens", "total_tokens", "tokens", "tokenizer", "key", "secretary", "author", "keyword", "cookies_enabled"])(
    "the value of %s stays",
    (key) => {
      expect(redactJsonValue({ [key]: "v" })).toEqual({ [key]: "v" });
    },
  );

  test("at any depth, in lists, whatever the value is", () => {
    expect(redactJsonText('[{"a":[{"password":1,"b":"x"}]},{"api_key":null}]')).toBe(
      '[{"a":[{"password":"<redacted>","b":"x"}]},{"api_key":"<redacted>"}]',
    );
  });

  test("keys written with escapes", () => {
    expect(redactJsonText('{"p\\u0061ssword":"v"}')).toBe('{"password":"<redacted>"}');
  });

  test.each([
    ["cut in the value", '{"a":"b","password":"geheim', '{"a":"b","password":"<redacted>"'],
    ["cut in an escape", '{"password":"gehe\\', '{"password":"<redacted>"'],
    ["a number, cut", '{"password":12345', '{"password":"<redacted>"'],
    ["inside other text", 'data: {"access_token": "v1", "x": 1}', 'data: {"access_token": "<redacted>", "x": 1}'],
    ["a quote in the value", 'x {"password":"a\\"b","c":"d"}', 'x {"password":"<redacted>","c":"d"}'],
    ["other text", "no JSON at all", "no JSON at all"],
  ])("text that does not parse: %s", (_name, text, expected) => {
    expect(redactJsonText(text)).toBe(expected);
  });

  test("a key named like the prototype stays a key", () => {
    expect(redactJsonText('{"__proto__":{"password":"v"}}')).toBe('{"__proto__":{"password":"<redacted>"}}');
  });

  test("nesting without end is no reason to fail", () => {
    const text = `${'{"a":'.repeat(20_000)}{"password":"v"}${"}".repeat(20_000)}`;
    expect(redactJsonText(text)).not.toContain('"v"');
  });

  test("long text takes time in proportion", () => {
    const text = `data: ${'{"a":"b\\\\"'.repeat(100_000)}`;
    expect(redactJsonText(text)).toBe(text);
  });
});

describe("URLs", () => {
  test.each([
    ["http://u:geheim@h.test/a", "http://h.test/a"],
    ["https://h.test/a?key=geheim&alt=sse", "https://h.test/a?key=redacted&alt=sse"],
    ["https://h.test/a?X-Amz-Signature=geheim", "https://h.test/a?X-Amz-Signature=redacted"],
    ["https://h.test/a?access_token=geheim#f", "https://h.test/a?access_token=redacted#f"],
    ["/login?token=geheim&next=/", "/login?token=redacted&next=/"],
    ["//u:geheim@h.test", "//h.test"],
    ["not a URL", "not a URL"],
  ])("%s", (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});
