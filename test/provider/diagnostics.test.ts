import { describe, expect, test } from "vitest";
import { displayUrl, providerDiagnostic } from "../../src/provider/index.js";
import type { ProviderError } from "../../src/schema/index.js";

const PLACE = { provider: "p", model: "m", url: "http://u:geheim@h.test/v1?key=geheim&v=1", credential: "P_KEY" };

describe("a provider error as a diagnostic", () => {
  test.each<readonly [ProviderError["class"], string, number | undefined, string]>([
    ["auth", "provider.auth", 3, "never"],
    ["invalid", "provider.invalid-request", undefined, "never"],
    ["not-found", "provider.not-found", 2, "never"],
    ["context-overflow", "provider.context-overflow", undefined, "never"],
    ["rate-limit", "provider.rate-limit", undefined, "now"],
    ["overloaded", "provider.overloaded", undefined, "now"],
    ["transport", "provider.unreachable", undefined, "now"],
    ["content-filter", "provider.content-filter", undefined, "never"],
    ["protocol", "provider.protocol", undefined, "never"],
    ["plugin", "provider.plugin", undefined, "never"],
  ])("%s", (kind, code, exit, retry) => {
    const made = providerDiagnostic({ class: kind, message: "the server's words" }, PLACE);
    expect(made).toMatchObject({
      code,
      severity: "error",
      retry: { type: retry },
      source: { type: "provider", id: "p", url: "http://h.test/v1?key=redacted&v=1" },
    });
    expect(made.exit).toBe(exit);
    expect(made.what).toContain("the server's words");
    for (const field of [made.what, made.why, made.next]) expect(field.trim()).not.toBe("");
    expect(JSON.stringify(made)).not.toContain("geheim");
  });

  test("a key that was never sent is not said to be refused", () => {
    expect(providerDiagnostic({ class: "auth", message: "P_KEY is not set" }, PLACE)).toMatchObject({
      what: "There is no usable key for p: P_KEY is not set",
      why: "p at http://h.test/v1?key=redacted&v=1 wants a key.",
      exit: 3,
    });
  });

  test("status, the URL asked and the wait are kept as data", () => {
    const error: ProviderError = { class: "rate-limit", message: "slow", status: 429, retryAfterMs: 9000, url: "http://h.test/v1/chat" };
    expect(providerDiagnostic(error, PLACE)).toMatchObject({
      what: "The rate limit is reached (HTTP 429): slow",
      why: "p at http://h.test/v1/chat refused more requests for now.",
      source: { url: "http://h.test/v1/chat", status: 429 },
      retry: { type: "after", delayMs: 9000 },
    });
  });

  test("a provider without network has no URL", () => {
    expect(providerDiagnostic({ class: "plugin", message: "x" }, { provider: "offline", url: "" }).source).toEqual({
      type: "provider",
      id: "offline",
    });
  });
});

test.each([
  ["http://u:p@h.test/a", "http://h.test/a"],
  ["http://h.test/a?api_key=1&b=2", "http://h.test/a?api_key=redacted&b=2"],
  ["//u:p@h", "//h"],
])("displayUrl(%j)", (url, shown) => {
  expect(displayUrl(url)).toBe(shown);
});
