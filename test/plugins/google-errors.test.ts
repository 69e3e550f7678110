import { describe, expect, test } from "vitest";
import { fail } from "../../plugins/provider-google/errors.js";

const URL = "https://h/v1beta/models/m:streamGenerateContent?alt=sse";
const head = (status: number, headers: { readonly [name: string]: string } = {}) => ({ status, url: URL, headers });
const body = (code: number, status: string, message: string, details: readonly object[] = []): string =>
  JSON.stringify({ error: { code, message, status, details } });
const quota = (...ids: readonly string[]): object => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: ids.map((quotaId) => ({ quotaMetric: "generativelanguage.googleapis.com/requests", quotaId })),
});
const retryIn = (retryDelay: string): object => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const reason = (word: string): object => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: word });

describe("a status the server explains", () => {
  test.each([
    ["a bad request", 400, body(400, "INVALID_ARGUMENT", 'Unknown name "x"'), "invalid"],
    [
      "a bad key",
      400,
      body(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [reason("API_KEY_INVALID")]),
      "auth",
    ],
    ["an expired key", 400, body(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."), "auth"],
    ["no key", 403, body(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."), "auth"],
    ["a key that may not", 401, body(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."), "auth"],
    [
      "too long a prompt",
      400,
      body(400, "INVALID_ARGUMENT", "The input token count (1048600) exceeds the maximum number of tokens allowed (1048575)."),
      "context-overflow",
    ],
    ["too large a body", 413, "", "context-overflow"],
    [
      "a place without a free tier",
      400,
      body(400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country. Please enable billing."),
      "quota",
    ],
    ["another precondition", 400, body(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "invalid"],
    ["an unknown model", 404, body(404, "NOT_FOUND", "models/m is not found for API version v1beta"), "not-found"],
    [
      "the minute's quota",
      429,
      body(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", [
        quota("RequestsPerMinutePerProject"),
      ]),
      "rate-limit",
    ],
    [
      "the day's quota",
      429,
      body(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
        quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        retryIn("34s"),
      ]),
      "quota",
    ],
    ["prepaid credits", 429, body(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), "quota"],
    ["exhausted, nothing more", 429, body(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."), "rate-limit"],
    ["overloaded", 503, body(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "overloaded"],
    ["an error of its own", 500, body(500, "INTERNAL", "An internal error has occurred."), "transport"],
    ["too late", 504, body(504, "DEADLINE_EXCEEDED", "Deadline expired."), "transport"],
    ["a list of one", 503, `[${body(503, "UNAVAILABLE", "busy")}]`, "overloaded"],
    ["an answer within the message", 400, body(400, "Bad Request", body(429, "RESOURCE_EXHAUSTED", "slow down")), "rate-limit"],
  ] as const)("%s", (_name, status, text, kind) => {
    expect(fail(head(status), text)).toMatchObject({ class: kind, status });
  });

  test("says how long to wait in its details; headers are the host's to read", () => {
    const limited = body(429, "RESOURCE_EXHAUSTED", "slow", [quota("RequestsPerMinute"), retryIn("34.074824224s")]);
    expect(fail(head(429, { "Retry-After": "9" }), limited).retryAfterMs).toBe(34_075);
    expect(fail(head(429, { "Retry-After": "9" }), body(429, "RESOURCE_EXHAUSTED", "slow"))).not.toHaveProperty("retryAfterMs");
    const endless = body(429, "RESOURCE_EXHAUSTED", "slow", [retryIn(`${"9".repeat(400)}s`)]);
    expect(fail(head(429), endless)).not.toHaveProperty("retryAfterMs");
    const refused = body(400, "INVALID_ARGUMENT", "no", [retryIn("9s")]);
    expect(fail(head(400), refused)).not.toHaveProperty("retryAfterMs");
  });

  test("keeps the server's words", () => {
    expect(fail(head(404), body(404, "NOT_FOUND", "models/m is not found")).message).toBe("models/m is not found");
    expect(fail(head(429), `[${body(429, "RESOURCE_EXHAUSTED", "slow")}]`).message).toBe("slow");
    expect(fail(head(400), body(400, "INVALID_ARGUMENT", "x".repeat(9000))).message).toMatch(/^x{4000} \[cut; 9000 characters\]$/u);
  });
});

describe("a status without an explanation of this API", () => {
  test.each([
    [400, "invalid"],
    [401, "auth"],
    [403, "auth"],
    [404, "not-found"],
    [408, "transport"],
    [429, "rate-limit"],
    [500, "transport"],
    [501, "invalid"],
    [502, "transport"],
    [503, "overloaded"],
  ] as const)("%i is classed by itself", (status, kind) => {
    expect(fail(head(status), "")).toMatchObject({
      class: kind,
      message: expect.stringContaining(`HTTP ${String(status)} without an explanation`) as string,
    });
    expect(fail(head(status), "plain words").class).toBe(kind);
    expect(fail(head(status), '{"error":"plain words"}')).toMatchObject({
      class: kind,
      message: expect.stringContaining("plain words") as string,
    });
  });
});
