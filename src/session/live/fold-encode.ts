import type { AnyId } from "../../base/index.js";
import type { Spend, Usage } from "../../schema/index.js";
import type { CborFields, CborValue } from "../bytes/index.js";
import { CborEncoder } from "../bytes/index.js";
import { ID_BYTES, putId } from "../codec/index.js";
import type { LiveFold } from "./fold.js";

/** 1: what was used is not in it. */
export const FOLD_VERSION = 2;

/** The live state of a checkpoint: one canonical CBOR map (format document, "CHECKPOINT"). */
export function encodeFold(fold: LiveFold): Uint8Array {
  const { parts } = fold;
  const cbor = new CborEncoder();
  cbor.encodeFields({
    v: parts.spend === undefined ? 1 : FOLD_VERSION,
    cwd: parts.cwd,
    seq: parts.seq,
    name: parts.name,
    ended: list(parts.ended, ([cause, { work, outcomes }]) => ({ work: bytesOf(work), cause: bytesOf(cause), outcomes })),
    spend: parts.spend === undefined ? undefined : spendFields(parts.spend),
    turns: parts.turns,
    usage: parts.usage === undefined ? undefined : usageFields(parts.usage),
    works: list(parts.works.values(), ({ work, state, parent, checkpoint }) => ({
      work: bytesOf(work),
      state,
      parent: bytesOf(parent),
      recorded: parts.recorded.has(work) ? true : undefined,
      checkpoint,
    })),
    states: list(parts.states.values(), (item) => ({
      key: item.key,
      fork: item.fork,
      work: bytesOf(item.work),
      bytes: item.bytes,
      entry: bytesOf(item.entry),
      owner: item.owner,
      version: item.version,
    })),
    effects: list(parts.effects.values(), ({ work, cause, entry, effect, operation }) => ({
      work: bytesOf(work),
      cause: bytesOf(cause),
      entry: bytesOf(entry),
      effect: bytesOf(effect),
      operation,
    })),
    origins: list(parts.origins, ({ how, seq, epoch, session }) => ({ how, seq, epoch, session: bytesOf(session) })),
    submissions: list(parts.submissions.values(), ({ work, entry, isQueued, delivery, submission }) => ({
      work: bytesOf(work),
      entry: bytesOf(entry),
      queued: isQueued,
      delivery,
      submission: bytesOf(submission),
    })),
  });
  return cbor.run.bytes.subarray(0, cbor.run.length);
}

const list = <Item>(items: Iterable<Item>, fields: (item: Item) => CborFields): CborValue => Array.from(items, fields);

/** What is counted of usage. */
export const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;
/** In canonical order. */
const usageFields = (usage: Usage): CborFields => ({
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  cacheReadTokens: usage.cacheReadTokens,
  reasoningTokens: usage.reasoningTokens,
  cacheWriteTokens: usage.cacheWriteTokens,
});

const spendFields = ({ cost, usage, unpriced }: Spend): CborFields => ({
  cost,
  usage: usage === undefined ? undefined : usageFields(usage),
  unpriced,
});

function bytesOf(id: AnyId | undefined): Uint8Array | undefined {
  if (id === undefined) return undefined;
  const bytes = new Uint8Array(ID_BYTES);
  putId(bytes, 0, id);
  return bytes;
}
