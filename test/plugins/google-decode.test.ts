import fc from "fast-check";
import { describe, expect, test } from "vitest";
import google from "../../plugins/provider-google/index.js";
import type { Message, Provider, ProviderRequest } from "../../src/plugin/sdk.js";
import { type Answer, CALLS, ENDS, type Expected, ROUND_TRIP, TEXTS, THOUGHTS, USAGE } from "./google-streams.js";
import { cuts, disguises, runStream, sseBytes, type StreamOutcome } from "./streams/run.js";

const provider: Provider = google.providers?.["google"] ?? { plan: () => ({ type: "local", deltas: [] }) };

const bytesOf = ({ chunks }: Answer): Uint8Array => sseBytes(chunks.map((data) => ({ data })));

/** The outcome in the words of the expectations; ids only where the server gave them. */
function seen(outcome: StreamOutcome): Expected {
  const { text, thinking, toolCalls, stop, usage } = outcome.type === "done" ? outcome.result : outcome.partial;
  const calls = toolCalls.map(({ name, args, providerId, signature }) => ({
    name,
    ...(args === undefined ? {} : { args }),
    ...(providerId.startsWith("call_") ? {} : { id: providerId }),
    ...(signature === undefined ? {} : { signature }),
  }));
  return {
    ...(text === "" ? {} : { text }),
    ...(thinking.length === 0 ? {} : { thinking: thinking as NonNullable<Expected["thinking"]> }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(usage === undefined ? {} : { usage }),
    ...(outcome.type === "done" ? { stop } : {}),
    ...(outcome.type === "failed" ? { error: [outcome.error.class, outcome.error.message] as const } : {}),
  };
}

const matching = ({ error, ...rest }: Expected): object =>
  error === undefined ? rest : { ...rest, error: [error[0], expect.stringContaining(error[1])] };

const run = (chunks: readonly Uint8Array[], { outcome = "complete" }: Pick<Answer, "outcome"> = {}): StreamOutcome =>
  runStream({ provider, chunks, outcome });

const ALL = [...TEXTS, ...THOUGHTS, ...CALLS, ...ENDS, ...USAGE];

describe.each([
  ["text", TEXTS],
  ["thoughts", THOUGHTS],
  ["calls", CALLS],
  ["ends", ENDS],
  ["usage", USAGE],
])("%s", (_title, answers) => {
  test.each(answers.map((answer) => [answer.name, answer] as const))("%s", (_name, answer) => {
    expect(seen(run([bytesOf(answer)], answer))).toEqual(matching(answer.expected));
  });
});

describe("the bytes", () => {
  test.each(ALL.map((answer) => [answer.name, answer] as const))("may be cut anywhere: %s", (_name, answer) => {
    const bytes = bytesOf(answer);
    const whole = run([bytes], answer);
    for (const chunks of cuts(bytes)) expect(run(chunks, answer)).toEqual(whole);
  });

  // A last carriage return of a body that broke off may be half of a line's end.
  const whole = ALL.filter(({ outcome }) => outcome === undefined);
  test.each(whole.map((answer) => [answer.name, answer] as const))("may be framed in other ways: %s", (_name, answer) => {
    const bytes = bytesOf(answer);
    const whole = run([bytes], answer);
    for (const [name, disguised] of disguises(bytes)) {
      expect(run([disguised], answer), name).toEqual(whole);
      expect(run([disguised.subarray(0, 7), disguised.subarray(7, 31), disguised.subarray(31)], answer), name).toEqual(whole);
    }
  });

  test("may be cut in several places at once", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL), fc.array(fc.nat(), { maxLength: 8 }), (answer, places) => {
        const bytes = bytesOf(answer);
        const at = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
          (left, right) => left - right,
        );
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(run(chunks, answer)).toEqual(run([bytes], answer));
      }),
      { numRuns: 300 },
    );
  });

  test("that are cut off before the finish reason are never a whole answer", () => {
    const answer = TEXTS[0];
    const bytes = answer === undefined ? new Uint8Array() : bytesOf(answer);
    const until = Buffer.from(bytes).indexOf("finishReason");
    for (let end = 0; end < until; end += 1) {
      for (const outcome of ["complete", "failed", "truncated"] as const) {
        expect(run([bytes.subarray(0, end)], { outcome }), String(end)).toMatchObject({ type: "failed" });
      }
    }
  });
});

describe("one whole answer", () => {
  test("is decoded to the same as a stream of it", () => {
    const body = {
      candidates: [{ content: { role: "model", parts: ROUND_TRIP.parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 4, totalTokenCount: 9 },
    };
    const chunks = [Buffer.from(JSON.stringify(body, null, 2))];
    const streamed = run([sseBytes([...ROUND_TRIP.chunks, { usageMetadata: body.usageMetadata }].map((data) => ({ data })))]);
    expect(runStream({ provider, chunks, plan: { framing: "json" } })).toEqual(streamed);
  });

  test("words in its place are told", () => {
    const state = provider.open?.({ status: 200, headers: { "Content-Type": "text/plain" } }) ?? null;
    const step = provider.events?.([{ data: "no such route" }], state);
    expect(provider.close?.("complete", step?.state ?? null)).toEqual([
      { type: "error", error: { class: "protocol", message: "The server sent what is no answer of this API: no such route" } },
    ]);
  });
});

describe("the state", () => {
  test("is not changed by a batch, and nothing follows the end", () => {
    const state = provider.open?.({ status: 200, headers: {} }) ?? null;
    const before = JSON.stringify(state);
    for (const answer of ALL) {
      const step = provider.events?.(
        answer.chunks.map((data) => ({ data: JSON.stringify(data) })),
        state,
      );
      const closed = provider.close?.("complete", step?.state ?? null) ?? [];
      expect([...(step?.deltas ?? []), ...closed].filter(({ type }) => type === "end" || type === "error")).toHaveLength(1);
    }
    expect(JSON.stringify(state)).toBe(before);
  });

  test("of a cancelled answer has nothing to say", () => {
    expect(provider.close?.("cancelled", provider.open?.({ status: 200, headers: {} }) ?? null)).toEqual([]);
  });
});

describe("an answer in the next request", () => {
  const outcome = run([sseBytes(ROUND_TRIP.chunks.map((data) => ({ data })))]);
  const result = outcome.type === "done" ? outcome.result : outcome.partial;
  const contentsFor = (from: { provider: string; model: string }, model: string): unknown => {
    const answers = result.toolCalls.map((call) => ({ ...call, role: "tool", text: "done", isError: false }) as unknown as Message);
    const { text, thinking, toolCalls } = result;
    const asked: ProviderRequest = {
      provider: "google",
      model,
      endpoint: { baseUrl: "" },
      facts: {},
      system: "",
      messages: [{ role: "user", text: "go" }, { role: "assistant", text, thinking, toolCalls, from }, ...answers],
      tools: [],
      stream: true,
      context: { cwd: "/work" },
    };
    const planned = provider.plan(asked);
    return (JSON.parse(planned.type === "http" ? (planned.body ?? "") : "") as { contents: readonly { parts: unknown }[] }).contents[1]
      ?.parts;
  };
  const unsigned = [
    { text: "I look. Now." },
    { functionCall: { id: "r1", name: "read", args: { path: "a.ts" } } },
    { functionCall: { id: "r2", name: "weather", args: { city: "Paris" } } },
  ];
  const bypassed = unsigned.map((part, at) => (at === 1 ? { ...part, thoughtSignature: "skip_thought_signature_validator" } : part));

  test("is the parts it came in, every signature where it was", () => {
    expect(contentsFor({ provider: "google", model: "gemini-3.8-flash" }, "models/gemini-3.8-flash")).toEqual(ROUND_TRIP.parts);
  });

  test("of another model or another vendor has no thoughts and no signatures but the one that stands for a missing one", () => {
    expect(contentsFor({ provider: "google", model: "gemini-3.1-pro-preview" }, "gemini-3.8-flash")).toEqual(bypassed);
    expect(contentsFor({ provider: "anthropic", model: "gemini-3.8-flash" }, "gemini-3.8-flash")).toEqual(bypassed);
    expect(contentsFor({ provider: "anthropic", model: "claude" }, "gemini-2.5-pro")).toEqual(unsigned);
  });
});
