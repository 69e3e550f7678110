import type { DriverEvent } from "../../../agent/index.js";
import type { ToolDefinition } from "../../../schema/index.js";
import { summarizeArguments } from "../../../tool/index.js";

/** Lines one sub-agent tells its asker, and UTF-16 units of each. */
export const PROGRESS_LIMITS = { lines: 200, units: 160 } as const;

/** What a sub-agent does, one line for each of its calls, for people who wait for it. */
export function createProgress(
  tell: (text: string) => void,
  tool: (name: string) => ToolDefinition | undefined,
): (event: DriverEvent) => void {
  let round = 0;
  let lines = 0;
  const say = (words: string): void => {
    lines += 1;
    if (lines > PROGRESS_LIMITS.lines) return;
    const line = words.replace(/\s+/gu, " ").trim();
    tell(
      `${line.length > PROGRESS_LIMITS.units ? `${line.slice(0, PROGRESS_LIMITS.units - 1).replace(/[\uD800-\uDBFF]$/u, "")}…` : line}\n`,
    );
  };
  return (event) => {
    if (event.type === "progress" && (event.event.type === "retry" || event.event.type === "failover")) say(event.event.reason);
    if (event.type !== "committed") return;
    for (const entry of event.entries) {
      if (entry.type === "assistant") round += 1;
      if (entry.type === "tool-call") say(`round ${String(round)}: ${entry.name} ${summarizeArguments(tool(entry.name), entry.args)}`);
    }
  };
}
