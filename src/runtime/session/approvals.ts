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
  readonly signal: AbortSignal;
  /** Answers it, and lets the next one be shown. */
  readonly settle: (verdict: Verdict) => void;
  /** Answers it and nothing else. */
  readonly close: (verdict: Verdict) => void;
}

/** The questions that wait; the oldest of them is shown. Only what was shown is told to be settled. */
class Questions {
  readonly #ports: ApprovalPorts;
  readonly #waiting: Question[] = [];
  #shown: Question | undefined;

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  async put(pending: PendingApproval, signal: AbortSignal): Promise<Verdict> {
    if (signal.aborted) return "aborted";
    return await new Promise((resolve) => {
      const onAbort = (): void => {
        question.settle("aborted");
      };
      const question: Question = {
        ...pending,
        signal,
        close: (given) => {
          signal.removeEventListener("abort", onAbort);
          this.#remove(question, given);
          resolve(given);
        },
        settle: (given) => {
          question.close(given);
          if (given === "session") this.#release(question.tool.name);
          this.#showNext();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(question);
      this.#showNext();
    });
  }

  answer(call: CallId, verdict: Verdict): void {
    this.#waiting.find((question) => question.call.call === call)?.settle(verdict);
  }

  /** A verdict for the whole session also answers the questions for the same tool that wait behind it. */
  #release(name: string): void {
    for (const question of this.#waiting.filter(({ tool }) => tool.name === name)) question.close("once");
  }

  /** One whose turn was aborted is about to be taken back. */
  #showNext(): void {
    if (this.#shown !== undefined) return;
    this.#shown = this.#waiting.find(({ signal }) => !signal.aborted);
    if (this.#shown !== undefined) this.#ports.onAsk(this.#shown);
  }

  #remove(question: Question, given: Verdict): void {
    this.#waiting.splice(this.#waiting.indexOf(question), 1);
    if (this.#shown !== question) return;
    this.#shown = undefined;
    this.#ports.onSettled(question, given === "once" || given === "session");
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
