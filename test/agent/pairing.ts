import type { Message } from "../../src/schema/index.js";

/** What a strict provider demands: each call answered exactly once, directly after its message, in order. */
export function pairingProblem(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const expected = open.shift();
      if (expected !== message.call) return `result ${message.call} where ${expected ?? "none"} was due`;
    } else {
      if (open.length > 0) return `calls ${open.join()} without result`;
      if (message.role === "assistant") open = message.toolCalls.map((one) => one.call);
    }
  }
  return open.length > 0 ? `calls ${open.join()} without result at the end` : undefined;
}
