import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { type CommandLine, has, valueOf, wordOf } from "../../given-flags.js";
import { branchNotForJsonl, effectMissing, emptyName, emptyOutput, outcomeMissing } from "../diagnostics.js";
import type {
  DeleteInvocation,
  ExportInvocation,
  ForkInvocation,
  ImportInvocation,
  ReconcileInvocation,
  RenameInvocation,
  RepairInvocation,
} from "../invocation.js";
import { branchOf, choiceOf, parsePlace } from "./values.js";

const FORMATS = ["jsonl", "md", "html"] as const;

export function toExport(line: CommandLine): Result<ExportInvocation, Diagnostic> {
  const format = choiceOf(line, "--format", FORMATS);
  if (!format.ok) return format;
  const branch = branchOf(line);
  if (branch !== undefined && (format.value ?? "jsonl") === "jsonl") return err(branchNotForJsonl());
  const output = valueOf(line, "--output");
  if (output === "") return err(emptyOutput());
  return ok({
    type: "sessions export",
    id: wordOf(line, 0),
    format: format.value ?? "jsonl",
    branch: branch ?? "selected",
    output: output === "-" ? undefined : output,
    force: has(line, "--force"),
  });
}

export const toImport = (line: CommandLine): Result<ImportInvocation, Diagnostic> =>
  ok({ type: "sessions import", json: has(line, "--json"), file: wordOf(line, 0), asNew: has(line, "--as-new") });

export const toRepair = (line: CommandLine): Result<RepairInvocation, Diagnostic> =>
  ok({ type: "sessions repair", json: has(line, "--json"), id: wordOf(line, 0) });

export function toFork(line: CommandLine): Result<ForkInvocation, Diagnostic> {
  const source = parsePlace(wordOf(line, 0));
  if (!source.ok) return source;
  const name = valueOf(line, "--name");
  if (name?.trim() === "") return err(emptyName());
  return ok({ type: "sessions fork", json: has(line, "--json"), source: source.value, name });
}

export function toRename(line: CommandLine): Result<RenameInvocation, Diagnostic> {
  const name = wordOf(line, 1);
  return name.trim() === "" ? err(emptyName()) : ok({ type: "sessions rename", id: wordOf(line, 0), name });
}

export const toDelete = (line: CommandLine): Result<DeleteInvocation, Diagnostic> =>
  ok({ type: "sessions delete", ids: line.words.map(({ text }) => text), yes: has(line, "--yes") });

const OUTCOMES = ["applied", "not-applied"] as const;

export function toReconcile(line: CommandLine): Result<ReconcileInvocation, Diagnostic> {
  const outcome = choiceOf(line, "--as", OUTCOMES);
  if (!outcome.ok) return outcome;
  const [, effect] = line.words;
  const common = { type: "sessions reconcile", json: has(line, "--json"), id: wordOf(line, 0) } as const;
  if (effect === undefined) {
    const stray = ["--as", "--note"].find((flag) => has(line, flag));
    return stray === undefined ? ok({ ...common, word: undefined }) : err(effectMissing(stray));
  }
  if (outcome.value === undefined) return err(outcomeMissing(effect.text));
  return ok({ ...common, word: { effect: effect.text, outcome: outcome.value, note: valueOf(line, "--note") } });
}
