import type { JsonObject } from "../base/index.js";
import type { SdkOperation, SdkOperations, ToolDetails, ToolOutput } from "../schema/index.js";
import { count, flag, json, list, object, type Reader, text } from "./shape.js";

/** Inputs of the host operations as a guest may word them. What they are allowed to reach is the gateway's business. */
export const OPERATION_INPUTS: { readonly [Op in SdkOperation]: Reader<SdkOperations[Op]["input"]> } = {
  "fs.read": object({ path: text }, { offset: count, limit: count }),
  "fs.write": object({ path: text, content: text }),
  "fs.edit": object({ path: text, edits: list(object({ old: text, new: text }, { all: flag })) }),
  "fs.list": object({}, { path: text, depth: count, limit: count, includeIgnored: flag }),
  "search.find": object({ pattern: text }, { path: text, limit: count, includeIgnored: flag }),
  "search.grep": object(
    { pattern: text },
    { literal: flag, ignoreCase: flag, path: text, glob: text, context: count, limit: count, includeIgnored: flag },
  ),
  "process.run": object({ command: text }, { cwd: text, timeoutMs: count }),
};

const details: Reader<ToolDetails> = object({}, { diff: text, data: json, done: object({ finalMessage: text }) });

export const toolOutput: Reader<ToolOutput> = object({ text, isError: flag }, { summary: text, details });

/** What a guest says of an error it threw. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Present when it is a rejected host operation that the tool let through. */
  readonly code?: string;
  readonly what?: string;
  readonly why?: string;
  readonly next?: string;
}

export const guestError: Reader<GuestError> = object(
  { name: text, message: text, stack: text },
  { code: text, what: text, why: text, next: text },
);

/** Words of a rejected host operation, as the guest gets them. */
export const hostErrorWords = (words: {
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly next: string;
}): JsonObject => ({
  code: words.code,
  what: words.what,
  why: words.why,
  next: words.next,
});
