/** Tools that flood whoever calls them, start what is hard to find, or answer what nobody can walk through. */
import { spawn } from "node:child_process";
import { send, serve, text } from "./serve.mjs";

const deep = (levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const write = (line) => process.stdout.write(`${line}\n`);

/** Asks for ever, and reads no more. */
function flood() {
  process.stdin.pause();
  const pings = Array.from(
    { length: 1_000 },
    (_, index) => `${JSON.stringify({ jsonrpc: "2.0", id: `p${index}`, method: "ping" })}\n`,
  ).join("");
  const more = () => {
    while (process.stdout.write(pings));
    process.stdout.once("drain", more);
  };
  more();
}

const tools = {
  flood,
  pid: () => text(process.pid),
  stray: () => text(spawn("env", ["-i", "setsid", "sleep", "3012"], { stdio: "ignore" }).pid),
  progress: (_, { _meta }) => {
    for (let time = 1; time <= 20_000; time += 1)
      send({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress: time, total: time } });
    return text("done");
  },
  notes: () => {
    for (let time = 1; time <= 200_000; time += 1) send({ method: "notifications/message", params: { level: "info", data: "x" } });
    return text("done");
  },
  structured: (_, { id }) =>
    write(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"good words"}],"structuredContent":{"a":${deep(20_000)}}}}`,
    ) && undefined,
};

serve({
  "tools/list": (_, { id }) => {
    const names = Object.keys(tools).map((name) => JSON.stringify({ name }));
    write(
      `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"deep","inputSchema":{"type":"object","default":${deep(20_000)}}},${names}]}}`,
    );
  },
  "tools/call": ({ name, arguments: args, _meta }, { id }) => tools[name](args, { id, _meta }),
});
