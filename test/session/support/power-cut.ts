import type { Logged } from "./operations.js";

const SECTOR = 512;

/** Calls back for every piece of a write that lies in one sector. */
function eachSector(item: { readonly position: number; readonly bytes: Buffer }, visit: (at: number, content: Buffer) => void): void {
  const stop = item.position + item.bytes.length;
  for (let at = item.position; at < stop;) {
    const end = Math.min(stop, at - (at % SECTOR) + SECTOR);
    visit(at, item.bytes.subarray(at - item.position, end - item.position));
    at = end;
  }
}

/** The file after a power cut at `point`: what was synced is there; of what was not, any subset of sectors, the rest zero or garbage. */
export function imageAt(log: readonly Logged[], point: number, random: () => number): Buffer {
  const items = log.slice(0, point);
  const synced = items.findLastIndex(({ type }) => type === "sync");
  let bytes = Buffer.alloc(0);
  const put = (position: number, content: Uint8Array): void => {
    const grown = Math.max(0, position + content.length - bytes.length);
    bytes = Buffer.concat([bytes, Buffer.alloc(grown)]);
    bytes.set(content, position);
  };
  items.forEach((item, index) => {
    if (item.type !== "write") return;
    if (index < synced || item.position === 0) {
      put(item.position, item.bytes);
      return;
    }
    const isGarbage = random() < 0.3;
    eachSector(item, (at, content) => {
      if (random() < 0.5) put(at, content);
      else put(at, isGarbage ? content.map(() => Math.floor(random() * 256)) : Buffer.alloc(content.length));
    });
    if (random() < 0.3) bytes = bytes.subarray(0, Math.max(item.position, bytes.length - Math.floor(random() * item.bytes.length)));
  });
  return bytes;
}
