import { type CallId, err, ok, type Result, type SessionId } from "../../../base/index.js";
import { type Diagnostic, isHistoryEntry, type Position, type SmithEvent, type ToolCallEntry } from "../../../schema/index.js";
import { type CommittedChange, type SessionReader, SessionStorageError } from "../../../session/index.js";
import type { ChangeBatch } from "../../types.js";
import type { ViewFacts } from "./backlog.js";
import { createDamageNews } from "./damage-news.js";
import { type EventContext, pastEvents } from "./events.js";

/** Where committed changes are read from, for as long as the session is open. */
export interface ChangeSource {
  /**
   * The reader to go on with after `ended` (undefined: the first one). Waits for a file that is not there yet; undefined
   * when the session is closed, `signal` aborts, or nothing came after `ended`. Throws SessionStorageError when it cannot be opened.
   */
  readonly next: (ended: SessionReader | undefined, signal: AbortSignal) => Promise<SessionReader | undefined>;
  /** Resolves once a change read is sure to last; false when `signal` aborts or the session closes before. */
  readonly acknowledged: (position: Position, signal: AbortSignal) => Promise<boolean>;
}

/** One committed change, and what of the changes before it cannot be read. */
export interface FollowedChange {
  readonly change: CommittedChange;
  readonly lost: readonly SmithEvent[];
}

export interface FollowOptions {
  readonly from: Position;
  readonly signal: AbortSignal;
}

/**
 * Committed changes after a position as their durable events, then what follows until `signal` aborts. Each is read when it
 * is asked for: a slow consumer keeps nothing in memory and holds nobody up. A position that is not of this history, and
 * storage that cannot be read on, end it with an error item. Changes that are nobody's news are passed over.
 */
export async function* readBatches(
  source: ChangeSource,
  options: FollowOptions,
  facts: ViewFacts,
): AsyncGenerator<Result<ChangeBatch, Diagnostic>, void, undefined> {
  const context: EventContext = { ...facts, calls: new Map<CallId, ToolCallEntry>() };
  for await (const item of followChanges(source, options, facts.session)) {
    if (!item.ok) {
      yield item;
      return;
    }
    const { change, lost } = item.value;
    const { position } = change;
    const events = [...lost, ...(isBeside(change) ? [] : change.entries).flatMap((entry) => pastEvents(entry, context, position))];
    if (events.length > 0) yield ok({ position, events });
  }
}

/** History that went on beside the selected branch, as that of a sub-agent does: who follows the session is told nothing of it. */
export function isBeside({ entries, leaf }: Pick<CommittedChange, "entries" | "leaf">): boolean {
  const history = entries.filter(isHistoryEntry);
  return leaf !== undefined && history.length > 0 && !history.some(({ id }) => id === leaf);
}

/** The changes themselves. Ends after its first error. */
export async function* followChanges(
  source: ChangeSource,
  options: FollowOptions,
  session: SessionId,
): AsyncGenerator<Result<FollowedChange, Diagnostic>, void, undefined> {
  const { signal } = options;
  const news = createDamageNews(session);
  let { from } = options;
  let reader: SessionReader | undefined;
  try {
    for (;;) {
      reader = await source.next(reader, signal);
      if (reader === undefined) return;
      // What was lost before is told with the page; what is lost between two changes is told between them.
      news.spans(reader.damage(), 0);
      for await (const change of untilReplaced(reader, { from, signal })) {
        if (!(await source.acknowledged(change.position, signal))) return;
        from = change.position;
        yield ok({ change, lost: news.spans(reader.damage(), change.time) });
      }
      if (signal.aborted) return;
    }
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    yield err(error.diagnostic);
  }
}

/** Ends where the file was replaced by another one under the same name; what comes then is for its successor to say. */
async function* untilReplaced(reader: SessionReader, options: FollowOptions): AsyncGenerator<CommittedChange, void, undefined> {
  try {
    yield* reader.changes({ ...options, follow: true });
  } catch (error) {
    if (!isReplaced(error)) throw error;
  }
}

/** What a reader fails with whose file was replaced. */
export const isReplaced = (error: unknown): boolean => error instanceof SessionStorageError && error.diagnostic.code === "session.replaced";
