import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const badPattern = (pattern: string, problem: string): Diagnostic =>
  diagnostic({
    code: "search.bad-pattern",
    what: `${JSON.stringify(pattern)} is not a regular expression: ${problem}.`,
    why: "Patterns are JavaScript regular expressions, matched line by line.",
    next: "Escape the characters that are meant as they are, or set literal.",
  });

export const badGlob = (pattern: string, problem: string): Diagnostic =>
  diagnostic({
    code: "search.bad-glob",
    what: `${JSON.stringify(pattern)} is not a file pattern: ${problem}.`,
    why: "File patterns use *, **, ?, [...] and {a,b}, relative to the workspace.",
    next: "Give a pattern such as *.ts or src/**/*.test.ts.",
  });

export const searchTooSlow = (pattern: string, ms: number): Diagnostic =>
  diagnostic({
    code: "search.too-slow",
    what: `The search for ${JSON.stringify(pattern)} was ended after ${ms} ms inside one name.`,
    why: "The pattern backtracks without end on it, so no result of this search is known.",
    next: "Use a simpler pattern with fewer repetitions.",
  });

export const searchStopped = (): Diagnostic =>
  diagnostic({
    code: "search.aborted",
    what: "The search was stopped.",
    why: "The call was aborted.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });

export const searchFailed = (problem: string): Diagnostic =>
  diagnostic({
    code: "search.failed",
    what: `The search ended with a fault: ${problem}.`,
    why: "The thread that searches stopped working; a new one is started for the next search.",
    next: "Try again with a narrower path.",
    retry: { type: "now" },
  });

export const unknownKind = (asked: string, known: readonly string[], near: string | undefined): Diagnostic =>
  diagnostic({
    code: "search.unknown-type",
    what: `${JSON.stringify(asked)} is not a kind of file.`,
    why: `The kinds are ${known.join(", ")}.`,
    next: near === undefined ? "Use one of these, or a glob such as *.ext." : `Use ${near}, or a glob such as *.ext.`,
  });
