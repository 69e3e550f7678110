import type { EntryId, SubmissionId, WorkId } from "../../base/index.js";
import type { Entry, ModelRef, Spend } from "../../schema/index.js";
import { addSpend, isHistoryEntry, NO_SPEND } from "../../schema/index.js";
import { BranchSums, type BranchCost } from "./branches.js";
import { Owners, type Spent } from "./spent.js";

/** What one model served. Absent `model`: tools that do not say who served them. */
export interface ModelCost {
  readonly model?: ModelRef;
  /** Records that say so. */
  readonly responses: number;
  readonly spend: Spend;
}

/** What one work used: a turn, or the work of a sub-agent. Absent `work`: what no work asked for, compactions for example. */
export interface TurnCost {
  readonly work?: WorkId;
  /** The work it was done for. */
  readonly parent?: WorkId;
  readonly submission?: SubmissionId;
  /** ms since the epoch, of the first record. */
  readonly time: number;
  readonly responses: number;
  /** Its own. */
  readonly spend: Spend;
  /** With the works it owns. */
  readonly total: Spend;
}

/** One message's own. */
export interface MessageCost extends Pick<Spent, "by" | "model" | "spend"> {
  readonly entry: EntryId;
  /** It came with a fork or an import: another session's cost, not in the total. */
  readonly inherited?: true;
}

/**
 * What a session used. Every record is counted once, so that models, turns and messages each sum up to `total`; branches share what
 * they have in common.
 */
export interface CostReport {
  readonly total: Spend;
  /** What came with a fork or an import: another session's cost, not part of any other figure here but of the branches. */
  readonly inherited: Spend;
  readonly models: readonly ModelCost[];
  readonly turns: readonly TurnCost[];
  readonly branches: readonly BranchCost[];
}

interface Turn {
  readonly work: WorkId | undefined;
  parent: WorkId | undefined;
  submission: SubmissionId | undefined;
  readonly time: number;
  responses: number;
  spend: Spend;
}

/** Takes a session's entries in committed order, all of them, and adds up what they say. Holds a few words for each entry of the history. */
export class CostSum {
  readonly #own = new Owners();
  readonly #theirs = new Owners();
  readonly #branches = new BranchSums();
  readonly #models = new Map<string, { model: ModelRef | undefined; responses: number; spend: Spend }>();
  readonly #turns = new Map<WorkId | undefined, Turn>();
  readonly #asked = new Map<WorkId, SubmissionId>();
  #total: Spend = NO_SPEND;
  #inherited: Spend = NO_SPEND;

  /** What it adds; undefined when nothing. */
  take(entry: Entry): MessageCost | undefined {
    const isInherited = entry.inherited === true;
    const spent = (isInherited ? this.#theirs : this.#own).take(entry);
    if (entry.type === "submission" && !isInherited) this.#asked.set(entry.work, entry.submission);
    if (isHistoryEntry(entry)) this.#branches.take(entry, spent?.spend);
    if (spent === undefined) return undefined;
    if (isInherited) this.#inherited = addSpend(this.#inherited, spent.spend);
    else this.#count(entry, spent);
    const { by, model, spend } = spent;
    return { entry: entry.id, by, ...(model === undefined ? {} : { model }), spend, ...(isInherited ? { inherited: true } : {}) };
  }

  /** `leaf` is the selected one. */
  report(leaf: EntryId | undefined): CostReport {
    return {
      total: this.#total,
      inherited: this.#inherited,
      models: [...this.#models.values()].map(({ model, responses, spend }) => ({
        ...(model === undefined ? {} : { model }),
        responses,
        spend,
      })),
      turns: this.#turnCosts(),
      branches: this.#branches.list(leaf),
    };
  }

  #count(entry: Entry, { work, model, spend }: Spent): void {
    this.#total = addSpend(this.#total, spend);
    const key = model === undefined ? "" : `${model.provider}/${model.model}`;
    const known = this.#models.get(key) ?? { model, responses: 0, spend: NO_SPEND };
    this.#models.set(key, { model, responses: known.responses + 1, spend: addSpend(known.spend, spend) });
    const turn = this.#turn(work, entry.time);
    turn.responses += 1;
    turn.spend = addSpend(turn.spend, spend);
  }

  /** Works above it are there too, before it, whether they answered themselves or not. A file may say that they own each other. */
  #turn(work: WorkId | undefined, time: number): Turn {
    const known = this.#turns.get(work);
    if (known !== undefined) return known;
    const above = new Set<WorkId>();
    for (let one = this.#parentOf(work); one !== undefined && one !== work && !above.has(one); one = this.#parentOf(one)) {
      if (this.#turns.has(one)) break;
      above.add(one);
    }
    for (const owner of [...above].reverse()) this.#begin(owner, time);
    return this.#begin(work, time);
  }

  #parentOf(work: WorkId | undefined): WorkId | undefined {
    return work === undefined ? undefined : this.#own.parentOf(work);
  }

  #begin(work: WorkId | undefined, time: number): Turn {
    const submission = work === undefined ? undefined : this.#asked.get(work);
    const turn: Turn = { work, parent: this.#parentOf(work), submission, time, responses: 0, spend: NO_SPEND };
    this.#turns.set(work, turn);
    return turn;
  }

  #turnCosts(): readonly TurnCost[] {
    const totals = new Map([...this.#turns.values()].map((turn) => [turn.work, turn.spend] as const));
    for (const turn of this.#turns.values()) {
      const seen = new Set([turn.work]);
      for (let owner = turn.parent; owner !== undefined && !seen.has(owner); owner = this.#turns.get(owner)?.parent) {
        seen.add(owner);
        totals.set(owner, addSpend(totals.get(owner) ?? NO_SPEND, turn.spend));
      }
    }
    return [...this.#turns.values()].map(({ work, parent, submission, time, responses, spend }) => ({
      ...(work === undefined ? {} : { work }),
      ...(parent === undefined ? {} : { parent }),
      ...(submission === undefined ? {} : { submission }),
      time,
      responses,
      spend,
      total: totals.get(work) ?? spend,
    }));
  }
}
