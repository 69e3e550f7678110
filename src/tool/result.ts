import { utf8Length } from "../base/index.js";
import type { ToolOutput } from "../schema/index.js";

/** Bytes of a tool result that reach the model (product page section 7). */
export const MAX_RESULT_BYTES = 64 * 1024;

export interface BoundedOutput {
  readonly output: ToolOutput;
  readonly omittedBytes: number;
}

/**
 * Cuts a result to {@link MAX_RESULT_BYTES}, keeping its head and its tail, and says so inside the text. Whole characters only.
 */
export function boundResult(output: ToolOutput, maxBytes: number = MAX_RESULT_BYTES): BoundedOutput {
  const total = utf8Length(output.text);
  if (total <= maxBytes) return { output, omittedBytes: 0 };
  const bytes = Buffer.from(output.text, "utf8");
  const half = Math.floor((maxBytes - 100) / 2);
  const head = bytes.subarray(0, characterEnd(bytes, half)).toString("utf8");
  const tail = bytes.subarray(characterStart(bytes, total - half)).toString("utf8");
  const omittedBytes = total - utf8Length(head) - utf8Length(tail);
  const text = `${head}\n… [${String(omittedBytes)} bytes left out here; the whole result had ${String(total)} bytes]\n${tail}`;
  return { output: { ...output, text }, omittedBytes };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function characterEnd(bytes: Uint8Array, wanted: number): number {
  let end = wanted;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return end;
}

function characterStart(bytes: Uint8Array, wanted: number): number {
  let start = wanted;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return start;
}
