import type { Diagnostic, MutationState } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

const because = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const intentUnrecorded = (operation: string, error: unknown): Diagnostic =>
  diagnostic({
    code: "effect.intent-unrecorded",
    what: `${operation} was not run: its intent could not be recorded (${because(error)}).`,
    why: "No effect starts before the session holds the intent durably.",
    next: "Check the disk of the session store; nothing was changed by this call.",
  });

const WORDS: Readonly<Record<MutationState, string>> = {
  applied: "it was applied",
  "not-applied": "it was not applied",
  unknown: "whether it was applied is not known",
};

export const outcomeUnrecorded = (operation: string, outcome: MutationState, error: unknown): Diagnostic =>
  diagnostic({
    code: "effect.outcome-unrecorded",
    what: `${operation} ended but its outcome could not be recorded (${because(error)}): ${WORDS[outcome]}.`,
    why: "The session store failed after the effect had run. The session will show the effect as unknown.",
    next: "Check the result by hand and the disk of the session store; this session runs no more effects.",
  });

export const gatewaySealed = (operation: string): Diagnostic =>
  diagnostic({
    code: "effect.sealed",
    what: `${operation} was not run.`,
    why: "The outcome of an earlier effect could not be recorded, so this session runs no more effects.",
    next: "Repair the session store and open the session again.",
  });

export const gatewayClosed = (operation: string): Diagnostic =>
  diagnostic({
    code: "effect.closed",
    what: `${operation} was not run.`,
    why: "The session is closing and starts no more effects.",
    next: "Open the session again to go on.",
  });

export const effectAborted = (operation: string): Diagnostic =>
  diagnostic({
    code: "effect.aborted",
    what: `${operation} was not run.`,
    why: "The call was aborted before it started.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const effectCrashed = (operation: string, error: unknown): Diagnostic =>
  diagnostic({
    code: "effect.crashed",
    what: `${operation} ended with a fault: ${because(error)}.`,
    why: "The facility failed in a way it does not know, so it is not known what it has done.",
    next: "Look at the result before doing it again.",
  });
