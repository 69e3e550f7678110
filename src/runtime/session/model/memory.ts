import type { Diagnostic, StateFields } from "../../../schema/index.js";
import { encodeChoice, isSameChoice, type ModelChoice, NO_CHOICE, withChoice } from "../../models/index.js";
import { must, recoverable } from "../refusal.js";
import type { ScopedState, StateCell, StateDeclaration } from "../scoped-state.js";
import { choiceNotKept } from "./diagnostics.js";

export const MODEL_STATE = {
  owner: "core",
  key: "model",
  version: 1,
  scope: "session",
  fork: "copy",
  retention: "session",
  maxBytes: 4096,
} as const satisfies StateDeclaration;

/** What was chosen in a session, on record. */
export interface ModelMemory {
  /** What the session's first change has to hold of it. From then on a choice is written when it is made. */
  readonly begin: () => StateFields | undefined;
  /** Something was chosen: written when it differs from what is on record. What goes wrong is told, never thrown. */
  keep(choice: ModelChoice, links: MemoryLinks): void;
  /** What was to be written is, or was told not to be. */
  settled(): Promise<void>;
}

export interface MemoryLinks {
  readonly scoped: () => ScopedState;
  readonly tell: (problem: Diagnostic) => void;
}

export interface MemoryStart {
  /** On record, or to be recorded when the session begins. */
  readonly choice: ModelChoice;
  /** Its first change is written. */
  readonly hasBegun: boolean;
}

export function createModelMemory(start: MemoryStart): ModelMemory {
  let { hasBegun, choice: wanted } = start;
  let recorded = hasBegun ? wanted : NO_CHOICE;
  let storing: Promise<void> = Promise.resolve();
  let cell: StateCell | undefined;
  const store = async ({ scoped, tell }: MemoryLinks): Promise<void> => {
    if (isSameChoice(wanted, recorded)) return;
    const now = wanted;
    const stored = await recoverable(async () => {
      cell ??= must(scoped().declare(MODEL_STATE));
      must(await cell.put(encodeChoice(now)));
    });
    if (stored.ok) recorded = now;
    else tell(choiceNotKept(stored.error));
  };
  return {
    begin: () => {
      hasBegun = true;
      recorded = wanted;
      if (isSameChoice(wanted, NO_CHOICE)) return undefined;
      const { owner, key, version, fork } = MODEL_STATE;
      return { owner, key, version, fork, operation: "put", value: encodeChoice(wanted) };
    },
    keep(choice, links) {
      wanted = withChoice(wanted, choice);
      if (hasBegun) storing = storing.then(async () => await store(links));
    },
    settled: async () => await storing,
  };
}
