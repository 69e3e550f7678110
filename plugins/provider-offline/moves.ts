import type { JsonObject } from "smith-agent/plugin";
import type { Intent, Replacement } from "./intent.js";
import { numbered } from "./numbered.js";
import { outlined } from "./outline.js";
import { fenced, HELP, inline, shown, unknownRequest } from "./wording.js";

/** What a tool said, as the next round sees it. */
export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

/** One call, or the answer together with the number of results it used up. */
export type Move =
  | { readonly type: "call"; readonly tool: string; readonly args: JsonObject }
  | { readonly type: "answer"; readonly text: string; readonly used: number };

interface Step {
  readonly tool: string;
  readonly args: JsonObject;
}

/**
 * The next thing to do for these requests, given the results of this turn in order. Every request makes a fixed, small
 * number of calls, so a turn always comes to its answer.
 */
export function nextMove(intents: readonly Intent[], results: readonly Outcome[], summary: () => string): Move {
  const answers: string[] = [];
  let used = 0;
  for (const intent of intents) {
    const move = moveFor(intent, results.slice(used), summary);
    if (move.type === "call") return move;
    answers.push(move.text);
    used += move.used;
  }
  return { type: "answer", text: answers.join("\n\n"), used };
}

function moveFor(intent: Intent, results: readonly Outcome[], summary: () => string): Move {
  switch (intent.type) {
    case "list":
      return look([listCall(intent.path), readCall(intent.path ?? ".")], results, (outcome, step) =>
        step === 0 ? shown(`In ${place(intent.path)}:`, outcome.text) : fileShown(intent.path ?? ".", outcome.text),
      );
    case "read":
      return look([readCall(intent.path, intent.offset, intent.limit), listCall(intent.path)], results, (outcome, step) =>
        step === 0 ? fileShown(intent.path, outcome.text) : shown(`${inline(intent.path)} is a folder:`, outcome.text),
      );
    case "outline":
      return look([readCall(intent.path)], results, (outcome) => outlined(intent.path, outcome.text));
    case "find":
      return look([findCall(intent.pattern, intent.path)], results, (outcome) =>
        found(outcome, `Files that match ${inline(intent.pattern)}:`),
      );
    case "search":
      return searching(intent, results);
    case "replace":
      return look([editCall(intent)], results, (outcome) => `Replaced ${inline(intent.from)} by ${inline(intent.to)}. ${outcome.text}`);
    case "create":
      return look([{ tool: "write", args: { path: intent.path, content: intent.content } }], results, (outcome) => outcome.text);
    case "run":
      return running(intent.command, results);
    case "fix":
      return fixing(intent.command, intent.replacement, results);
    case "call":
      return look([intent], results, (outcome) => shown(`${inline(intent.tool)} says:`, outcome.text));
    case "summarize":
      return { type: "answer", text: summary(), used: 0 };
    case "help":
      return { type: "answer", text: HELP, used: 0 };
    case "unknown":
      return { type: "answer", text: unknownRequest(intent.text), used: 0 };
  }
}

/** Makes the first call; a failure that says the path is the other kind (folder or file) leads to the next one. */
function look(steps: readonly Step[], results: readonly Outcome[], word: (outcome: Outcome, step: number) => string): Move {
  for (const [index, step] of steps.entries()) {
    const outcome = results[index];
    if (outcome === undefined) return { type: "call", ...step };
    if (!outcome.isError) return { type: "answer", text: word(outcome, index), used: index + 1 };
    const isOtherKind = /\b(?:is|but) (?:not )?a (?:folder|directory)\b/iu.test(outcome.text);
    if (index === steps.length - 1 || !isOtherKind) return { type: "answer", text: failed(step.tool, outcome), used: index + 1 };
  }
  return { type: "answer", text: "", used: 0 };
}

/** Contents first; a bare `find` that sees nothing there looks at names. */
function searching(intent: Extract<Intent, { type: "search" }>, results: readonly Outcome[]): Move {
  const [first, second] = results;
  const where = intent.path === undefined ? "" : ` in ${inline(intent.path)}`;
  if (first === undefined) return { type: "call", ...searchCall(intent.text, intent.path) };
  if (first.isError) return { type: "answer", text: failed("grep", first), used: 1 };
  if (!isNothing(first)) return { type: "answer", text: shown(`Lines with ${inline(intent.text)}${where}:`, first.text), used: 1 };
  if (!intent.orName || /\s/u.test(intent.text))
    return { type: "answer", text: `I found no line with ${inline(intent.text)}${where}.`, used: 1 };
  if (second === undefined) return { type: "call", ...findCall(`*${intent.text.replace(/[*?[\]{}\\!]/gu, "\\$&")}*`, intent.path) };
  if (second.isError) return { type: "answer", text: failed("find", second), used: 2 };
  if (isNothing(second)) {
    return { type: "answer", text: `I found no line and no file name with ${inline(intent.text)}${where}.`, used: 2 };
  }
  return { type: "answer", text: shown(`No line holds ${inline(intent.text)}${where}, but these names do:`, second.text), used: 2 };
}

function running(command: string, results: readonly Outcome[]): Move {
  const [outcome] = results;
  if (outcome === undefined) return { type: "call", ...runCall(command) };
  if (!outcome.isError) return { type: "answer", text: shown(`${inline(command)} succeeded:`, outcome.text), used: 1 };
  return {
    type: "answer",
    text: isExit(outcome) ? shown(`${inline(command)} did not succeed:`, outcome.text) : noResult(command, outcome),
    used: 1,
  };
}

/** The command ran and failed: unlike a call that was denied, interrupted, or whose outcome is unknown. */
const isExit = (outcome: Outcome): boolean => /(?:^|\n)(?:exit code \d+|ended by signal \S+|\[timed out\b[^\n]*)$/u.test(outcome.text);

const noResult = (command: string, outcome: Outcome): string => shown(`${inline(command)} brought no result:`, outcome.text);

/** Run, replace, run again: nothing is changed when the command passes already, nothing is run again when the change failed. */
function fixing(command: string, change: Replacement, results: readonly Outcome[]): Move {
  const [before, edit, after] = results;
  if (before === undefined) return { type: "call", ...runCall(command) };
  if (!before.isError) return { type: "answer", text: `${inline(command)} succeeds already, so I changed nothing.`, used: 1 };
  if (!isExit(before)) return { type: "answer", text: `${noResult(command, before)}\n\nSo I changed nothing.`, used: 1 };
  if (edit === undefined) return { type: "call", ...editCall(change) };
  if (edit.isError) {
    const text = `${shown(`${inline(command)} fails:`, before.text)}\n\nI could not make the replacement, so I did not run it again. ${failed("edit", edit)}`;
    return { type: "answer", text, used: 2 };
  }
  if (after === undefined) return { type: "call", ...runCall(command) };
  const what = `I replaced ${inline(change.from)} by ${inline(change.to)} in ${inline(change.path)}.`;
  if (after.isError) {
    const text = `${what} ${isExit(after) ? shown(`${inline(command)} still fails:`, after.text) : noResult(command, after)}`;
    return { type: "answer", text, used: 3 };
  }
  const text = `Fixed. ${inline(command)} failed before. ${what} ${shown("Now it succeeds:", after.text)}`;
  return { type: "answer", text, used: 3 };
}

const found = (outcome: Outcome, head: string): string => (isNothing(outcome) ? outcome.text : shown(head, outcome.text));

const failed = (tool: string, outcome: Outcome): string => shown(`The tool ${inline(tool)} could not do it:`, outcome.text);

/** How the tools say that a search is over without a hit. */
const isNothing = (outcome: Outcome): boolean => /^No (?:line|file) matches /u.test(outcome.text);

const place = (path: string | undefined): string => (path === undefined ? "the working directory" : inline(path));

const listCall = (path: string | undefined): Step => ({ tool: "list", args: path === undefined ? {} : { path } });

const readCall = (path: string, offset?: number, limit?: number): Step => ({
  tool: "read",
  args: { path, ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) },
});

const findCall = (pattern: string, path: string | undefined): Step => ({
  tool: "find",
  args: { pattern, ...(path === undefined ? {} : { path }) },
});

const searchCall = (text: string, path: string | undefined): Step => ({
  tool: "grep",
  args: { pattern: text, literal: true, ...(path === undefined ? {} : { path }) },
});

const editCall = ({ path, from, to }: Replacement): Step => ({ tool: "edit", args: { path, edits: [{ old: from, new: to, all: true }] } });

const runCall = (command: string): Step => ({ tool: "shell", args: { command } });

function fileShown(path: string, text: string): string {
  const { lines, notes } = numbered(text);
  if (lines.length === 0) return text;
  const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  return [`${inline(path)}, ${count}:`, fenced(lines.map(({ line }) => line).join("\n")), ...notes].join("\n");
}
