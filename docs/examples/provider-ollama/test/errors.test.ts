import { test } from "smith-agent/plugin";
import { fail } from "../src/errors.js";
import { parseModels } from "../src/models.js";
import { MODELS } from "./streams.js";

const classOf = (status: number, error: string): string => fail({ status, headers: {} }, JSON.stringify({ error })).class;

test("what failed is told apart by what the server says, then by its status", (t) => {
  t.equal(classOf(400, '"gemma3" does not support tools'), "invalid");
  t.equal(classOf(500, "model requires more system memory (8.1 GiB) than is available (3.2 GiB)"), "invalid");
  t.equal(classOf(503, "server busy, please try again.  maximum pending requests exceeded"), "overloaded");
  t.equal(classOf(400, "prompt too long; exceeded max context length by 120 tokens"), "context-overflow");
  t.equal(classOf(401, "unauthorized"), "auth");
  t.equal(classOf(502, "bad gateway"), "transport");
  t.equal(classOf(429, "slow down"), "rate-limit");
});

test("a missing model comes with the way to get it", (t) => {
  t.equal(fail({ status: 404, headers: {} }, '{"error":"model \'qwen3:8b\' not found"}'), {
    class: "not-found",
    status: 404,
    message: "model 'qwen3:8b' not found. Get it with: ollama pull qwen3:8b",
  });
});

test("a refusal that is no JSON is told as it is, an empty one by its status", (t) => {
  t.equal(fail({ status: 502, headers: {} }, " upstream \n").message, "upstream");
  t.equal(fail({ status: 500, headers: {} }, "").message, "HTTP 500 without an explanation");
});

test("the models are those of the list, whatever else it says", (t) => {
  t.equal(parseModels([MODELS]), [
    { ref: { provider: "ollama", model: "qwen3:8b" } },
    { ref: { provider: "ollama", model: "gpt-oss:20b" } },
  ]);
  t.equal(parseModels(["no list"]), []);
});
