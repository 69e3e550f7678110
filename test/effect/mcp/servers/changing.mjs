/** Its list of tools grows with every call. */
import { send, serve, text } from "./serve.mjs";

let count = 1;
serve(
  {
    "tools/list": () => ({ tools: Array.from({ length: count }, (_, index) => ({ name: `tool${index}` })) }),
    "prompts/list": () => ({ prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }, {}] }),
    "prompts/get": ({ arguments: { who } }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${who}.` } }] }),
    "tools/call": ({ name }) => {
      if (name === "log") {
        send({ method: "notifications/message", params: { level: "warning", logger: "disk", data: { free: 3 } } });
        return text("said");
      }
      if (name === "tool0") count += 1;
      for (let times = 0; times < 5; times += 1) send({ method: "notifications/tools/list_changed" });
      return text("changed");
    },
  },
  { capabilities: { tools: { listChanged: true }, prompts: {} }, instructions: `Be kind. ${"é".repeat(8_000)}` },
);
