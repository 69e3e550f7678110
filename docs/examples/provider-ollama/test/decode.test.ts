import { type AttemptState, type ProviderDelta, test } from "smith-agent/plugin";
import { events, open } from "../src/decode.js";
import { CALLS, CUT_BY_LIMIT, GAVE_UP, TEXT } from "./streams.js";

/** Decodes lines that arrive in batches of `size`; the state goes through JSON, as it does in the host. */
function decode(lines: readonly string[], size = lines.length): readonly ProviderDelta[] {
  const deltas: ProviderDelta[] = [];
  let state = open();
  for (let at = 0; at < lines.length; at += size) {
    const batch = lines.slice(at, at + size).map((data) => ({ data }));
    const decoded = events(batch, JSON.parse(JSON.stringify(state)) as AttemptState);
    deltas.push(...decoded.deltas);
    state = decoded.state;
  }
  return deltas;
}

test("thinking and text come as they come, then the counts and the end", (t) => {
  t.equal(decode(TEXT), [
    { type: "thinking", text: "A greeting" },
    { type: "thinking", text: "." },
    { type: "text", text: "Hel" },
    { type: "text", text: "lo!" },
    { type: "usage", usage: { inputTokens: 26, outputTokens: 11 } },
    { type: "end", stop: "stop" },
  ]);
});

test("calls are told apart, and an answer with calls stops for them", (t) => {
  t.equal(decode(CALLS).slice(1), [
    { type: "tool-call", key: "0", name: "read", args: '{"path":"a.txt"}' },
    { type: "tool-call", key: "1", id: "call_7", name: "list", args: "{}" },
    { type: "usage", usage: { inputTokens: 312, outputTokens: 48 } },
    { type: "end", stop: "tool-use" },
  ]);
});

test("the batches do not matter", (t) => {
  for (const lines of [TEXT, CALLS, CUT_BY_LIMIT, GAVE_UP]) t.equal(decode(lines, 1), decode(lines));
});

test("an answer that reached its limit says so", (t) => {
  t.equal(decode(CUT_BY_LIMIT).at(-1), { type: "end", stop: "limit" });
});

test("an error in the middle ends the answer, and nothing after it counts", (t) => {
  const message = "an error was encountered while running the model: unexpected EOF";
  t.equal(decode([...GAVE_UP, ...TEXT]).slice(1), [{ type: "error", error: { class: "transport", message } }]);
});

test("a body that is cut is never called ended", (t) => {
  t.ok(!decode(TEXT.slice(0, -1)).some(({ type }) => type === "end"));
});

test("a line that is no JSON is an error of the protocol", (t) => {
  const [delta] = decode(["upstream timed out"]);
  t.ok(delta?.type === "error" && delta.error.class === "protocol" && delta.error.message.includes("upstream timed out"));
});

test("an answer that was not streamed is one line, and comes to the same", (t) => {
  const whole =
    '{"model":"qwen3:8b","message":{"role":"assistant","content":"Hello!","thinking":"A greeting."},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":11}';
  t.equal(decode([whole]), [
    { type: "thinking", text: "A greeting." },
    { type: "text", text: "Hello!" },
    { type: "usage", usage: { inputTokens: 26, outputTokens: 11 } },
    { type: "end", stop: "stop" },
  ]);
});
