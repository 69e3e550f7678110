import type { JsonValue } from "../../base/index.js";
import type { Message, ToolCall } from "../../schema/index.js";
import type { DigestChain } from "../state.js";

/** SHA-256 of the UTF-8 bytes of a text, as lower-case hex. */
export type Sha256 = (text: string) => string;

/**
 * Digest of a list of messages: `d0` is the empty text, `di` the hash of `d(i-1)` followed by the canonical JSON of message i
 * (keys sorted by UTF-16 code units, no spaces, absent fields left out). Messages that begin like those of `known` are not
 * hashed again: projections of one conversation share their parts, so telling that costs no reading of texts. Of the first
 * `same` it is known already.
 */
export function extendChain(known: DigestChain, messages: readonly Message[], sha256: Sha256, same = 0): DigestChain {
  let shared = same;
  while (shared < messages.length && isSame(known.messages[shared], messages[shared])) shared += 1;
  const digests = known.digests.slice(0, shared);
  for (const message of messages.slice(shared)) digests.push(sha256((digests.at(-1) ?? "") + canonicalJson(message)));
  return { messages, digests };
}

/** What {@link extendChain} comes to for all of the messages; absent for none. */
export const chainDigest = (chain: DigestChain): string | undefined => chain.digests.at(-1);

/** Plain data as text: equal data gives equal text. */
export function canonicalJson(value: object | JsonValue | undefined): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonicalJson(item)).join(",")}]`;
  const fields = Object.entries(value as { readonly [key: string]: JsonValue | undefined })
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(",")}}`;
}

/** True only for equal messages; equal ones made of other parts may be told apart, which costs a hash and nothing else. */
function isSame(left: Message | undefined, right: Message | undefined): boolean {
  if (left === undefined || right === undefined || left.text !== right.text) return false;
  switch (left.role) {
    case "user":
      return right.role === "user" && left.images === right.images;
    case "tool":
      return right.role === "tool" && sameResult(left, right);
    case "assistant":
      return right.role === "assistant" && sameAnswer(left, right);
  }
}

type OfRole<Role extends Message["role"]> = Extract<Message, { readonly role: Role }>;

const sameResult = (left: OfRole<"tool">, right: OfRole<"tool">): boolean =>
  left.call === right.call &&
  left.providerId === right.providerId &&
  left.name === right.name &&
  left.isError === right.isError &&
  left.images === right.images;

const sameAnswer = (left: OfRole<"assistant">, right: OfRole<"assistant">): boolean =>
  left.thinking === right.thinking && left.from === right.from && sameCalls(left.toolCalls, right.toolCalls);

const sameCalls = (left: readonly ToolCall[], right: readonly ToolCall[]): boolean =>
  left.length === right.length && left.every((call, index) => sameCall(call, right[index]));

const sameCall = (left: ToolCall, right: ToolCall | undefined): boolean =>
  left.call === right?.call &&
  left.providerId === right.providerId &&
  left.name === right.name &&
  left.argsText === right.argsText &&
  left.args === right.args &&
  left.signature === right.signature;
