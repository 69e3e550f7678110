import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { conflictingFlags } from "../../diagnostics.js";
import { bothGiven, type CommandLine, has, valueOf, valuesOf, wordOf } from "../../given-flags.js";
import { badPattern, badRange, badRequest, sessionsMissing } from "../diagnostics.js";
import type { EntryRange, GetInvocation, GetView, GrepInvocation, KindFilter, ListInvocation, VerifyInvocation } from "../invocation.js";
import { parseKinds } from "./kinds.js";
import { branchOf, choiceOf, dateOf, numberOf, type Parsed } from "./values.js";

const STATES = ["sound", "busy", "damaged", "unreadable"] as const;

export function toList(line: CommandLine): Result<ListInvocation, Diagnostic> {
  const since = dateOf(line, "--since", "start");
  if (!since.ok) return since;
  const until = dateOf(line, "--until", "end");
  if (!until.ok) return until;
  const state = choiceOf(line, "--state", STATES);
  if (!state.ok) return state;
  const limit = numberOf(line, "--limit", 1);
  if (!limit.ok) return limit;
  return ok({
    type: "sessions list",
    json: has(line, "--json"),
    here: has(line, "--here"),
    cwd: valueOf(line, "--cwd"),
    since: since.value,
    until: until.value,
    model: valueOf(line, "--model"),
    name: valueOf(line, "--name"),
    state: state.value,
    limit: limit.value,
    cost: has(line, "--cost"),
  });
}

const ONE_FORM = "Both say what is shown of the matches, and differently.";

const GREP_CONFLICTS = [
  ["--count", "--list"],
  ["--count", "--context"],
  ["--count", "--before-context"],
  ["--count", "--after-context"],
  ["--list", "--context"],
  ["--list", "--before-context"],
  ["--list", "--after-context"],
  ["--list", "--max-count"],
] as const;

export function toGrep(line: CommandLine): Result<GrepInvocation, Diagnostic> {
  const conflict = bothGiven(line, GREP_CONFLICTS);
  if (conflict !== undefined) return err(conflictingFlags(...conflict, ONE_FORM));
  const pattern = patternOf(line);
  if (!pattern.ok) return pattern;
  const kinds = kindsOf(line);
  if (!kinds.ok) return kinds;
  const around = contextOf(line);
  if (!around.ok) return around;
  const maxCount = numberOf(line, "--max-count", 1);
  if (!maxCount.ok) return maxCount;
  return ok({
    type: "sessions grep",
    pattern: pattern.value,
    sessions: valuesOf(line, "--session"),
    selectedBranch: has(line, "--branch"),
    kinds: kinds.value,
    show: has(line, "--count") ? "counts" : has(line, "--list") ? "sessions" : "matches",
    json: has(line, "--json"),
    ...around.value,
    oldestFirst: has(line, "--oldest-first"),
    maxCount: maxCount.value,
  });
}

function patternOf(line: CommandLine): Result<RegExp, Diagnostic> {
  const source = wordOf(line, 0);
  const pattern = has(line, "--fixed-strings") ? source.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&") : source;
  try {
    return ok(new RegExp(pattern, has(line, "--ignore-case") ? "iu" : "u"));
  } catch (error) {
    if (error instanceof SyntaxError) return err(badPattern(source, `${error.message}.`));
    throw error;
  }
}

function kindsOf(line: CommandLine): Parsed<KindFilter> {
  const all = valuesOf(line, "--kind");
  return all.length === 0 ? ok(undefined) : parseKinds(all.join(","));
}

function contextOf(line: CommandLine): Result<Pick<GrepInvocation, "before" | "after">, Diagnostic> {
  const both = numberOf(line, "--context", 0);
  if (!both.ok) return both;
  const before = numberOf(line, "--before-context", 0);
  if (!before.ok) return before;
  const after = numberOf(line, "--after-context", 0);
  if (!after.ok) return after;
  return ok({ before: before.value ?? both.value ?? 0, after: after.value ?? both.value ?? 0 });
}

const ONE_VIEW = "Each of them decides what is shown, and they do not go together.";

const GET_CONFLICTS = [
  ["--request", "--projected"],
  ["--request", "--follow"],
  ["--request", "--branch"],
  ["--request", "--entries"],
  ["--request", "--kind"],
  ["--projected", "--follow"],
  ["--projected", "--entries"],
  ["--projected", "--kind"],
  ["--follow", "--branch"],
  ["--cost", "--request"],
  ["--cost", "--projected"],
  ["--cost", "--follow"],
  ["--cost", "--branch"],
  ["--cost", "--entries"],
  ["--cost", "--kind"],
] as const;

export function toGet(line: CommandLine): Result<GetInvocation, Diagnostic> {
  const conflict = bothGiven(line, GET_CONFLICTS);
  if (conflict !== undefined) return err(conflictingFlags(...conflict, ONE_VIEW));
  const view = viewOf(line);
  return view.ok ? ok({ type: "sessions get", json: has(line, "--json"), id: wordOf(line, 0), view: view.value }) : view;
}

function viewOf(line: CommandLine): Result<GetView, Diagnostic> {
  const request = valueOf(line, "--request");
  if (request !== undefined) {
    const which = parseRequest(request);
    return which === undefined ? err(badRequest(request)) : ok({ type: "request", which });
  }
  if (has(line, "--cost")) return ok({ type: "cost" });
  if (has(line, "--projected")) return ok({ type: "projected", branch: branchOf(line) ?? "selected" });
  const range = rangeOf(line);
  if (!range.ok) return range;
  const kinds = kindsOf(line);
  if (!kinds.ok) return kinds;
  return ok({ type: "entries", branch: branchOf(line), range: range.value, kinds: kinds.value, follow: has(line, "--follow") });
}

/** Fewer than 8 digits are a number: a short id has 8. */
function parseRequest(text: string): number | string | undefined {
  if (/^[1-9]\d{0,6}$/u.test(text)) return Number(text);
  const digits = text.replaceAll("-", "");
  return /^[0-9a-f]{4,32}$/iu.test(digits) && !/^\d{1,7}$/u.test(text) ? text : undefined;
}

function rangeOf(line: CommandLine): Result<EntryRange, Diagnostic> {
  const text = valueOf(line, "--entries") ?? "..";
  const [, first, last] = /^(\d{0,15})\.\.(\d{0,15})$/u.exec(text) ?? [];
  const range = { first: first === "" ? 1 : Number(first), last: last === "" ? Infinity : Number(last) };
  return range.first >= 1 && range.first <= range.last ? ok(range) : err(badRange(text));
}

export function toVerify(line: CommandLine): Result<VerifyInvocation, Diagnostic> {
  const ids = line.words.map(({ text }) => text);
  const all = has(line, "--all");
  if (!all && ids.length === 0) return err(sessionsMissing());
  if (all && ids.length > 0) return err(conflictingFlags("--all", ids[0] ?? "", "All sessions are verified anyway."));
  return ok({ type: "sessions verify", json: has(line, "--json"), ids: all ? "all" : ids });
}
