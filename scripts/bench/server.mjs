/**
 * A scripted model on loopback, in a process of its own so that its CPU time is not the client's. Speaks OpenAI chat
 * completions. The last user message says what to play: `[[tool=read rounds=20 tokens=1000 rate=200]]`. Prints `listening PORT`.
 */
import { createServer } from "node:http";

const MODEL = "bench-model";
let requests = [];

const frame = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const usage = `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: MODEL, choices: [], usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 } })}\n\n`;

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""));

function scriptOf(messages) {
  const last = messages.findLastIndex((message) => message.role === "user");
  const script = { rounds: 0, tokens: 2, rate: 0, tool: "read" };
  for (const [, key, value] of (/\[\[(.*?)\]\]/u.exec(textOf(messages[last]?.content))?.[1] ?? "").matchAll(/(\w+)=(\w+)/gu))
    script[key] = key === "tool" ? value : Number(value);
  const played = messages.slice(last + 1).filter((message) => message.role === "assistant").length;
  return { ...script, played };
}

/** What is called in one round, of each tool that is measured. */
const CALLS = {
  read: (round) => ({ name: "read", args: { path: `sample-${round}.txt` } }),
  edit: (round) => ({ name: "edit", args: { path: "big.txt", edits: [{ old: `place ${round} `, new: `spot ${round} ` }] } }),
  shell: (round) => ({ name: "shell", args: { command: `true # ${round}` } }),
  mcp: (round) => ({ name: "mcp__bench__echo", args: { message: `round ${round}` } }),
};

function playCall(response, { tool, played: round }) {
  const { name, args } = CALLS[tool](round);
  const call = { index: 0, id: `call_${round}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
  response.end(frame({ role: "assistant", tool_calls: [call] }) + frame({}, "tool_calls") + usage + "data: [DONE]\n\n");
}

async function playText(response, { tokens, rate }) {
  const started = performance.now();
  response.write(frame({ role: "assistant", content: "" }));
  for (let index = 0; index < tokens; index++) {
    const due = rate === 0 ? 0 : started + (index * 1000) / rate - performance.now();
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    const word = index % 12 === 11 ? "end.\n" : `w${index % 100} `;
    if (!response.write(frame({ content: word }))) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end(frame({}, "stop") + usage + "data: [DONE]\n\n");
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (request.url.endsWith("/stats")) {
      response.end(JSON.stringify({ requests }));
      requests = [];
    } else if (request.url.endsWith("/models")) {
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ object: "list", data: [{ id: MODEL, object: "model" }] }));
    } else if (request.url.endsWith("/chat/completions")) {
      requests.push(body.length);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const script = scriptOf(JSON.parse(body).messages);
      if (script.played < script.rounds) playCall(response, script);
      else void playText(response, script);
    } else response.writeHead(404).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening ${server.address().port}`));
