import { type CallId, invariant, type JsonValue } from "../../../base/index.js";
import { denyUnattended } from "../../../agent/index.js";
import type { ToolCallEntry, ToolDefinition } from "../../../schema/index.js";
import { summarizeArguments } from "../../../tool/index.js";
import { sha256 } from "../../digest.js";
import type { ScopedState, StateCell, StateDeclaration } from "../scoped-state.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import { Attention, type Waiting } from "./attention.js";

export type Verdict = "once" | "session" | "project" | "deny";

/** Why a call is asked about, in the words of who wants it asked. */
export interface AskFacts {
  readonly why?: string;
  /** What an answer for longer would allow. Whoever gave it is told the answer and remembers it; nothing is remembered here. */
  readonly rule?: string;
}

/** `verdict` is absent where nobody gave one. */
export type ApprovalAnswer =
  { readonly allowed: true; readonly verdict?: Verdict } | { readonly allowed: false; readonly why: string; readonly verdict?: Verdict };

export interface PendingApproval extends AskFacts {
  readonly call: ToolCallEntry;
  readonly tool: ToolDefinition;
}

/** Approvals of tool calls by a person, one at a time and in order. */
export interface Approvals {
  ask(call: ToolCallEntry, tool: ToolDefinition, facts: AskFacts & { readonly signal: AbortSignal }): Promise<ApprovalAnswer>;
  /** `why` of a denial is told to the model. */
  answer(call: CallId, verdict: Verdict, why?: string): void;
}

export interface ApprovalPorts {
  readonly interactive: boolean;
  /** Shared with the questions of plugins. */
  readonly attention?: Attention;
  readonly onAsk: (pending: PendingApproval) => void;
  readonly onSettled: (pending: PendingApproval, allowed: boolean) => void;
  /** Where answers for the whole session are kept. */
  readonly memory?: ApprovalMemory;
}

export interface ApprovalMemory {
  /** Names of the calls that need no question any more. */
  load(): Promise<readonly string[]>;
  save(names: readonly string[]): Promise<void>;
}

/** Calls remembered for a session; beyond them the oldest is asked about again. */
const MAX_REMEMBERED = 128;

export function createApprovals(ports: ApprovalPorts): Approvals {
  const allowed = new Set<string>();
  const questions = new OpenApprovals(ports);
  let loading: Promise<void> | undefined;
  const load = async (memory: ApprovalMemory): Promise<void> => {
    for (const name of await memory.load()) allowed.add(name);
  };
  const remember = async (name: string): Promise<void> => {
    allowed.add(name);
    const [oldest] = allowed;
    if (allowed.size > MAX_REMEMBERED && oldest !== undefined) allowed.delete(oldest);
    await ports.memory?.save([...allowed]);
  };
  return {
    async ask(call, tool, { signal, ...facts }) {
      if (!ports.interactive) return unattended(tool, facts);
      if (ports.memory !== undefined) await (loading ??= load(ports.memory));
      const name = nameOf(call, tool);
      if (facts.rule === undefined && allowed.has(name)) return { allowed: true };
      const { verdict, why } = await questions.put({ call, tool, ...facts }, signal);
      if (facts.rule === undefined && (verdict === "session" || verdict === "project")) await remember(name);
      if (verdict === "aborted") return { allowed: false, why: "the turn was aborted before the user answered." };
      if (verdict !== "deny") return { allowed: true, verdict };
      return { allowed: false, verdict, why: declined(why) };
    },
    answer(call, verdict, why) {
      questions.answer(call, { verdict, ...(why === undefined || why.trim() === "" ? {} : { why: why.trim() }) });
    },
  };
}

/** Nobody can be asked: by whom it was wanted decides what to do instead. */
const unattended = (tool: ToolDefinition, { why }: AskFacts): ApprovalAnswer =>
  why === undefined
    ? denyUnattended(tool)
    : {
        allowed: false,
        why: `a person has to be asked about this call, and nobody can be asked in this run. ${why} Go another way, or say what is needed.`,
      };

const declined = (why: string | undefined): string =>
  why === undefined ? "the user declined it. Ask what to do instead, or go another way." : `the user declined it and says: ${why}`;

/** The tool and everything its summary shows of the arguments, uncut: another call than the one that was seen has another name. */
export function nameOf(call: ToolCallEntry, tool: ToolDefinition): string {
  const args = call.args ?? {};
  const shown = tool.summaryKeys.length === 0 ? args : tool.summaryKeys.map((key) => args[key] ?? null);
  return `${tool.name} ${sha256(JSON.stringify(shown))}`;
}

interface Given {
  readonly verdict: Verdict | "aborted";
  readonly why?: string;
}

interface OpenApproval extends PendingApproval, Waiting {
  /** Answers it, and lets the next one be shown. */
  readonly settle: (given: Given) => void;
  /** Answers it and nothing else. */
  readonly close: (given: Given) => void;
}

/** The approvals that wait. Only what was shown is told to be settled. */
class OpenApprovals {
  readonly #ports: ApprovalPorts;
  readonly #attention: Attention;
  readonly #waiting: OpenApproval[] = [];

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
    this.#attention = ports.attention ?? new Attention();
  }

  async put(pending: PendingApproval, signal: AbortSignal): Promise<Given> {
    if (signal.aborted) return { verdict: "aborted" };
    return await new Promise((resolve) => {
      const onAbort = (): void => {
        open.settle({ verdict: "aborted" });
      };
      const open: OpenApproval = {
        ...pending,
        signal,
        onShown: () => {
          this.#ports.onAsk(open);
        },
        close: (given) => {
          signal.removeEventListener("abort", onAbort);
          this.#remove(open, given);
          resolve(given);
        },
        settle: (given) => {
          open.close(given);
          if (given.verdict === "session" || given.verdict === "project") this.#release(open);
          this.#attention.next();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(open);
      this.#attention.add(open);
    });
  }

  answer(call: CallId, given: Given): void {
    this.#waiting.find((open) => open.call.call === call)?.settle(given);
  }

  /** A verdict for longer also answers what waits behind it and would be allowed by it. */
  #release(given: OpenApproval): void {
    const isCovered = (open: OpenApproval): boolean =>
      given.rule === undefined
        ? open.rule === undefined && nameOf(open.call, open.tool) === nameOf(given.call, given.tool)
        : open.rule === given.rule && open.tool.name === given.tool.name;
    for (const open of this.#waiting.filter(isCovered)) open.close({ verdict: "once" });
  }

  #remove(open: OpenApproval, { verdict }: Given): void {
    this.#waiting.splice(this.#waiting.indexOf(open), 1);
    if (this.#attention.remove(open)) this.#ports.onSettled(open, verdict !== "deny" && verdict !== "aborted");
  }
}

/** Kept in the session it was given in, and nowhere else: a fork asks again. */
const APPROVALS: StateDeclaration = {
  owner: "core",
  key: "approved-calls",
  version: 1,
  scope: "session",
  fork: "fresh",
  retention: "session",
  maxBytes: 32 * 1024,
};

export interface SessionApprovalPorts {
  readonly interactive: boolean;
  readonly attention: Attention;
  readonly state: ScopedState;
  readonly status: StatusBoard;
  readonly narrator: Narrator;
}

/** Approvals as the status and the events of a session show them, remembered in its file. */
export function createSessionApprovals({ interactive, attention, state, status, narrator }: SessionApprovalPorts): Approvals {
  const cell = state.declare(APPROVALS);
  invariant(cell.ok, "the approvals' own declaration is refused");
  return createApprovals({
    interactive,
    attention,
    memory: rememberIn(cell.value),
    onAsk: ({ call, tool, why, rule }) => {
      const argsSummary = summarizeArguments(tool, call.args);
      const facts = { ...(why === undefined ? {} : { why }), ...(rule === undefined ? {} : { rule }) };
      status.update({ pendingApproval: { id: call.call, name: call.name, argsSummary, ...facts } });
      narrator.emit({ type: "approval", id: call.call, name: call.name, argsSummary, args: call.args ?? {}, ...facts });
    },
    onSettled: ({ call }, allowed) => {
      status.clear("pendingApproval");
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
