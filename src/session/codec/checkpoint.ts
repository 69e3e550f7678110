import type { EntryId } from "../../base/index.js";
import { getU64, putU64, viewOf } from "../bytes/index.js";
import type { Frame } from "./frame.js";
import { MAX_BODY_BYTES } from "./layout.js";
import { getId, ID_BYTES } from "./uuid.js";

/** Layout of a CHECKPOINT body (format document, "CHECKPOINT"). */
export const CHECKPOINT_VERSION = 1;
export const CHECKPOINT_PRELUDE_BYTES = 32;
/** One id of the index: the id, then how far back its COMMIT begins. */
export const INDEX_ITEM_BYTES = 24;
/** One deduplication key: the first bytes of its SHA-256, then how far back the COMMIT with its submission begins. */
export const KEY_ITEM_BYTES = 16;
export const KEY_HASH_BYTES = 8;

/** The three sections of a CHECKPOINT, each sorted already. `state` is empty in a frame that only carries an index. */
export interface CheckpointSections {
  readonly ids: Uint8Array;
  readonly keys: Uint8Array;
  readonly state: Uint8Array;
  /** Distance to the CHECKPOINT before this one; 0 for none. */
  readonly previousBack: number;
  /** Distance to the first COMMIT before this frame that it does not cover; 0 when it covers all of them. */
  readonly restBack: number;
}

export function encodeCheckpoint({ ids, keys, state, previousBack, restBack }: CheckpointSections): Buffer {
  const body = Buffer.alloc(CHECKPOINT_PRELUDE_BYTES + ids.length + keys.length + state.length);
  const view = viewOf(body);
  view.setUint32(0, CHECKPOINT_VERSION, true);
  view.setUint32(4, ids.length / INDEX_ITEM_BYTES, true);
  putU64(view, 8, previousBack);
  view.setUint32(16, keys.length / KEY_ITEM_BYTES, true);
  view.setUint32(20, state.length, true);
  putU64(view, 24, restBack);
  body.set(ids, CHECKPOINT_PRELUDE_BYTES);
  body.set(keys, CHECKPOINT_PRELUDE_BYTES + ids.length);
  body.set(state, CHECKPOINT_PRELUDE_BYTES + ids.length + keys.length);
  return body;
}

/** What is known of a CHECKPOINT that validated; positions are relative to its body. Holds none of its bytes. */
export interface Checkpoint {
  readonly frame: Frame;
  readonly idCount: number;
  readonly keyCount: number;
  readonly keysAt: number;
  readonly stateAt: number;
  readonly stateBytes: number;
  /** Logical offset of the CHECKPOINT before this one. */
  readonly previous: number | undefined;
  /** Logical offset from which on commits are not covered. */
  readonly rest: number;
  /** Smallest and largest id of the index. */
  readonly firstId: EntryId | undefined;
  readonly lastId: EntryId | undefined;
}

/**
 * Reads and checks everything but the live state: version, lengths that fill the body exactly, order, distances that stay
 * inside the file. The caller has checked the body's checksum. `undefined` when anything is not as it must be.
 */
export function parseCheckpoint(frame: Frame, body: Buffer): Checkpoint | undefined {
  if (body.length < CHECKPOINT_PRELUDE_BYTES || body.length > MAX_BODY_BYTES) return undefined;
  const view = viewOf(body);
  if (view.getUint32(0, true) !== CHECKPOINT_VERSION) return undefined;
  const idCount = view.getUint32(4, true);
  const back = getU64(view, 8);
  const keyCount = view.getUint32(16, true);
  const stateBytes = view.getUint32(20, true);
  const restBack = getU64(view, 24);
  const keysAt = CHECKPOINT_PRELUDE_BYTES + idCount * INDEX_ITEM_BYTES;
  const stateAt = keysAt + keyCount * KEY_ITEM_BYTES;
  if (stateAt + stateBytes !== body.length || !isBack(back, frame) || !isBack(restBack, frame)) return undefined;
  const ids = { at: CHECKPOINT_PRELUDE_BYTES, count: idCount, item: INDEX_ITEM_BYTES, key: ID_BYTES };
  const keys = { at: keysAt, count: keyCount, item: KEY_ITEM_BYTES, key: KEY_HASH_BYTES };
  if (!isSoundRun(body, ids, frame.offset) || !isSoundRun(body, keys, frame.offset)) return undefined;
  return {
    frame,
    idCount,
    keyCount,
    keysAt,
    stateAt,
    stateBytes,
    previous: back === 0 ? undefined : frame.offset - back,
    rest: restBack === 0 ? frame.end : frame.offset - restBack,
    ...endsOf(body, ids),
  };
}

const isBack = (back: number, frame: Frame): boolean => back >= 0 && back <= frame.offset;

interface Run {
  readonly at: number;
  readonly count: number;
  readonly item: number;
  readonly key: number;
}

const endsOf = (body: Buffer, { at, count, item }: Run): Pick<Checkpoint, "firstId" | "lastId"> =>
  count === 0 ? { firstId: undefined, lastId: undefined } : { firstId: getId(body, at), lastId: getId(body, at + (count - 1) * item) };

/** Keys ascend and every distance leads to a place before the frame. */
function isSoundRun(body: Buffer, run: Run, offset: number): boolean {
  const view = viewOf(body);
  const end = run.at + run.count * run.item;
  for (let at = run.at; at < end; at += run.item) {
    const back = getU64(view, at + run.key);
    if (!(back > 0 && back <= offset)) return false;
    if (at > run.at && body.compare(body, at - run.item, at - run.item + run.key, at, at + run.key) < 0) return false;
  }
  return true;
}
