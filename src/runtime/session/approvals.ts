import type { CallId } from "../../base/index.js";
import { denyUnattended } from "../../agent/index.js";
import type { ToolCallEntry, ToolDefinition } from "../../schema/index.js";
import type { Approval } from "../../tool/index.js";

export interface PendingApproval {
  readonly call: ToolCallEntry;
  readonly tool: ToolDefinition;
}

/** Questions to a person, one at a time and in order; an answer may stand for the rest of the session. */
export interface Approvals {
  ask(call: ToolCallEntry, tool: ToolDefinition, signal: AbortSignal): Promise<Approval>;
  answer(call: CallId, verdict: "once" | "session" | "deny"): void;
}

interface Question extends PendingApproval {
  readonly settle: (verdict: "once" | "session" | "deny" | "aborted") => void;
}

export interface ApprovalPorts {
  readonly interactive: boolean;
  readonly onAsk: (pending: PendingApproval) => void;
  readonly onSettled: (pending: PendingApproval, allowed: boolean) => void;
}

export function createApprovals(ports: ApprovalPorts): Approvals {
  const allowedTools = new Set<string>();
  const queue: Question[] = [];
  const show = (): void => {
    const first = queue[0];
    if (first !== undefined) ports.onAsk(first);
  };
  const remove = (question: Question): void => {
    const wasShown = queue[0] === question;
    queue.splice(queue.indexOf(question), 1);
    if (wasShown) show();
  };
  /** A verdict for the whole session also answers the questions for the same tool that wait behind it. */
  const release = (name: string): void => {
    for (const waiting of queue.filter((question) => question.tool.name === name)) waiting.settle("once");
  };
  return {
    async ask(call, tool, signal) {
      if (!ports.interactive) return denyUnattended(tool);
      if (allowedTools.has(tool.name)) return { allowed: true };
      const verdict = await new Promise<"once" | "session" | "deny" | "aborted">((resolve) => {
        const onAbort = (): void => {
          question.settle("aborted");
        };
        const question: Question = {
          call,
          tool,
          settle: (given) => {
            signal.removeEventListener("abort", onAbort);
            if (!queue.includes(question)) return;
            ports.onSettled(question, given === "once" || given === "session");
            remove(question);
            resolve(given);
          },
        };
        signal.addEventListener("abort", onAbort, { once: true });
        queue.push(question);
        if (signal.aborted) onAbort();
        else if (queue.length === 1) show();
      });
      if (verdict === "session") {
        allowedTools.add(tool.name);
        release(tool.name);
      }
      if (verdict === "once" || verdict === "session") return { allowed: true };
      return {
        allowed: false,
        why:
          verdict === "aborted"
            ? "the turn was aborted before the user answered."
            : "the user declined it. Ask what to do instead, or go another way.",
      };
    },
    answer(call, verdict) {
      queue.find((question) => question.call.call === call)?.settle(verdict);
    },
  };
}
