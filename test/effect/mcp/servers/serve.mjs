/** A server of a few lines over standard input and output, by the letter of the protocol and nothing more. */
import { createInterface } from "node:readline";

export const send = (message, write = (text) => process.stdout.write(text)) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/**
 * `on` maps methods to functions of params, which give a result, throw `{ code, message }`, or give undefined for no answer at all. Answers to
 * requests of the server itself come to `ask`.
 */
export function serve(on, { name = "scripted", capabilities = { tools: {} }, write, instructions } = {}) {
  const asked = new Map();
  let next = 1;
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = `s${next++}`;
      asked.set(id, resolve);
      send({ id, method, params }, write);
    });
  const handlers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: { name, version: "1.2.3" }, instructions }),
    "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    ping: () => ({}),
    ...on,
  };
  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) return asked.get(id)?.(error ?? result);
    const handler = handlers[method];
    if (id === undefined) return handler?.(params ?? {}, { ask, id });
    if (handler === undefined) return send({ id, error: { code: -32601, message: `no ${method}` } }, write);
    try {
      const answer = await handler(params ?? {}, { ask, id });
      if (answer !== undefined) send({ id, result: answer }, write);
    } catch (thrown) {
      send({ id, error: { code: thrown.code ?? -32603, message: thrown.message } }, write);
    }
  });
  return { ask };
}

export const text = (words) => ({ content: [{ type: "text", text: String(words) }] });
