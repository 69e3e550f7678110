import { type CallId, type SessionId, shortId } from "../../../base/index.js";
import {
  type ActionsEntry,
  type Entry,
  imageBytes,
  type LeafEntry,
  type Position,
  type SmithEvent,
  type ToolCallEntry,
  type ToolDefinition,
  type ToolResultEntry,
} from "../../../schema/index.js";
import { summarizeArguments, summarizeData, summarizeResult } from "../../../tool/index.js";

/** Remembers the calls whose results are still to come: names, summaries and durations need both ends. */
export interface EventContext {
  readonly session: SessionId;
  readonly tool: (name: string) => ToolDefinition | undefined;
  readonly calls: Map<CallId, ToolCallEntry>;
}

/**
 * The durable events of one entry, the same for live observation and for a backlog. Entries that are nobody's news
 * (work, receipts, effects, requests, prompts) give none.
 */
export function entryEvents(entry: Entry, context: EventContext, position?: Position): readonly SmithEvent[] {
  const stamp = { session: context.session, time: entry.time, ...(position === undefined ? {} : { position }) };
  switch (entry.type) {
    case "user-message":
      return [
        {
          ...stamp,
          type: "user",
          entry: entry.id,
          text: entry.text,
          source: entry.source,
          ...(entry.plugin === undefined ? {} : { plugin: entry.plugin }),
        },
      ];
    case "assistant":
      return [
        {
          ...stamp,
          type: "assistant",
          entry: entry.id,
          text: entry.text,
          stop: entry.stop,
          model: entry.dispatch,
          ...(entry.thinking.length === 0 ? {} : { thinking: entry.thinking.map((part) => part.text).join("") }),
          ...(entry.usage === undefined ? {} : { usage: entry.usage }),
          ...(entry.cost === undefined ? {} : { cost: entry.cost }),
          ...(entry.error === undefined ? {} : { error: entry.error }),
        },
      ];
    case "tool-call":
      return [toolStart(entry, context, stamp)];
    case "tool-result":
      return [toolEnd(entry, context, stamp)];
    case "compaction":
      return [{ ...stamp, type: "notice", text: "Earlier messages were summarized for the model; the full history is kept." }];
    case "lost":
      return [{ ...stamp, type: "notice", text: "An entry was lost to damage here." }];
    case "leaf":
      return [{ ...stamp, type: "notice", text: branchChanged(entry) }];
    case "actions":
      return actionEvents(entry, stamp);
    case "prompt":
    case "session-info":
    case "context-edit":
    case "branch-state":
    case "state":
    case "origin":
    case "submission":
    case "queue":
    case "work":
    case "receipt":
    case "effect-intent":
    case "effect-done":
    case "invocation":
    case "reconciled":
    case "request":
    case "unknown":
      return [];
  }
}

/** As {@link entryEvents}, for who did not see the turn: that it was stopped is told from the answer that was cut by it. */
export function pastEvents(entry: Entry, context: EventContext, position?: Position): readonly SmithEvent[] {
  const events = entryEvents(entry, context, position);
  if (entry.type !== "assistant" || entry.stop !== "aborted") return events;
  return [...events, { session: context.session, time: entry.time, ...(position === undefined ? {} : { position }), type: "interrupted" }];
}

/** What follows belongs to another branch than what was told before: a view has to say so, or read its page again. */
const branchChanged = ({ to }: LeafEntry): string =>
  to === undefined
    ? "The session goes on before its first entry now; the history so far is kept as another branch."
    : `The session goes on after entry ${shortId(to)} now; what came after it is kept as another branch.`;

/** What plugins had to say to a person, and what of theirs was refused. The rest of what they did shows by itself. */
const actionEvents = (entry: ActionsEntry, stamp: Stamp): readonly SmithEvent[] => [
  ...entry.accepted.flatMap(({ plugin, action }): readonly SmithEvent[] =>
    action.type === "notify"
      ? [{ ...stamp, type: "notice", plugin, text: action.text, ...(action.role === undefined ? {} : { role: action.role }) }]
      : [],
  ),
  ...entry.refused.map(({ error }): SmithEvent => ({ ...stamp, type: "error", diagnostic: error })),
];

type Stamp = Pick<SmithEvent, "session" | "time" | "position">;

function toolStart(entry: ToolCallEntry, context: EventContext, stamp: Stamp): SmithEvent {
  context.calls.set(entry.call, entry);
  const argsSummary = summarizeArguments(context.tool(entry.name), entry.args);
  return { ...stamp, type: "tool_start", id: entry.call, name: entry.name, args: entry.args ?? null, argsSummary };
}

const ownWords = ({ name, isError, details }: ToolResultEntry, context: EventContext): string | undefined =>
  isError ? undefined : summarizeData(context.tool(name), details?.data);

function toolEnd(entry: ToolResultEntry, context: EventContext, stamp: Stamp): SmithEvent {
  const started = context.calls.get(entry.call);
  context.calls.delete(entry.call);
  return {
    ...stamp,
    type: "tool_end",
    id: entry.call,
    name: entry.name,
    result: entry.text,
    isError: entry.isError,
    resultSummary: entry.summary ?? ownWords(entry, context) ?? summarizeResult(entry.text, entry.isError),
    mutation: entry.mutation,
    durationMs: entry.durationMs ?? (started === undefined ? 0 : Math.max(0, entry.time - started.time)),
    ...(entry.details?.diff === undefined ? {} : { diff: entry.details.diff }),
    ...(entry.details?.view === undefined ? {} : { view: entry.details.view }),
    ...(entry.images === undefined
      ? {}
      : { images: entry.images.map((image) => ({ mediaType: image.mediaType, bytes: imageBytes(image) })) }),
  };
}
