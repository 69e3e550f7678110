import { expect, test } from "vitest";
import type { ProviderRequest } from "../../src/schema/index.js";
import { plan as askAnthropic } from "../../plugins/provider-anthropic/request/plan.js";
import { plan as askGoogle } from "../../plugins/provider-google/request/plan.js";
import { plan as askOpenai } from "../../plugins/provider-openai/request.js";

const request = (extra: NonNullable<ProviderRequest["sampling"]>["extra"]): ProviderRequest => ({
  ...{ provider: "p", model: "m", endpoint: { baseUrl: "http://h/v1" }, facts: {}, system: "be good", tools: [], stream: true },
  messages: [{ role: "user", text: "hi" }],
  context: { cwd: "/work" },
  ...(extra === undefined ? {} : { sampling: { extra } }),
});

test.each([
  ["anthropic", askAnthropic, ["system"]],
  ["google", askGoogle, ["contents", "systemInstruction", "system_instruction"]],
  ["openai", askOpenai, ["input", "instructions"]],
] as const)("what is said to %s is the host's, in the vendor's words too", (_name, plan, keys) => {
  for (const key of keys)
    expect(plan(request({ [key]: "other" }))).toMatchObject({
      type: "local",
      deltas: [{ type: "error", error: { class: "invalid", message: expect.stringContaining(key) as string } }],
    });
  const made = plan(request({ further: 1 }));
  expect(made.type === "http" && JSON.parse(made.body ?? "")).toMatchObject({ further: 1 });
});
