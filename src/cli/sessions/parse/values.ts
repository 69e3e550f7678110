import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { type CommandLine, has, valueOf } from "../../given-flags.js";
import { badChoice, badDate, badNumber, badPlace } from "../diagnostics.js";
import type { BranchName, Moment, PlaceName } from "../invocation.js";
import { parseMoment } from "./dates.js";

/** Values of flags; each of these is `ok(undefined)` when the flag was not given. */
export type Parsed<Value> = Result<Value | undefined, Diagnostic>;

export function numberOf(line: CommandLine, flag: string, least: number): Parsed<number> {
  const text = valueOf(line, flag);
  if (text === undefined) return ok(undefined);
  return /^\d{1,9}$/u.test(text) && Number(text) >= least ? ok(Number(text)) : err(badNumber(flag, text, least));
}

export function dateOf(line: CommandLine, flag: string, edge: "start" | "end"): Parsed<Moment> {
  const text = valueOf(line, flag);
  if (text === undefined) return ok(undefined);
  const moment = parseMoment(text.trim(), edge);
  return moment === undefined ? err(badDate(flag, text)) : ok(moment);
}

export function choiceOf<Choice extends string>(line: CommandLine, flag: string, choices: readonly Choice[]): Parsed<Choice> {
  const text = valueOf(line, flag);
  if (text === undefined) return ok(undefined);
  const choice = choices.find((one) => one === text);
  return choice === undefined ? err(badChoice(flag, text, choices)) : ok(choice);
}

/** `--branch [ENTRY]`. */
export function branchOf(line: CommandLine): BranchName | undefined {
  if (!has(line, "--branch")) return undefined;
  const entry = valueOf(line, "--branch");
  return entry === undefined ? "selected" : { entry };
}

/** `ID` or `ID:ENTRY`. */
export function parsePlace(text: string): Result<PlaceName, Diagnostic> {
  const [id = "", entry, ...more] = text.split(":");
  return id === "" || entry === "" || more.length > 0 ? err(badPlace(text)) : ok({ id, entry });
}
