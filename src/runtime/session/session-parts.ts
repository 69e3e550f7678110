import { type Clock, type EntryId, type IdSource, type SessionId, type WorkId } from "../../base/index.js";
import type { McpChange } from "../../effect/index.js";
import {
  type AgentState,
  type Available,
  type DriverPorts,
  emptyState,
  loadState,
  nothingRecovered,
  type Recovered,
  reportable,
} from "../../agent/index.js";
import type {
  Diagnostic,
  HistoryEntry,
  RunLimits,
  SessionInfoEntry,
  SmithEvent,
  StateEntry,
  StateFields,
  ToolDefinition,
} from "../../schema/index.js";
import type { SessionStatus } from "../types.js";
import { unknownEffectOf } from "../records/unknown-effect.js";
import type { SessionFile } from "./file/index.js";
import type { PluginLinks, SessionPlugins } from "./plugins/index.js";
import { must } from "./refusal.js";
import type { Counting } from "./view/index.js";

/** What a live session is made of. The file is made at the first submission, so that looking leaves nothing behind. */
export interface SessionParts {
  readonly id: SessionId;
  readonly path: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly interactive: boolean;
  /** Puts references in place of the secrets in whatever comes in. */
  readonly conceal: <Value>(value: Value) => Value;
  readonly notices: readonly Diagnostic[];
  readonly initialStatus: SessionStatus;
  /** Goes on from what that counts. */
  readonly counting: Counting;
  readonly toolDefinition: (name: string) => ToolDefinition | undefined;
  readonly limits: () => RunLimits;
  /** What this process could go on with. */
  readonly available: () => Available;
  readonly driverPorts: Omit<DriverPorts, "mode" | "approve" | "emit" | "lifecycle">;
  /** Gives the plugins what the session has for them. Called once, before anything runs. */
  connect(links: PluginLinks): SessionPlugins;
  /** Told of every other generation of plugins until the returned function is called, with what changed. */
  onGeneration(listener: (changed: readonly string[]) => void): () => void;
  /** Told of what happens to MCP servers, until the returned function is called. */
  onServer(listener: (change: McpChange) => void): () => void;
  readonly file: SessionFile;
  /** Live facts an earlier process left in the file, read once. */
  recovered(): Promise<Recovered>;
  /** Commits what has to stand before the first input of a driver, and gives the state that follows. Throws Refusal, SessionStorageError. */
  prelude(firstText: string): Promise<AgentState>;
  /** The file was opened anew: what was read of it before does not count any more. */
  forget(): void;
  /** Ends what runs and waits for it; nothing of it is recorded after that. */
  readonly quiesce: () => Promise<void>;
  /** Whether a work that has not settled is that of a sub-agent of this process. Left out: there are none. */
  readonly isAtWork?: (work: WorkId | undefined) => boolean;
  /** A turn is over: its late effects are refused. */
  turnEnded(work: WorkId): void;
  /** No turn runs any more: the next one works with what is current then. */
  idle(): void;
  killNow(): void;
  /** Told of an observer that threw; it is a defect of that observer, not of the turn. */
  readonly onObserverFault: (error: unknown) => void;
  /** Told once, when nothing of it is left open. */
  readonly onClosed: () => void;
  name(): string | undefined;
  setName(name: string | undefined): void;
  close(clean: boolean): Promise<void>;
}

export interface PreludePorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly cwd: string;
  readonly version: string;
  readonly file: SessionFile;
  readonly recovered: () => Promise<Recovered>;
  /** What was chosen before the session began, for its first change. */
  readonly choice: () => StateFields | undefined;
  readonly name: () => string | undefined;
  readonly setName: (name: string | undefined) => void;
}

const MAX_NAME = 60;

/** Name of a session nobody named: the first line of its first prompt. */
export const nameFrom = (text: string): string => {
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/gu, " ") ?? "";
  const characters = [...line];
  return characters.length <= MAX_NAME ? line : `${characters.slice(0, MAX_NAME - 1).join("")}…`;
};

/** Makes the file if need be, loads what it holds without running anything, and names it. What is left open stays open. */
export async function beginSession(ports: PreludePorts, firstText: string): Promise<AgentState> {
  const writer = await ports.file.writer();
  const isFresh = writer.position().seq === 0;
  const recovered = isFresh ? nothingRecovered : await ports.recovered();
  const state = isFresh ? emptyState : must(await loadState(writer, recovered));
  const recorded = recordedName(state.history) ?? recovered.name;
  const name = ports.name() ?? recorded ?? (isFresh && firstText !== "" ? nameFrom(firstText) : undefined);
  if (isFresh || name !== recorded) {
    const info = sessionInfo(ports, { isFresh, parent: state.leaf, name });
    await ports.file.commit({ entries: [info, ...(isFresh ? chosenFirst(ports) : [])], leaf: info.id }).durable;
    ports.setName(name);
    return { ...state, leaf: info.id, history: [...state.history, info] };
  }
  ports.setName(name);
  return state;
}

function chosenFirst({ choice, ids, clock }: PreludePorts): readonly StateEntry[] {
  const fields = choice();
  return fields === undefined ? [] : [{ type: "state", ...fields, id: ids.next<EntryId>(), time: clock.now() }];
}

interface InfoFacts {
  readonly isFresh: boolean;
  readonly parent: EntryId | undefined;
  readonly name: string | undefined;
}

/** Folder and version are those of the beginning. */
function sessionInfo(ports: PreludePorts, { isFresh, parent, name }: InfoFacts): SessionInfoEntry {
  return {
    type: "session-info",
    id: ports.ids.next<SessionInfoEntry["id"]>(),
    time: ports.clock.now(),
    ...(parent === undefined ? {} : { parent }),
    ...(isFresh ? { cwd: ports.cwd, version: ports.version } : {}),
    ...(name === undefined ? {} : { name }),
  };
}

function recordedName(history: readonly HistoryEntry[]): string | undefined {
  const named = history.findLast((entry): entry is SessionInfoEntry => entry.type === "session-info" && entry.name !== undefined);
  return named?.name;
}

/** A person is told once, by name, what was running when an earlier process ended. */
export function unknownEffectEvents(
  session: SessionId,
  recovered: Recovered,
): readonly Extract<SmithEvent, { readonly type: "unknown_effect" }>[] {
  return reportable(recovered).map((intent) => {
    const { effect, operation, summary, startedAt } = unknownEffectOf({ intent });
    return { type: "unknown_effect", session, time: intent.time, effect, operation, summary, startedAt };
  });
}
