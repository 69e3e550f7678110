import { plural, type SessionId } from "../../../base/index.js";
import { addSpend, type Entry, NO_SPEND, type Spend, spendOf, type ToolResultEntry, type Usage } from "../../../schema/index.js";
import { clipLine } from "./clean.js";
import type { ExportFacts, ExportItem, ExportTotals } from "./types.js";

const TITLE_CHARACTERS = 100;

interface Start {
  readonly id: SessionId;
  readonly createdAt: number;
  readonly version: string;
}

/** One pass over the branch that is going to be rendered. Keeps nothing but counts and the ids of calls that wait for a result. */
export async function collectFacts(start: Start, entries: AsyncIterable<ExportItem>): Promise<ExportFacts> {
  const tally = new Tally();
  for await (const item of entries) if (item.type !== "gap") tally.add(item);
  return tally.facts(start);
}

class Tally {
  readonly #models = new Set<string>();
  readonly #open = new Set<string>();
  readonly #counts = { prompts: 0, answers: 0, toolCalls: 0, failedCalls: 0, unknownOutcomes: 0, inherited: 0 };
  #spend: Spend = NO_SPEND;
  #name: string | undefined;
  #cwd: string | undefined;
  #firstPrompt: string | undefined;
  #lastAt: number | undefined;

  add(entry: Entry): void {
    this.#lastAt = entry.time;
    const spend = spendIn(entry);
    if (spend !== undefined) this.#spend = addSpend(this.#spend, spend);
    if (entry.inherited === true) this.#counts.inherited += 1;
    if (entry.type === "user-message") {
      this.#counts.prompts += 1;
      this.#firstPrompt ??= clipLine(entry.text, TITLE_CHARACTERS);
    } else if (entry.type === "assistant") {
      this.#counts.answers += 1;
      this.#models.add(`${entry.dispatch.provider}/${entry.dispatch.model}`);
    } else if (entry.type === "tool-call") {
      this.#counts.toolCalls += 1;
      this.#open.add(entry.call);
    } else if (entry.type === "tool-result") this.#result(entry);
    else if (entry.type === "session-info") {
      this.#name = entry.name ?? this.#name;
      this.#cwd = entry.cwd ?? this.#cwd;
    }
  }

  #result(entry: ToolResultEntry): void {
    this.#open.delete(entry.call);
    if (entry.isError) this.#counts.failedCalls += 1;
    if (entry.mutation === "unknown") this.#counts.unknownOutcomes += 1;
  }

  facts(start: Start): ExportFacts {
    const name = this.#name === undefined ? "" : clipLine(this.#name, TITLE_CHARACTERS);
    const title = [name, this.#firstPrompt ?? ""].find((text) => text !== "") ?? `Session ${start.id}`;
    return {
      ...start,
      title,
      ...(this.#cwd === undefined ? {} : { cwd: this.#cwd }),
      ...(this.#lastAt === undefined ? {} : { lastAt: this.#lastAt }),
      models: [...this.#models],
      totals: {
        ...this.#counts,
        unknownOutcomes: this.#counts.unknownOutcomes + this.#open.size,
        spend: this.#spend,
      },
    };
  }
}

/** What an entry of the branch says was used. */
function spendIn(entry: Entry): Spend | undefined {
  if (entry.type === "assistant") return spendOf(entry);
  if (entry.type === "tool-result") return entry.details?.usage === undefined ? undefined : spendOf(entry.details.usage);
  return entry.type === "compaction" && (entry.usage !== undefined || entry.cost !== undefined) ? spendOf(entry) : undefined;
}

const USAGE_WORDS = [
  ["inputTokens", "input"],
  ["outputTokens", "output"],
  ["cacheReadTokens", "read from cache"],
  ["cacheWriteTokens", "written to cache"],
  ["reasoningTokens", "reasoning"],
] as const;

/** `1,200 input, 80 output`; undefined when no provider reported any. */
export function usageWords(usage: Usage | undefined): string | undefined {
  const parts = USAGE_WORDS.flatMap(([key, word]) => {
    const count = usage?.[key];
    return count === undefined ? [] : [`${grouped(count)} ${word}`];
  });
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** `3 prompts, 5 answers, 7 tool calls (1 failed, 1 with an unknown outcome)`. */
export function totalsWords(totals: ExportTotals): string {
  const notes = [
    ...(totals.failedCalls === 0 ? [] : [`${String(totals.failedCalls)} failed`]),
    ...(totals.unknownOutcomes === 0 ? [] : [`${String(totals.unknownOutcomes)} with an unknown outcome`]),
  ];
  const counts = [plural(totals.prompts, "prompt"), plural(totals.answers, "answer"), plural(totals.toolCalls, "tool call")].join(", ");
  return `${counts}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
}

const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/gu, ",");
