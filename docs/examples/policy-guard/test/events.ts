import type { ContextItem, EventOf, JsonObject, NamedValues } from "smith-agent/plugin";

// Ids are text that only the host makes; a test may say that some text is one.
type Work = EventOf<"turn-ended">["work"];
type Call = EventOf<"tool-settled">["call"];

export const CONFIG: NamedValues = {
  "guard.protect": [".github/**", "**/*.lock"],
  "guard.remind": "Run the checks.",
  "guard.trim-percent": 50,
  "guard.trim-units": 1000,
  "guard.keep-results": 1,
};

export const proposed = (args: JsonObject): EventOf<"tool-proposed"> => ({
  type: "tool-proposed",
  work: "w1" as Work,
  call: "c1" as Call,
  tool: "write",
  plugin: "smith.write",
  readOnly: false,
  args,
  cwd: "/work",
  mode: "auto",
  interactive: true,
});

export const settled = (more: Partial<EventOf<"tool-settled">> = {}): EventOf<"tool-settled"> => ({
  type: "tool-settled",
  work: "w1" as Work,
  call: "c1" as Call,
  tool: "write",
  args: { path: "a.ts" },
  isError: false,
  mutation: "applied",
  text: "wrote a.ts",
  touched: ["/work/a.ts"],
  ...more,
});

export const ended = (): EventOf<"turn-ended"> => ({
  type: "turn-ended",
  work: "w1" as Work,
  status: "ok",
  reason: "done",
  reply: "",
  rounds: 1,
});

export const item = (entry: string, role: ContextItem["role"], units: number): ContextItem => ({
  entry: entry as ContextItem["entry"],
  role,
  units,
  head: `head of ${entry}`,
  ...(role === "tool" ? { tool: "read" } : {}),
});

export const prepared = (context: readonly ContextItem[], tokens: number, contextLimit?: number): EventOf<"request-prepared"> => ({
  type: "request-prepared",
  work: "w1" as Work,
  round: 2,
  model: { provider: "p", model: "m" },
  tools: ["read"],
  context,
  tokens,
  ...(contextLimit === undefined ? {} : { contextLimit }),
});
