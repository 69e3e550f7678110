import { describe, expect, test } from "vitest";
import { fail } from "../../plugins/provider-anthropic/stream/errors.js";
import type { ResponseHead } from "../../src/plugin/sdk.js";

const head = (status: number, headers: Readonly<Record<string, string>> = {}): ResponseHead => ({
  status,
  url: "http://h/v1/messages",
  headers,
});
const body = (type: string, message: string): string => JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });

describe("a refused request", () => {
  test.each([
    [400, body("invalid_request_error", "messages.0: unknown role"), "invalid"],
    [400, body("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), "context-overflow"],
    [400, body("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"), "context-overflow"],
    [400, body("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "quota"],
    [
      400,
      body("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01."),
      "quota",
    ],
    [400, body("invalid_request_error", "Output blocked by content filtering policy"), "content-filter"],
    [401, body("authentication_error", "invalid x-api-key"), "auth"],
    [402, body("billing_error", "Add a payment method"), "quota"],
    [403, body("permission_error", "no access to this model"), "auth"],
    [404, body("not_found_error", "model: claude-none"), "not-found"],
    [413, body("request_too_large", "Request exceeds the maximum size"), "context-overflow"],
    [429, body("rate_limit_error", "Number of requests has exceeded your rate limit"), "rate-limit"],
    [429, body("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit: too many tokens"), "rate-limit"],
    [500, body("api_error", "Internal server error"), "transport"],
    [504, body("timeout_error", "Request timed out"), "transport"],
    [529, body("overloaded_error", "Overloaded"), "overloaded"],
  ])("%i %s is %s", (status, text, kind) => {
    expect(fail(head(status), text).class).toBe(kind);
    expect(fail(head(status), text).status).toBe(status);
  });

  test.each([
    [
      '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}}',
      400,
      "context-overflow",
      "9000 tokens",
    ],
    ['{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}', 503, "overloaded", "Loading model"],
    ['{"error":"no such route"}', 404, "not-found", "no such route"],
    ['{"detail":"Not authenticated"}', 401, "auth", "Not authenticated"],
    ['{"message":"upstream timed out"}', 502, "transport", "upstream timed out"],
    ['[{"error":{"message":"quota exceeded","code":429}}]', 429, "quota", "quota exceeded"],
    ["plain words", 422, "invalid", "plain words"],
    ["", 500, "transport", "HTTP 500 without an explanation"],
    ["{}", 418, "invalid", "{}"],
  ])("by a proxy or another server: %s", (text, status, kind, words) => {
    expect(fail(head(status), text)).toMatchObject({
      class: kind,
      message: words === "9000 tokens" ? (expect.stringContaining(words) as string) : words,
    });
  });

  test("has words of a bounded length", () => {
    expect(fail(head(400), "x".repeat(10_000)).message).toBe(`${"x".repeat(4000)} [cut; 10000 characters]`);
  });
});

describe("the time to wait", () => {
  const DATE = "Mon, 30 Nov 2026 10:00:00 GMT";
  const wait = (headers: Readonly<Record<string, string>>, status = 429, type = "rate_limit_error"): number | undefined =>
    fail(head(status, { Date: DATE, ...headers }), body(type, "slow down")).retryAfterMs;

  test.each([
    [{ "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:07Z" }, 7000],
    [{ "Anthropic-RateLimit-Tokens-Reset": "2026-11-30T10:00:07Z", "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:02Z" }, 7000],
    [
      {
        "anthropic-ratelimit-tokens-remaining": "100",
        "anthropic-ratelimit-tokens-reset": "2026-11-30T11:00:00Z",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:02Z",
      },
      2000,
    ],
    [{ "anthropic-ratelimit-unified-reset": String(Date.parse("2026-11-30T10:05:00Z") / 1000) }, 300_000],
    [{ "anthropic-ratelimit-requests-reset": "2026-11-30T09:00:00Z" }, 0],
    [{ "anthropic-ratelimit-requests-reset": "soon" }, undefined],
    [{}, undefined],
  ])("is taken from the vendor's reset headers: %j", (headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  test("is the host's to read from retry-after", () => {
    expect(wait({ "retry-after": "3", "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:07Z" })).toBeUndefined();
  });

  test("is told only where waiting helps", () => {
    const reset = { "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:07Z" };
    expect(wait(reset, 529, "overloaded_error")).toBe(7000);
    expect(wait(reset, 400, "invalid_request_error")).toBeUndefined();
  });
});
