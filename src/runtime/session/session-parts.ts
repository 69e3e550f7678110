import {
  type Clock,
  type EntryId,
  type IdSource,
  isJsonObject,
  type JsonObject,
  type SessionId,
  type SubmissionId,
  type WorkId,
} from "../../base/index.js";
import {
  type AgentState,
  type DriverPorts,
  emptyState,
  loadState,
  type Recovered,
  reportable,
  settleInterrupted,
} from "../../agent/index.js";
import type { Diagnostic, Entry, HistoryEntry, RunLimits, SessionInfoEntry, SmithEvent, ToolDefinition } from "../../schema/index.js";
import type { SessionReader, SessionWriter } from "../../session/index.js";
import { summarizeArguments } from "../../tool/index.js";
import type { RunEnd, SessionStatus } from "../types.js";

/** What a live session is made of. The file is made at the first submission, so that looking leaves nothing behind. */
export interface SessionParts {
  readonly id: SessionId;
  readonly path: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly interactive: boolean;
  readonly notices: readonly Diagnostic[];
  readonly initialStatus: SessionStatus;
  readonly toolDefinition: (name: string) => ToolDefinition | undefined;
  readonly limits: () => RunLimits;
  readonly driverPorts: Omit<DriverPorts, "mode" | "approve" | "emit">;
  /** The session as a reader, when its file exists. */
  reader(): SessionReader | undefined;
  /** The file does not exist before the first submission. */
  readonly isNew: boolean;
  /** Live facts an earlier process left in the file, read once. */
  recovered(): Promise<Recovered>;
  /** A turn is over: its late effects are refused. */
  turnEnded(work: WorkId): void;
  killNow(): void;
  /** Told of an observer that threw; it is a defect of that observer, not of the turn. */
  readonly onObserverFault: (error: unknown) => void;
  prepare(): Promise<Prepared>;
  name(): string | undefined;
  setName(name: string): void;
  close(clean: boolean): Promise<void>;
}

/** A session whose file is there and whose live facts are known. */
export interface Prepared {
  /** Submissions of earlier processes by their deduplication key. */
  readonly keys: Recovered["keys"];
  /** Terminal receipt of a submission of an earlier process. */
  recordedEnd(submission: SubmissionId): Promise<RunEnd>;
  /** Commits what has to stand before the first input of this process, and gives the state that follows. */
  prelude(firstText: string): Promise<{ readonly state: AgentState; readonly events: readonly SmithEvent[] }>;
}

export interface PreludePorts {
  readonly id: SessionId;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly cwd: string;
  readonly version: string;
  readonly isNew: boolean;
  readonly name: () => string | undefined;
  readonly setName: (name: string) => void;
}

const MAX_NAME = 60;

/** Name of a session nobody named: the first line of its first prompt. */
export const nameFrom = (text: string): string => {
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/gu, " ") ?? "";
  const characters = [...line];
  return characters.length <= MAX_NAME ? line : `${characters.slice(0, MAX_NAME - 1).join("")}…`;
};

/** Recovers a session (or begins an empty one) without running anything. */
export function prepareSession(ports: PreludePorts, writer: SessionWriter, recovered: Recovered): Prepared {
  const { isNew } = ports;
  return {
    keys: recovered.keys,
    recordedEnd: async (submission) => await recordedEnd(writer, submission),
    prelude: async (firstText) => {
      const loaded = isNew ? emptyState : await loadState(writer, recovered);
      const mint = { ids: ports.ids, time: ports.clock.now() };
      const settled = settleInterrupted(loaded, recovered, mint);
      const entries: Entry[] = [...settled.entries];
      let state = settled.state;
      const recorded = recordedName(state.history) ?? recovered.name;
      const name = ports.name() ?? recorded ?? (isNew ? nameFrom(firstText) : undefined);
      if (name !== undefined) ports.setName(name);
      if (isNew || name !== recorded) {
        const info = isNew ? sessionInfo(ports, mint.time) : renaming(ports, { time: mint.time, parent: state.leaf });
        entries.push(info);
        state = { ...state, leaf: info.id, history: [...state.history, info] };
      }
      if (entries.length > 0) await writer.commit({ entries, ...(state.leaf === undefined ? {} : { leaf: state.leaf }) }).durable;
      return { state, events: [...damageNotices(ports.id, writer, mint.time), ...unknownEffectEvents(ports.id, recovered)] };
    },
  };
}

function sessionInfo(ports: PreludePorts, time: number): SessionInfoEntry {
  const name = ports.name();
  return {
    type: "session-info",
    id: ports.ids.next<SessionInfoEntry["id"]>(),
    time,
    cwd: ports.cwd,
    version: ports.version,
    ...(name === undefined ? {} : { name }),
  };
}

/** A name given before the first input of this process; folder and version stay those of the beginning. */
function renaming(ports: PreludePorts, at: { readonly time: number; readonly parent: EntryId | undefined }): SessionInfoEntry {
  const name = ports.name();
  return {
    type: "session-info",
    id: ports.ids.next<SessionInfoEntry["id"]>(),
    time: at.time,
    ...(at.parent === undefined ? {} : { parent: at.parent }),
    ...(name === undefined ? {} : { name }),
  };
}

function recordedName(history: readonly HistoryEntry[]): string | undefined {
  const named = history.findLast((entry): entry is SessionInfoEntry => entry.type === "session-info" && entry.name !== undefined);
  return named?.name;
}

export const nothingRecovered: Recovered = { pendingEffects: [], outcomes: new Map(), unsettled: [], queue: [], keys: new Map() };

/** What of the file cannot be read and was skipped on the way to the state; whoever goes on has to know. */
function damageNotices(session: SessionId, writer: SessionWriter, time: number): readonly SmithEvent[] {
  const found = writer.damage?.() ?? [];
  return found.map(({ what, why }) => ({ type: "notice", session, time, text: `${what} ${why}` }));
}

/** A person is told once, by name, what was running when an earlier process ended. */
export function unknownEffectEvents(session: SessionId, recovered: Recovered): readonly SmithEvent[] {
  return reportable(recovered).map((intent) => ({
    type: "unknown_effect",
    session,
    time: intent.time,
    effect: intent.effect,
    operation: intent.operation,
    summary: isJsonObject(intent.input) ? summarizeArguments(undefined, wordsOf(intent.input)) : "",
    startedAt: intent.time,
  }));
}

/** The texts of an effect's input: limits and flags tell a person nothing about what it was. */
const wordsOf = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name, value]) => name !== "cwd" && typeof value === "string"));

async function recordedEnd(reader: SessionReader, submission: SubmissionId): Promise<RunEnd> {
  for await (const entry of reader.scan(new Set<Entry["type"]>(["receipt"]))) {
    if (entry.type === "receipt" && entry.submission === submission) {
      return { status: entry.status, reason: entry.reason, reply: "", ...(entry.error === undefined ? {} : { error: entry.error }) };
    }
  }
  return { status: "aborted", reason: "abort", reply: "" };
}
