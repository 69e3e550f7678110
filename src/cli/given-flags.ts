import type { FlagValue } from "../config/index.js";
import type { RunnableId } from "./command-table.js";
import type { GivenFlag, LineWord } from "./program.js";

/** A line that names a command, its flags in the order given. */
export interface CommandLine {
  readonly id: RunnableId;
  readonly flags: readonly GivenFlag[];
  readonly words: readonly LineWord[];
}

/** What the common flags said. */
export interface CommonFlags {
  readonly settings: readonly FlagValue[];
  /** `--config key=value`, in order. */
  readonly pairs: readonly string[];
  readonly trusted: boolean | undefined;
  readonly cwd: string | undefined;
  /** `--plugin DIR`, as given, in order. */
  readonly plugins: readonly string[];
  /** Those are read again when they change. */
  readonly watch: boolean;
}

export const has = (line: CommandLine, name: string): boolean => line.flags.some((given) => given.name === name);

/** The last one given counts. */
export const valueOf = (line: CommandLine, name: string): string | undefined => line.flags.findLast((given) => given.name === name)?.value;

/** All of a flag that may be repeated. */
export const valuesOf = (line: CommandLine, name: string): readonly string[] =>
  line.flags.flatMap((given) => (given.name === name && given.value !== undefined ? [given.value] : []));

/** Text of the word at a place; empty when there is none. */
export const wordOf = (line: CommandLine, index: number): string => line.words[index]?.text ?? "";

/** The first pair of flags that were both given. */
export const bothGiven = (line: CommandLine, pairs: readonly (readonly [string, string])[]): readonly [string, string] | undefined =>
  pairs.find(([one, other]) => has(line, one) && has(line, other));
