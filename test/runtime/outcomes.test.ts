import { expect, test } from "vitest";
import { diagnose } from "../../src/runtime/session/exchange.js";
import type { ProviderError } from "../../src/schema/index.js";
import { answer, dispatch, toolCall } from "../agent/fixtures.js";

const asked = {
  ref: dispatch,
  endpoint: { baseUrl: "http://h/v1" },
  facts: {},
  routing: { connection: "toy" },
  bucket: "toy",
  source: "toy",
  needsModel: false,
} as const;

test.each<readonly [ProviderError["class"], string, string]>([
  ["auth", "", "not-applied"],
  ["invalid", "", "not-applied"],
  ["not-found", "", "not-applied"],
  ["context-overflow", "", "not-applied"],
  ["rate-limit", "", "not-applied"],
  ["quota", "", "not-applied"],
  ["overloaded", "", "not-applied"],
  ["plugin", "", "not-applied"],
  ["transport", "", "unknown"],
  ["protocol", "", "unknown"],
  ["rate-limit", "half an answer", "unknown"],
])("a response that failed as %s with text %j is recorded as %s", (named, text, outcome) => {
  const failed = diagnose(asked, { class: named, message: "no" }, { ...answer(text), stop: "failed" });
  expect(failed.outcome).toBe(outcome);
  expect(failed.error.next).not.toBe("");
});

test("a plugin that failed before anything was asked left nothing behind; one that failed on an answer may have", () => {
  const nothing = { ...answer(""), stop: "failed" } as const;
  const failure = { class: "plugin", message: "no" } as const;
  expect(diagnose(asked, failure, nothing).outcome).toBe("not-applied");
  expect(diagnose(asked, { ...failure, url: "http://h/v1/chat" }, nothing).outcome).toBe("unknown");
});

test("thinking or a call that came before the failure is an answer too", () => {
  const failure = { class: "overloaded", message: "no" } as const;
  const thought = { ...answer(""), stop: "failed", thinking: [{ text: "hm" }] } as const;
  const called = { ...answer("", [toolCall("read")]), stop: "failed" } as const;
  for (const partial of [thought, called]) expect(diagnose(asked, failure, partial).outcome).toBe("unknown");
});
