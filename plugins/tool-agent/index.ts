import { definePlugin, failure, result } from "smith-agent/plugin";
import type { Tool, ToolContext } from "smith-agent/plugin";

export interface AgentArgs {
  readonly task: string;
  readonly title?: string;
  readonly tools?: readonly string[];
  readonly write?: boolean;
}

type Came = Awaited<ReturnType<ToolContext["agent"]["run"]>>;

/** Characters a title may have in front of people. */
const MAX_TITLE = 80;

/** One piece of work, and the answer to it. Several in one batch are done side by side. */
export const agent: Tool<AgentArgs> = async ({ task, title = "", tools = [], write = false }, context) => {
  if (task.trim() === "") return failure("task is empty; say what is to be done and what to answer with.");
  const came = await context.agent.run({
    prompt: task,
    ...(title.trim() === "" ? {} : { title: title.trim().slice(0, MAX_TITLE) }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(write ? {} : { readOnly: true }),
  });
  const { reply, usage, cost, ...facts } = came;
  const answer = came.status === "ok" ? result : failure;
  return answer(words(came), {
    summary: `${came.status === "ok" ? "" : `${came.status} · `}${counted(came.rounds, "round")} · ${counted(came.toolCalls, "call")}`,
    details: {
      data: { ...facts, replyLength: reply.length },
      ...(usage === undefined ? {} : { usage: { usage, ...(cost === undefined ? {} : { cost }) } }),
    },
  });
};

/** An answer that is not whole says so first. */
function words({ reply, status, why }: Came): string {
  const said = reply.trim();
  if (status === "ok") return said === "" ? "(the agent gave no answer)" : said;
  const ended = `[the agent was not done: ${why ?? status}]`;
  return said === "" ? ended : `${ended}\n${said}`;
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`;

export default definePlugin({ tools: { agent } });
