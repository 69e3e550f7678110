import { describe, expect, test } from "vitest";
import { fail } from "../../plugins/provider-openai/errors.js";
import type { ProviderError } from "../../src/plugin/sdk.js";

const error = (message: string, code: string | null = null, type = "invalid_request_error"): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

describe("the class of a failure", () => {
  test.each<[string, number, string, ProviderError["class"]]>([
    [
      "a window that is full",
      400,
      error("Your input exceeds the context window of this model.", "context_length_exceeded"),
      "context-overflow",
    ],
    ["a body that is too large", 413, "", "context-overflow"],
    [
      "more than a minute's tokens at once",
      429,
      error("Request too large for gpt-x: Limit 10, Requested 20", "rate_limit_exceeded", "tokens"),
      "context-overflow",
    ],
    [
      "a used-up quota",
      429,
      error("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"),
      "quota",
    ],
    ["a hard limit of the account", 400, error("Billing hard limit has been reached", "billing_hard_limit_reached"), "quota"],
    ["no money", 402, "", "quota"],
    [
      "too many requests",
      429,
      error("Rate limit reached for gpt-x. Visit the billing page to raise it.", "rate_limit_exceeded", "requests"),
      "rate-limit",
    ],
    ["a wrong key", 401, error("Incorrect API key provided", "invalid_api_key"), "auth"],
    ["a country", 403, error("Country not supported", "unsupported_country_region_territory"), "auth"],
    ["no such model", 404, error("The model `x` does not exist", "model_not_found"), "not-found"],
    ["no access to the model", 403, error("Project does not have access to model `x`", "model_not_found"), "not-found"],
    ["the server's own failure", 500, error("The server had an error", null, "server_error"), "transport"],
    ["a gateway", 502, "Bad gateway", "transport"],
    ["a server that has too much to do", 503, error("Slow down", null, "service_unavailable_error"), "overloaded"],
    ["a policy", 400, error("Your prompt was flagged", "invalid_prompt"), "content-filter"],
    ["Azure's filter", 400, JSON.stringify({ error: { code: "content_filter", message: "filtered", status: 400 } }), "content-filter"],
    ["thinking that cannot be read", 400, error("The encrypted content could not be verified", "invalid_encrypted_content"), "invalid"],
    ["a bad field", 400, error("Unknown parameter: 'x'.", "unknown_parameter"), "invalid"],
    ["text", 400, "nonsense", "invalid"],
    ["nothing", 418, "", "invalid"],
  ])("%s (%i)", (_name, status, body, expected) => {
    const found = fail({ status, headers: {} }, body);
    expect({ class: found.class, status: found.status }).toEqual({ class: expected, status });
    expect(found.message).not.toBe("");
  });

  test("the server's words are kept, within their bound", () => {
    const head = { status: 404, url: "http://h/v1/responses", headers: {} };
    expect(fail(head, error("no such model", "model_not_found")).message).toBe("no such model");
    expect(fail({ status: 400, headers: {} }, JSON.stringify({ detail: "wrong" })).message).toBe("wrong");
    expect(fail({ status: 400, headers: {} }, "x".repeat(9000)).message).toMatch(/^x{4000} \[cut; 9000 characters\]$/u);
  });
});

describe("how long to wait", () => {
  const waitOf = (headers: { readonly [name: string]: string }, message = "slow", status = 429): number | undefined =>
    fail({ status, headers }, error(message, "rate_limit_exceeded")).retryAfterMs;

  test.each<[string, { readonly [name: string]: string }, number | undefined]>([
    ["a header asks, which the host reads", { "Retry-After": "2", "x-ratelimit-reset-tokens": "7" }, undefined],
    ["a header that says nothing", { "retry-after": "later", "x-ratelimit-reset-tokens": "7" }, 7000],
    [
      "requests start anew",
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" },
      1000,
    ],
    [
      "tokens start anew",
      { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" },
      360_000,
    ],
    ["nobody says which", { "x-ratelimit-reset-requests": "120ms", "x-ratelimit-reset-tokens": "1h2m3.5s" }, 3_723_500],
    ["a bare number", { "x-ratelimit-reset-tokens": "7" }, 7000],
    ["nonsense", { "x-ratelimit-reset-tokens": "soon", "retry-after": "later" }, undefined],
    ["nothing", {}, undefined],
  ])("%s", (_name, headers, expected) => {
    expect(waitOf(headers)).toBe(expected);
  });

  test("the words say it where no header does", () => {
    expect(waitOf({ "x-ratelimit-reset-tokens": "9s" }, "Please try again in 1.2s.")).toBe(1200);
    expect(waitOf({}, "Please try again in 1m30s.")).toBe(90_000);
  });

  test("not where waiting does not help, and limits are not what another failure is about", () => {
    expect(fail({ status: 429, headers: { "retry-after": "2" } }, error("x", "insufficient_quota"))).not.toHaveProperty("retryAfterMs");
    expect(waitOf({ "x-ratelimit-reset-tokens": "9s" }, "slow", 500)).toBeUndefined();
  });
});
