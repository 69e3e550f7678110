/** The least a client does for the same work: node:http, no dependencies, nothing recorded. `node floor-client.mjs PROMPT`. */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

const url = new URL(`${process.env.OPENAI_BASE_URL}/chat/completions`);
const agent = new Agent({ keepAlive: true });
const messages = [{ role: "user", content: process.argv[2] }];

function round() {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: "bench-model", stream: true, messages });
    const sent = request(
      url,
      { method: "POST", agent, headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } },
      (response) => {
        let rest = "";
        const message = { role: "assistant", content: "", tool_calls: [] };
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop();
          for (const line of lines) {
            if (!line.startsWith("data: {")) continue;
            const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
            if (delta?.content) {
              message.content += delta.content;
              process.stdout.write(delta.content);
            }
            if (delta?.tool_calls) message.tool_calls.push(...delta.tool_calls);
          }
        });
        response.on("end", () => resolve(message));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

for (;;) {
  const message = await round();
  messages.push(message);
  if (message.tool_calls.length === 0) break;
  for (const call of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: call.id, content: readFileSync(JSON.parse(call.function.arguments).path, "utf8") });
}
agent.destroy();
