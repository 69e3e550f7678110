import type { RunEnd } from "../../runtime/index.js";
import type { Diagnostic, SmithEvent } from "../../schema/index.js";
import type { SessionId, SubmissionId } from "../../base/index.js";

/** What a run looks like from outside, in one of two forms. Called in order; nothing after `settled` or `failed`. */
export interface RunReport {
  event(event: SmithEvent): void;
  /** The run ended. It has no submission when it was a command that asked the model nothing. */
  settled(run: {
    readonly session: SessionId;
    readonly submission: SubmissionId | undefined;
    readonly end: RunEnd;
    readonly time: number;
  }): void;
  /** Something kept the run from beginning, or a bug from ending; `problems` is empty when that was a signal. The caller shows them on stderr. */
  failed(problems: readonly Diagnostic[], time: number): void;
}
