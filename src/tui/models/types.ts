import type { Result } from "../../base/index.js";
import type { ModelView } from "../../runtime/index.js";
import type { Diagnostic, ModelRef, ThinkingLevel } from "../../schema/index.js";

/** What the interface needs beside a session to let a person choose a model. */
export interface ModelPort {
  /** Asked for when it is first needed. Undefined: there is no session yet. */
  view(): ModelView | undefined;
  /** The person's own default, where they have one. */
  preset(): string | undefined;
  /** Makes a selection that default. Gives the path of the file it is in. */
  keep(selection: string): Promise<Result<string, readonly Diagnostic[]>>;
}

/** Something a person can select. Every text is sanitized but `selection`, which goes back as it came. */
export interface ModelRow {
  readonly selection: string;
  /** The model it is; absent: a name of configuration, or a server that has to say which model it has. */
  readonly ref?: ModelRef;
  /** `selection` for the eye. */
  readonly name: string;
  readonly title: string;
  /** What is known of it, shortest first: `200k`, `$3/$15`, `thinks: off low high`. */
  readonly facts: readonly string[];
  /** Absent where they are not known. */
  readonly levels?: readonly ThinkingLevel[];
}
