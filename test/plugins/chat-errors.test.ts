import { describe, expect, test } from "vitest";
import { fail } from "../../plugins/provider-openai-compatible/errors.js";

describe("failures", () => {
  const error = (message: string, rest: object = {}): string => JSON.stringify({ error: { message, ...rest } });

  test.each([
    [401, error("bad key"), "auth", "bad key"],
    [403, error("no access"), "auth", "no access"],
    [404, error("model not found"), "not-found", "model not found"],
    [404, "404 page not found", "not-found", "404 page not found"],
    [400, error("bad field"), "invalid", "bad field"],
    [
      400,
      error("This model's maximum context length is 4096 tokens"),
      "context-overflow",
      "This model's maximum context length is 4096 tokens",
    ],
    [400, error("too big", { type: "exceed_context_size_error" }), "context-overflow", "too big"],
    [413, error("prompt is too long: 9 tokens"), "context-overflow", "prompt is too long: 9 tokens"],
    [400, error("the output would be hateful", { code: "content_filter" }), "content-filter", "the output would be hateful"],
    [422, '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}', "invalid", "body.messages: field required"],
    [400, '{"detail":"Unsupported"}', "invalid", "Unsupported"],
    [400, '{"error":"as text"}', "invalid", "as text"],
    [400, '{"message":"flat"}', "invalid", "flat"],
    [400, '[{"error":{"message":"in a list"}}]', "invalid", "in a list"],
    [429, error("slow down"), "rate-limit", "slow down"],
    [429, error("Your quota is used up", { type: "insufficient_quota" }), "quota", "Your quota is used up"],
    [
      429,
      error("You exceeded your current quota, check your billing details"),
      "quota",
      "You exceeded your current quota, check your billing details",
    ],
    [402, error("Insufficient credits"), "quota", "Insufficient credits"],
    [402, "", "quota", "HTTP 402 without an explanation"],
    [403, error("Key limit exceeded (total limit)"), "quota", "Key limit exceeded (total limit)"],
    [429, error("Rate limit exceeded: free-models-per-day"), "quota", "Rate limit exceeded: free-models-per-day"],
    [
      400,
      error("Budget has been exceeded! Current cost: 10", { type: "budget_exceeded" }),
      "quota",
      "Budget has been exceeded! Current cost: 10",
    ],
    [429, error("Rate limit reached for requests per minute"), "rate-limit", "Rate limit reached for requests per minute"],
    [500, error("boom"), "transport", "boom"],
    [500, error("Failed to apply jinja template: roles must alternate"), "invalid", "Failed to apply jinja template: roles must alternate"],
    [
      500,
      error("image input is not supported - hint: you may need to provide the mmproj"),
      "invalid",
      "image input is not supported - hint: you may need to provide the mmproj",
    ],
    [502, "", "transport", "HTTP 502 without an explanation"],
    [503, error("Loading model"), "overloaded", "Loading model"],
    [529, error("busy"), "overloaded", "busy"],
    [408, error("timeout"), "transport", "timeout"],
    [501, error("not implemented"), "invalid", "not implemented"],
    [
      400,
      error("Provider returned error", { metadata: { raw: "the real words", provider_name: "Up" } }),
      "invalid",
      "Provider returned error (Up: the real words)",
    ],
  ])("%i %s is %s", (status, body, kind, message) => {
    expect(fail({ status, url: "http://h/v1", headers: {} }, body)).toEqual({ class: kind, message, status });
  });

  test("the server's words are bounded", () => {
    expect(fail({ status: 400, headers: {} }, error("x".repeat(9000))).message).toBe(`${"x".repeat(4000)} [cut; 9000 characters]`);
  });

  test.each([
    { "retry-after": "30" },
    { "retry-after": "0.25" },
    { "Retry-After": "Wed, 21 Oct 2015 07:28:04 GMT" },
    { "retry-after-ms": "1500" },
  ])("a quota with a time to wait for is a rate limit, and how long is the host's to read: %j", (headers) => {
    const message = "You exceeded your current quota";
    expect(fail({ status: 429, headers }, error(message))).toEqual({ class: "rate-limit", status: 429, message });
  });

  test.each([{}, { "retry-after": "soon" }, { "retry-after": "" }])("without a time to wait for it is one: %j", (headers) => {
    expect(fail({ status: 429, headers }, error("You exceeded your current quota"))).toMatchObject({ class: "quota" });
  });

  const error429 = error("slow down");
  const noon = "Wed, 21 Oct 2015 12:00:00 GMT";
  const noonMs = Date.parse(noon);
  test.each([
    ["seconds with a unit", { "x-ratelimit-reset-requests": "1s" }, 1000],
    ["minutes and seconds", { "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    ["milliseconds", { "x-ratelimit-reset-tokens": "20ms" }, 20],
    ["a part of a second", { "X-RateLimit-Reset-Tokens": "7.66s" }, 7660],
    ["a plain number", { "x-ratelimit-reset-requests-minute": "11.38" }, 11_380],
    ["seconds since the epoch", { "x-ratelimit-reset": String(noonMs / 1000 + 5), date: noon }, 5000],
    ["milliseconds since the epoch", { "X-RateLimit-Reset": String(noonMs + 2500), Date: noon }, 2500],
    ["a time that is over", { "x-ratelimit-reset": String(noonMs - 2500), date: noon }, 0],
    ["a time without one to count from", { "x-ratelimit-reset": String(noonMs) }, undefined],
    ["a date", { "ratelimit-reset": "2015-10-21T12:00:04Z", date: noon }, 4000],
    ["nonsense", { "x-ratelimit-reset": "soon" }, undefined],
    ["the first to come back of several", { "x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "9s" }, 2000],
    [
      "the one that is used up of several",
      {
        "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-reset-tokens": "9s",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-remaining-tokens": "0",
      },
      9000,
    ],
    ["nothing beside Retry-After, which the host reads", { "retry-after": "3", "x-ratelimit-reset-requests": "1s" }, undefined],
  ])("the time of a limit as %s", (_name, headers, retryAfterMs) => {
    expect(fail({ status: 429, headers }, error429)).toEqual({
      class: "rate-limit",
      status: 429,
      message: "slow down",
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  });

  test("headers that a router repeats in its error count like its own", () => {
    const body = error("slow down", { metadata: { headers: { "X-RateLimit-Reset": String(noonMs + 700), "X-RateLimit-Remaining": 0 } } });
    expect(fail({ status: 429, headers: { date: noon } }, body).retryAfterMs).toBe(700);
  });

  test("words that say when are taken where no header does", () => {
    expect(fail({ status: 429, headers: {} }, error("Limit reached. Please try again in 1m2.5s.")).retryAfterMs).toBe(62_500);
  });

  test("reset headers that come with every answer are no reason to wait for anything but a limit", () => {
    const headers = { "x-ratelimit-reset-requests": "1s" };
    expect(fail({ status: 500, headers }, error429)).not.toHaveProperty("retryAfterMs");
    expect(fail({ status: 429, headers }, error("You exceeded your current quota"))).toMatchObject({ class: "quota" });
  });

  test("a quota that is used up is never waited for, whatever the server asks", () => {
    const body = error("no more", { type: "insufficient_quota" });
    expect(fail({ status: 429, headers: { "retry-after": "1" } }, body)).toEqual({ class: "quota", status: 429, message: "no more" });
  });
});
