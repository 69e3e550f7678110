import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const evaluationFailed = (words: string): Diagnostic =>
  diagnostic({
    code: "evaluate.failed",
    what: `The source failed: ${words}`,
    why: "It is the body of a function of `input`, run on its own: it has no files, no network, no timers and no packages.",
    next: "Correct it. Lines are those of the source.",
  });

export const badEvaluation = (problem: string): Diagnostic =>
  diagnostic({
    code: "evaluate.result",
    what: `What the source returned cannot be used: ${problem}.`,
    why: "Only JSON comes back.",
    next: "Return plain objects, arrays, strings, numbers, booleans or null.",
  });

export const evaluationTimedOut = (timeoutMs: number): Diagnostic =>
  diagnostic({
    code: "evaluate.timeout",
    what: `The source had not finished after ${timeoutMs.toLocaleString("en")} ms and was stopped.`,
    why: "It ran without an end, or there is more to do than the time allows.",
    next: "Do less at once, or allow more with timeoutMs (at most 10,000).",
  });

export const evaluationTooBig = (mebibytes: number): Diagnostic =>
  diagnostic({
    code: "evaluate.memory",
    what: "The source was stopped: it used more memory than it may have.",
    why: `It may have ${mebibytes} MiB.`,
    next: "Work on less at a time.",
  });

export const evaluationInputTooLarge = (units: number, most: number): Diagnostic =>
  diagnostic({
    code: "evaluate.input-size",
    what: `Source and input have ${units.toLocaleString("en")} characters of JSON.`,
    why: `They may have ${most.toLocaleString("en")}.`,
    next: "Give it less: take what matters out of the input first.",
  });

export const evaluationStalled = (): Diagnostic =>
  diagnostic({
    code: "evaluate.stalled",
    what: "The source waits for something that can never happen.",
    why: "Nothing outside of it exists there, so a promise that it does not settle itself never settles.",
    next: "Return a value instead of waiting.",
  });

export const evaluationAborted = (): Diagnostic =>
  diagnostic({
    code: "evaluate.aborted",
    what: "The source was stopped before it had finished.",
    why: "What it ran for was aborted.",
    next: "Run it again if it is still wanted.",
    retry: { type: "now" },
  });

export const evaluationCrashed = (detail: string): Diagnostic =>
  diagnostic({
    code: "evaluate.crashed",
    what: `The sandbox of the source ended: ${detail}`,
    why: "The source brought it down, or smith is being closed.",
    next: "Try once more; if it happens again, make the source simpler.",
    retry: { type: "now" },
  });
