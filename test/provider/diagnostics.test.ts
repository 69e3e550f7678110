import { redactUrl } from "../../src/base/index.js";
import { describe, expect, test } from "vitest";
import { providerDiagnostic } from "../../src/provider/index.js";
import type { ProviderError } from "../../src/schema/index.js";

const PLACE = { provider: "p", model: "m", url: "http://u:geheim@h.test/v1?key=geheim&v=1", credential: "P_KEY" };

describe("a provider error as a diagnostic", () => {
  test.each<readonly [ProviderError["class"], string, number | undefined, string]>([
    ["auth", "provider.auth", 3, "never"],
    ["invalid", "provider.invalid-request", undefined, "never"],
    ["not-found", "provider.not-found", 2, "never"],
    ["context-overflow", "provider.context-overflow", undefined, "never"],
    ["rate-limit", "provider.rate-limit", undefined, "now"],
    ["quota", "provider.quota", undefined, "never"],
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

  const refused: ProviderError = { class: "auth", message: "bad key", status: 401, url: "http://h.test/v1/chat" };
  test.each([
    [
      "a variable",
      "P_KEY",
      "The key in P_KEY was sent to p at http://h.test/v1/chat.",
      "Check P_KEY: it must hold a valid key for this server.",
    ],
    ["the auth file", "auth:p", "The key stored for p was sent to p at http://h.test/v1/chat.", "Store a valid one: smith auth login p."],
    [
      "a command",
      "command:work",
      "What the command of the connection work prints was sent to p at http://h.test/v1/chat.",
      "Run the command of the connection work by hand: it must print a valid key for this server.",
    ],
  ])("a refused key of %s is named with what helps", (_name, credential, why, next) => {
    expect(providerDiagnostic(refused, { provider: "p", credential })).toMatchObject({ why, next, exit: 3 });
  });

  test("without a key the names that were looked at are told", () => {
    expect(providerDiagnostic(refused, { provider: "p", lookedAt: ["P_KEY", "P_TOKEN"] })).toMatchObject({
      why: "No key was sent to p at http://h.test/v1/chat. Looked at: P_KEY, P_TOKEN.",
      next: "Set P_KEY, or store a key: smith auth login p.",
      exit: 3,
    });
  });

  test("of a refused key the names that were looked at are told too", () => {
    const place = { provider: "p", credential: "P_KEY", lookedAt: ["P_KEY", "auth:p"] };
    expect(providerDiagnostic(refused, place)).toMatchObject({
      why: "The key in P_KEY was sent to p at http://h.test/v1/chat. Looked at: P_KEY, auth:p.",
      exit: 3,
    });
  });

  test("what was not found is told with the whole URL that was asked", () => {
    const error: ProviderError = { class: "not-found", message: "no", status: 404, url: "http://h.test/v1/v1/chat/completions" };
    expect(providerDiagnostic(error, PLACE).why).toBe(
      "p at http://h.test/v1/v1/chat/completions does not know the model, or there is no such path.",
    );
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
])("redactUrl(%j)", (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
