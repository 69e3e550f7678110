import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, itemsOf } from "../../support/vendors/index.js";
import { createVendors, lastAsked, MODELS, type Vendors } from "../support/vendors.js";

let here: Vendors;
beforeAll(async () => {
  here = await createVendors();
  here.file("a.txt", "alpha\n");
});
afterAll(() => here.close());

/** Every ordered pair of two APIs stands next to each other in it once. */
const ROUND: readonly Api[] = [
  ...(["chat", "anthropic", "chat", "responses", "chat", "google", "anthropic"] as const),
  ...(["responses", "anthropic", "google", "responses", "google", "chat"] as const),
];

test("one session goes from every vendor to every other: thinking goes back to its own alone, calls and results to all", async () => {
  expect(new Set(ROUND.slice(1).map((api, at) => `${ROUND[at] ?? ""} ${api}`)).size).toBe(12);
  for (const [turn, api] of ROUND.entries()) {
    const name = `turn ${String(turn)}`;
    here.script([
      {
        thinking: `${name} thinks.`,
        text: `${name} reads.`,
        calls: [
          { name: "read", args: { path: "a.txt" } },
          { name: "read", args: '{"path":"a.txt"}' },
        ],
      },
      { thinking: `${name} thinks again.`, text: `${name} answers.` },
    ]);
    const { status, stdout, stderr } = await here.run([
      "eval",
      ...(turn === 0 ? [] : ["-c"]),
      "--model",
      `${MODELS[api]}:high`,
      `${name}: what does a say?`,
    ]);
    expect([status, stdout, stderr]).toEqual([0, `${name} reads.\n${name} answers.\n`, ""]);
    const items = itemsOf(lastAsked(here, api));
    expect(items.filter(({ type }) => type === "call")).toHaveLength(2 * (turn + 1));
    const results = items.filter((item) => item.type === "result");
    expect(results.map(({ text }) => text.includes("alpha"))).toEqual(Array.from({ length: 2 * (turn + 1) }, () => true));
    const thoughts = items.flatMap((item) => (item.type === "thinking" && item.text !== "" ? [item.text] : []));
    const own = ROUND.slice(0, turn).flatMap((other, at) =>
      other === api ? [`turn ${String(at)} thinks.`, `turn ${String(at)} thinks again.`] : [],
    );
    expect(thoughts).toEqual(api === "chat" ? [] : [...own, `${name} thinks.`]);
  }
}, 120_000);
