import { type CallId, cutMiddle } from "../../base/index.js";
import { type AttributedAction, MAX_RESULT_BYTES } from "../../schema/index.js";
import type { DispatchOutcome } from "../../tool/index.js";

/**
 * A result as handlers want it told: replaced first, then what was appended, in their order; bounded again. What the call did, its
 * facts and its end stay what they are. Pure.
 */
export function rewriteResult(outcome: DispatchOutcome, call: CallId, accepted: readonly AttributedAction[]): DispatchOutcome {
  let { text, isError } = outcome.output;
  const notes: string[] = [];
  for (const { action } of accepted) {
    if (action.type === "replace-result" && action.call === call) {
      text = action.text;
      isError = action.isError ?? isError;
    }
    if (action.type === "append-result" && action.call === call) notes.push(action.text);
  }
  const told = [text, ...notes].filter((part) => part !== "").join("\n\n");
  if (told === outcome.output.text && isError === outcome.output.isError) return outcome;
  const bounded = cutMiddle(told, MAX_RESULT_BYTES);
  const output = { ...outcome.output, text: bounded.text, isError };
  return { ...outcome, output, omittedBytes: outcome.omittedBytes + bounded.omittedBytes };
}
