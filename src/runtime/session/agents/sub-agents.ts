import { err, ok, type Result, type WorkId } from "../../../base/index.js";
import type { DriverEvent } from "../../../agent/index.js";
import type { AgentPort, EffectReply } from "../../../effect/index.js";
import type { Generation } from "../../../plugin/index.js";
import type { Diagnostic, Entry, RunLimits, Spend, SubAgentInput, SubAgentOutput } from "../../../schema/index.js";
import { SessionStorageError } from "../../../session/index.js";
import type { ModelBinding } from "../../models/index.js";
import type { Overlay } from "../plugins/index.js";
import type { Rounds } from "../round-ports.js";
import { tooDeep, treeSpent } from "./diagnostics.js";
import { limitsLeft, MAX_DEPTH, roundsOf, TREE_ROUNDS } from "./limits.js";
import { createProgress } from "./progress.js";
import { Run, type RunParts, type RunPorts } from "./run.js";
import { narrowed, toolbox } from "./toolbox.js";

/** What an agent works with: the session's own, or one it asked. */
export interface Workplace {
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly rounds: Pick<Rounds, "offer">;
  /** Name of the tool of a call that it has open. */
  toolOf(call: string): string | undefined;
}

export interface SubAgentPorts extends Omit<RunPorts, "limits" | "onEvent"> {
  readonly limits: () => RunLimits;
  readonly generation: () => Generation;
  /** The session's own agent. */
  readonly own: Workplace;
  /** What its running turn has used; nothing while none runs. */
  readonly spend: () => Spend;
  readonly bind: (selection: string) => Result<ModelBinding, Diagnostic>;
  /** Rounds of a new agent, and what gives back what they hold of the running plugins. */
  readonly rounds: (parts: Pick<RunParts, "overlay" | "model"> & Pick<SubAgentInput, "system">) => {
    readonly rounds: Rounds;
    readonly end: () => void;
  };
  /** Works are over: their late effects are refused. */
  readonly drop: (work: WorkId) => void;
  /** Told what is recorded of any of them. */
  readonly onRecorded: (entries: readonly Entry[]) => void;
}

/** The sub-agents of one session. */
export interface SubAgents extends AgentPort {
  /** Whether a work that has not settled is that of one of them. */
  readonly isAtWork: (work: WorkId | undefined) => boolean;
  /** A change is about to be committed: what works below those it settles is over before. */
  settling(entries: readonly Entry[]): void;
  /** All of them are over. */
  close(): void;
}

type AgentAsker = Parameters<AgentPort["run"]>[1];

export const createSubAgents = (ports: SubAgentPorts): SubAgents => new Family(ports);

class Family implements SubAgents {
  readonly #ports: SubAgentPorts;
  readonly #runs = new Set<Run>();

  constructor(ports: SubAgentPorts) {
    this.#ports = ports;
  }

  async run(input: SubAgentInput, asker: AgentAsker): Promise<EffectReply<SubAgentOutput>> {
    const parent = this.#runOf(asker.work);
    const prepared = this.#prepare(input, asker, parent);
    if (!prepared.ok) return { outcome: "not-applied", result: prepared };
    const { run, end } = prepared.value;
    this.#runs.add(run);
    try {
      await run.toEnd(input.prompt, asker.signal);
    } catch (error) {
      if (!(error instanceof SessionStorageError)) throw error;
      return { outcome: "not-applied", result: err(error.diagnostic) };
    } finally {
      this.#over(run);
      end();
    }
    return run.reply();
  }

  readonly isAtWork = (work: WorkId | undefined): boolean => work !== undefined && [...this.#runs].some((run) => run.isOpen(work));

  settling(entries: readonly Entry[]): void {
    if (this.#runs.size === 0) return;
    for (const entry of entries) if (entry.type === "work" && entry.state === "settled") this.#closeBelow(entry.work);
  }

  close(): void {
    for (const run of [...this.#runs].reverse()) this.#over(run);
  }

  /** Those that were asked last come first: who asks ends after whom it asked. */
  #closeBelow(work: WorkId): void {
    for (const run of [...this.#runs].reverse()) if (run.parts.asker.work === work) this.#over(run);
  }

  #over(run: Run): void {
    if (!this.#runs.has(run)) return;
    for (const work of run.works()) this.#closeBelow(work);
    run.close();
    this.#runs.delete(run);
    for (const work of run.works()) this.#ports.drop(work);
  }

  #runOf(work: WorkId | undefined): Run | undefined {
    return [...this.#runs].find((run) => run.owns(work));
  }

  #prepare(
    input: SubAgentInput,
    asker: AgentAsker,
    parent: Run | undefined,
  ): Result<{ readonly run: Run; readonly end: () => void }, Diagnostic> {
    const ports = this.#ports;
    const depth = (parent?.parts.depth ?? 0) + 1;
    const tree = parent?.parts.tree ?? { rounds: 0 };
    if (depth > MAX_DEPTH) return err(tooDeep(MAX_DEPTH));
    if (tree.rounds >= TREE_ROUNDS) return err(treeSpent(TREE_ROUNDS));
    const place: Workplace = parent === undefined ? ports.own : { ...parent.parts, toolOf: (call) => parent.toolOf(call) };
    const offered = place.rounds.offer().registry.active;
    const facts = { offered, asking: place.toolOf(asker.cause), mayAsk: depth < MAX_DEPTH, generation: ports.generation() };
    const tools = toolbox(input, facts);
    if (!tools.ok) return tools;
    const model = input.model === undefined ? ok(place.model) : ports.bind(input.model);
    if (!model.ok) return model;
    const overlay = narrowed(place.overlay, tools.value);
    const { rounds, end } = ports.rounds({ overlay, model: model.value, ...(input.system === undefined ? {} : { system: input.system }) });
    const maxRounds = roundsOf(input.maxRounds);
    const parts = { asker: { plugin: asker.plugin, work: asker.work }, depth, maxRounds, tree, overlay, model: model.value, rounds };
    const run: Run = new Run(parts, {
      ...ports,
      limits: () => limitsLeft(ports.limits(), this.#spentBeside(run), maxRounds),
      commit: (entries) => {
        this.settling(entries);
        return ports.commit(entries);
      },
      onEvent: this.#listener(asker, facts.offered),
    });
    return ok({ run, end });
  }

  /** What a run that asked has of others' is in theirs as well only until they have ended. */
  #spentBeside(run: Run): readonly Spend[] {
    return [this.#ports.spend(), ...[...this.#runs].filter((other) => other !== run).map((other) => other.spend())];
  }

  #listener({ onProgress }: AgentAsker, offered: Parameters<typeof toolbox>[1]["offered"]): (event: DriverEvent) => void {
    const progress =
      onProgress === undefined ? undefined : createProgress(onProgress, (name) => offered.find((tool) => tool.name === name));
    return (event) => {
      if (event.type === "committed") this.#ports.onRecorded(event.entries);
      progress?.(event);
    };
  }
}
