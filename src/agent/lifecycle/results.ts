import { type CallId, cutMiddle } from "../../base/index.js";
import { type AttributedAction, MAX_RESULT_BYTES } from "../../schema/index.js";
import type { DispatchOutcome } from "../../tool/index.js";

/**
 * A result as handlers want it told: replaced first, then what was appended, in their order; bounded again. A replacement stands for
 * its images, too. What the call did, its facts and its end stay what they are. Pure.
 */
export function rewriteResult(outcome: DispatchOutcome, call: CallId, accepted: readonly AttributedAction[]): DispatchOutcome {
  let { text, isError } = outcome.output;
  const { images: given, ...settled } = outcome.settlement;
  let images = given;
  const notes: string[] = [];
  for (const { action } of accepted) {
    if (action.type === "replace-result" && action.call === call) {
      text = action.text;
      isError = action.isError ?? isError;
      images = undefined;
    }
    if (action.type === "append-result" && action.call === call) notes.push(action.text);
  }
  const told = [text, ...notes].filter((part) => part !== "").join("\n\n");
  if (told === outcome.output.text && isError === outcome.output.isError && images === given) return outcome;
  const bounded = cutMiddle(told, MAX_RESULT_BYTES);
  const output = { ...outcome.output, text: bounded.text, isError };
  const settlement = images === undefined ? settled : { ...settled, images };
  return { ...outcome, settlement, output, omittedBytes: outcome.omittedBytes + bounded.omittedBytes };
}
