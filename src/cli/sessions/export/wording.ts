import { type EntryId, plural, shortId } from "../../../base/index.js";
import {
  type AssistantEntry,
  type ContextEditEntry,
  type Diagnostic,
  formatUsd,
  type InputSource,
  spendWords,
} from "../../../schema/index.js";
import { lostWords } from "../entry-text.js";
import { duration, utcMinute } from "./clean.js";
import { totalsWords, usageWords } from "./facts.js";
import type { ExportFacts, ShownEntry, ToolBlock } from "./types.js";

/** Something that is neither said nor done by a tool. Words are not cleaned yet. */
export interface Note {
  readonly text: string;
  /** Entry it speaks of. */
  readonly target?: EntryId;
  readonly body?: string;
}

export type NotedEntry = Exclude<ShownEntry, { readonly type: "user-message" | "assistant" | "prompt" | "compaction" }>;

const EDITED: { readonly [Operation in ContextEditEntry["operation"]]: string } = {
  omit: "From here on the model does not see this entry:",
  replace: "From here on the model sees these words instead of this entry:",
  restore: "From here on the model sees this entry again as it was:",
};

/** What a document says of an entry; undefined for the records of work and effects, which are not part of the conversation. */
export function noteOf(entry: NotedEntry): Note | undefined {
  switch (entry.type) {
    case "session-info":
      // What the session began with is on top of the document.
      return entry.name === undefined || entry.parent === undefined ? undefined : { text: `The session is named “${entry.name}”.` };
    case "context-edit":
      return { text: EDITED[entry.operation], target: entry.target, ...(entry.text === undefined ? {} : { body: entry.text }) };
    case "branch-state":
      return {
        text: `State ${entry.key} of ${entry.owner} (version ${String(entry.version)}): ${entry.operation === "put" ? "set" : "deleted"}.`,
        ...(entry.value === undefined ? {} : { body: JSON.stringify(entry.value, undefined, 2) }),
      };
    case "lost":
      return { text: `Here was ${lostWords(entry)}.` };
    case "reconciled":
      return {
        text: `A person says of effect ${shortId(entry.effect)}: ${entry.outcome}.`,
        ...(entry.note === undefined ? {} : { body: entry.note }),
      };
    case "receipt":
      return entry.status === "ok"
        ? undefined
        : {
            text: `The run ended: ${entry.status} (${entry.reason}).`,
            ...(entry.error === undefined ? {} : { body: diagnosticWords(entry.error) }),
          };
    case "unknown":
      return { text: `A record of kind ${String(entry.kind)}, which this version does not know. A JSONL export holds it whole.` };
    case "effect-intent":
    case "effect-done":
    case "invocation":
    case "actions":
    case "leaf":
    case "origin":
    case "queue":
    case "request":
    case "state":
    case "submission":
    case "work":
      return undefined;
  }
}

export const diagnosticWords = ({ what, why, next }: Diagnostic): string => `${what}\n${why}\n${next}`;

const SOURCES: { readonly [Source in InputSource]: string } = {
  prompt: "Prompt",
  steer: "Prompt while working",
  "follow-up": "Follow-up",
  notice: "Notice to the model",
};

export const sourceWords = (source: InputSource): string => SOURCES[source];

const STOPS: { readonly [Stop in AssistantEntry["stop"]]: string | undefined } = {
  stop: undefined,
  "tool-use": undefined,
  limit: "cut off at the token limit",
  refusal: "refused",
  "content-filter": "stopped by a content filter",
  aborted: "aborted",
  failed: "failed",
};

/** Why an answer is not a whole one. */
export const stopWords = (stop: AssistantEntry["stop"]): string | undefined => STOPS[stop];

/** An answer of nothing but tool calls, which are shown on their own. */
export const saysNothing = ({ text, thinking, error, stop }: AssistantEntry): boolean =>
  text.trim() === "" && error === undefined && stopWords(stop) === undefined && thinking.every((part) => part.text.trim() === "");

export interface Badge {
  readonly text: string;
  readonly tone: "plain" | "bad" | "unsure";
}

/** What happened to a call, in the fewest words. */
export function badgesOf({ result }: ToolBlock): readonly Badge[] {
  if (result === undefined) return [{ text: "no result recorded: outcome unknown", tone: "unsure" }];
  return [
    ...(result.isError ? [{ text: "failed", tone: "bad" } as const] : []),
    ...(result.mutation === "applied" ? [{ text: "changed something", tone: "plain" } as const] : []),
    ...(result.mutation === "unknown" ? [{ text: "outcome unknown", tone: "unsure" } as const] : []),
    ...(result.summary === undefined ? [] : [{ text: result.summary, tone: "plain" } as const]),
    ...(result.durationMs === undefined ? [] : [{ text: duration(result.durationMs), tone: "plain" } as const]),
    ...(result.omittedBytes === 0 ? [] : [{ text: `${plural(result.omittedBytes, "byte")} not recorded`, tone: "unsure" } as const]),
  ];
}

/** What an answer used and cost: `1,200 input, 80 output · $0.42`; undefined where nobody said anything of it. */
export function spentWords({ usage, cost }: Pick<AssistantEntry, "usage" | "cost">): string | undefined {
  const tokens = usageWords(usage);
  if (tokens === undefined && cost === undefined) return undefined;
  return [...(tokens === undefined ? [] : [tokens]), cost === undefined ? "cost not known" : formatUsd(cost)].join(" · ");
}

/** The facts on top of a document, label and words. */
export function factLines(facts: ExportFacts): readonly (readonly [label: string, words: string])[] {
  const { inherited, spend } = facts.totals;
  const usage = usageWords(spend.usage);
  const cost = spend.usage === undefined && spend.cost === undefined ? undefined : spendWords(spend);
  return [
    ["Session", facts.id],
    ["Began", utcMinute(facts.createdAt)],
    ...(facts.lastAt === undefined ? [] : [["Last entry", utcMinute(facts.lastAt)] as const]),
    ...(facts.cwd === undefined ? [] : [["Folder", facts.cwd] as const]),
    ...(facts.models.length === 0 ? [] : [[facts.models.length === 1 ? "Model" : "Models", facts.models.join(", ")] as const]),
    ["Contents", totalsWords(facts.totals)],
    ...(usage === undefined ? [] : [["Tokens", usage] as const]),
    ...(cost === undefined ? [] : [["Cost", cost] as const]),
    ...(inherited === 0 ? [] : [["Inherited", `${String(inherited)} of the entries came with a fork or an import`] as const]),
  ];
}

/** The arguments of a call as they are read best. */
export const argumentsText = ({ call }: ToolBlock): string =>
  call === undefined ? "" : call.args === undefined ? call.argsText : JSON.stringify(call.args, undefined, 2);
