import { readFileSync, truncateSync, writeFileSync } from "node:fs";

/** Every frame begins with these; bytes 8 and 9 of it are its type, 1 for a change. */
const FRAME = Buffer.from([0x53, 0x6d, 0x46, 0x01]);
const HEADER_BYTES = 32;

/** Where the newest change begins, and where what follows it does. */
function lastChange(bytes: Buffer): { readonly from: number; readonly to: number } {
  let to = bytes.length;
  let from = bytes.lastIndexOf(FRAME);
  while (bytes.readUInt16LE(from + 8) !== 1) {
    to = from;
    from = bytes.lastIndexOf(FRAME, from - 1);
  }
  return { from, to };
}

/** Ends the file in the middle of its newest change, as an unfinished write does. */
export function tear(file: string): void {
  const { from, to } = lastChange(readFileSync(file));
  truncateSync(file, from + Math.floor((to - from) / 2));
}

/** Spoils the newest change under what proves that it was stored. */
export function spoilEnd(file: string): void {
  const bytes = readFileSync(file);
  const at = lastChange(bytes).from + HEADER_BYTES + 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Turns one bit of the first place a text is at. */
export function spoil(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  if (at === -1) throw new Error(`${text} is not in ${file}`);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
