import { cutMiddle } from "../base/index.js";
import { MAX_RESULT_BYTES, type ToolOutput } from "../schema/index.js";

export interface BoundedOutput {
  readonly output: ToolOutput;
  readonly omittedBytes: number;
}

/** Cuts a result to {@link MAX_RESULT_BYTES}, keeping its head and its tail, and says so inside the text. */
export function boundResult(output: ToolOutput, maxBytes: number = MAX_RESULT_BYTES): BoundedOutput {
  const { text, omittedBytes } = cutMiddle(output.text, maxBytes);
  return { output: omittedBytes === 0 ? output : { ...output, text }, omittedBytes };
}
