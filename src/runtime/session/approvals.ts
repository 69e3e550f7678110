import { type CallId, invariant, type JsonValue } from "../../base/index.js";
import { denyUnattended } from "../../agent/index.js";
import type { ToolCallEntry, ToolDefinition } from "../../schema/index.js";
import { type Approval, summarizeArguments } from "../../tool/index.js";
import type { ScopedState, StateCell, StateDeclaration } from "./scoped-state.js";
import type { Narrator, StatusBoard } from "./view/index.js";

export interface PendingApproval {
  readonly call: ToolCallEntry;
  readonly tool: ToolDefinition;
}

/** Questions to a person, one at a time and in order; an answer may stand for the rest of the session. */
export interface Approvals {
  ask(call: ToolCallEntry, tool: ToolDefinition, signal: AbortSignal): Promise<Approval>;
  answer(call: CallId, verdict: "once" | "session" | "deny"): void;
}

export interface ApprovalPorts {
  readonly interactive: boolean;
  readonly onAsk: (pending: PendingApproval) => void;
  readonly onSettled: (pending: PendingApproval, allowed: boolean) => void;
  /** Where answers for the whole session are kept. */
  readonly memory?: ApprovalMemory;
}

export interface ApprovalMemory {
  /** Names of the tools that need no question any more. */
  load(): Promise<readonly string[]>;
  save(names: readonly string[]): Promise<void>;
}

export function createApprovals(ports: ApprovalPorts): Approvals {
  const allowedTools = new Set<string>();
  const questions = new Questions(ports);
  let loading: Promise<void> | undefined;
  const load = async (memory: ApprovalMemory): Promise<void> => {
    for (const name of await memory.load()) allowedTools.add(name);
  };
  return {
    async ask(call, tool, signal) {
      if (!ports.interactive) return denyUnattended(tool);
      if (ports.memory !== undefined) await (loading ??= load(ports.memory));
      if (allowedTools.has(tool.name)) return { allowed: true };
      const verdict = await questions.put({ call, tool }, signal);
      if (verdict === "session") {
        allowedTools.add(tool.name);
        questions.release(tool.name);
        await ports.memory?.save([...allowedTools]);
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
      questions.answer(call, verdict);
    },
  };
}

type Verdict = "once" | "session" | "deny" | "aborted";

interface Question extends PendingApproval {
  readonly settle: (verdict: Verdict) => void;
}

/** The questions that wait; the first of them is shown. */
class Questions {
  readonly #ports: ApprovalPorts;
  readonly #queue: Question[] = [];

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  async put(pending: PendingApproval, signal: AbortSignal): Promise<Verdict> {
    return await new Promise((resolve) => {
      const onAbort = (): void => {
        question.settle("aborted");
      };
      const question: Question = {
        ...pending,
        settle: (given) => {
          signal.removeEventListener("abort", onAbort);
          if (!this.#queue.includes(question)) return;
          this.#ports.onSettled(question, given === "once" || given === "session");
          this.#remove(question);
          resolve(given);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(question);
      if (signal.aborted) onAbort();
      else if (this.#queue.length === 1) this.#show();
    });
  }

  answer(call: CallId, verdict: Verdict): void {
    this.#queue.find((question) => question.call.call === call)?.settle(verdict);
  }

  /** A verdict for the whole session also answers the questions for the same tool that wait behind it. */
  release(name: string): void {
    for (const waiting of this.#queue.filter((question) => question.tool.name === name)) waiting.settle("once");
  }

  #show(): void {
    const [first] = this.#queue;
    if (first !== undefined) this.#ports.onAsk(first);
  }

  #remove(question: Question): void {
    const wasShown = this.#queue[0] === question;
    this.#queue.splice(this.#queue.indexOf(question), 1);
    if (wasShown) this.#show();
  }
}

/** Kept in the session it was given in, and nowhere else: a fork asks again. */
const APPROVALS: StateDeclaration = {
  owner: "core",
  key: "approvals",
  version: 1,
  scope: "session",
  fork: "fresh",
  retention: "session",
  maxBytes: 16 * 1024,
};

export interface SessionApprovalPorts {
  readonly interactive: boolean;
  readonly state: ScopedState;
  readonly status: StatusBoard;
  readonly narrator: Narrator;
}

/** Approvals as the status and the events of a session show them, remembered in its file. */
export function createSessionApprovals({ interactive, state, status, narrator }: SessionApprovalPorts): Approvals {
  const cell = state.declare(APPROVALS);
  invariant(cell.ok, "the approvals' own declaration is refused");
  return createApprovals({
    interactive,
    memory: rememberIn(cell.value),
    onAsk: ({ call, tool }) => {
      const argsSummary = summarizeArguments(tool, call.args);
      status.update({ pendingApproval: { id: call.call, name: call.name, argsSummary } });
      narrator.emit({ type: "approval", id: call.call, name: call.name, argsSummary, args: call.args ?? {} });
    },
    onSettled: ({ call }, allowed) => {
      status.clearApproval();
      narrator.emit({ type: "approval_settled", id: call.call, allowed });
    },
  });
}

/** What cannot be stored holds in this process all the same; when storage is what failed, the tool's own record fails next. */
const rememberIn = (cell: StateCell): ApprovalMemory => ({
  async load() {
    const found = await cell.get();
    return found.ok && found.value?.version === APPROVALS.version ? namesIn(found.value.value) : [];
  },
  async save(names) {
    await cell.put(names);
  },
});

const namesIn = (value: JsonValue): readonly string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
