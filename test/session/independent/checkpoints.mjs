/** The body of a CHECKPOINT, section 8 of the format document. */
import { idAt, u64, viewOf } from "./addressing.mjs";
import { readCbor } from "./cbor.mjs";

/** What the body says, or why it does not count. Whether it was reached by structure is for the caller to know. */
export function readCheckpoint(body, offset) {
  if (body.length < 32) return { invalid: "shorter than a prelude" };
  const view = viewOf(body);
  if (view.getUint32(0, true) !== 1) return { invalid: "another version" };
  const [ids, keys, stateBytes] = [4, 16, 20].map((at) => view.getUint32(at, true));
  const [previous, rest] = [8, 24].map((at) => u64(view, at));
  if (32 + 24 * ids + 16 * keys + stateBytes !== body.length) return { invalid: "lengths do not fill the body" };
  if (!(previous <= offset) || !(rest <= offset)) return { invalid: "a distance beyond the beginning" };
  const idItems = itemsOf(body, { at: 32, count: ids, keyBytes: 16 }, offset);
  const keyItems = itemsOf(body, { at: 32 + 24 * ids, count: keys, keyBytes: 8 }, offset);
  if (idItems === undefined || keyItems === undefined) return { invalid: "a list does not ascend or leads outside" };
  return {
    previous: previous === 0 ? undefined : offset - previous,
    rest: rest === 0 ? undefined : offset - rest,
    ids: idItems.map(({ key, commit }) => ({ id: idAt(key, 0), commit })),
    keys: keyItems.map(({ key, commit }) => ({ hash: Buffer.from(key).toString("hex"), commit })),
    live: stateBytes === 0 ? undefined : readState(body.subarray(body.length - stateBytes)),
  };
}

function itemsOf(body, { at, count, keyBytes }, offset) {
  const items = [];
  for (let index = 0; index < count; index++) {
    const item = body.subarray(at + index * (keyBytes + 8), at + (index + 1) * (keyBytes + 8));
    const key = item.subarray(0, keyBytes);
    const back = u64(viewOf(item), keyBytes);
    if (!(back > 0 && back <= offset)) return undefined;
    if (index > 0 && Buffer.compare(items[index - 1].key, key) > 0) return undefined;
    items.push({ key, commit: offset - back });
  }
  return items;
}

function readState(bytes) {
  try {
    return readCbor(bytes);
  } catch {
    return undefined;
  }
}
