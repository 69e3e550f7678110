/**
 * The least any program does for the same work. `node floor.mjs edit FILE`: one replacement, written beside and renamed. `node floor.mjs mcp COUNT COMMAND...`: the
 * official client over stdio: a list of tools, then COUNT calls of `echo`.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

const [what, ...args] = process.argv.slice(2);

function edit(file) {
  const text = readFileSync(file, "utf8");
  const at = text.indexOf("place 0 ");
  const whole = Buffer.from(`${text.slice(0, at)}spot 0 ${text.slice(at + "place 0 ".length)}`);
  const beside = openSync(`${file}.new`, "w");
  for (let written = 0; written < whole.length;) written += writeSync(beside, whole, written);
  fsyncSync(beside);
  closeSync(beside);
  renameSync(`${file}.new`, file);
}

async function mcp(count, [command, ...rest]) {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "floor", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: rest, stderr: "ignore" }));
  await client.listTools();
  for (let round = 0; round < count; round += 1) await client.callTool({ name: "echo", arguments: { message: `round ${round}` } });
  await client.close();
}

if (what === "edit") edit(args[0]);
else await mcp(Number(args[0]), args.slice(1));
