/** Tools that end it, hang, fail or tell of it. Every call is noted in the file it is given. */
import { appendFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { serve, text } from "./serve.mjs";

const [, , notes] = process.argv;
const note = (words) => notes !== undefined && appendFileSync(notes, `${words}\n`);
note(`start ${process.pid}`);
const tools = {
  pid: () => text(process.pid),
  cwd: () => text(process.cwd()),
  env: () => text(JSON.stringify(process.env)),
  die: () => process.kill(process.pid, "SIGKILL"),
  leave: () => process.exit(3),
  hang: () => undefined,
  big: ({ size }) => text("x".repeat(size)),
  fail: ({ code }) => {
    throw { code, message: "the server says no" };
  },
  child: () => text(spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1e6)"], { stdio: "inherit" }).pid),
  answerAndLeave: (_, { id }) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: text("x".repeat(100_000)) })}\n`, () => process.exit(0));
  },
};
serve(
  {
    "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name })) }),
    "tools/call": ({ name, arguments: args }, use) => {
      note(`call ${name}`);
      return tools[name](args, use);
    },
    "resources/read": ({ uri }) => {
      note(`read ${uri}`);
      if (uri === "die:") process.kill(process.pid, "SIGKILL");
      return { contents: [{ uri, text: `pid ${process.pid}` }] };
    },
    "notifications/cancelled": ({ reason }) => note(`cancelled ${reason === undefined ? "" : "with a reason"}`),
  },
  { capabilities: { tools: {}, resources: {} } },
);
