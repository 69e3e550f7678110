import { gzipSync } from "node:zlib";
import type { Tree } from "./world.js";

/** One entry of an archive as it is written, right or wrong. */
export interface RawEntry {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** `0` file, `5` folder, `2` link … */
  readonly type?: string;
  readonly linkName?: string;
  /** What the header claims, in place of the length of the data. */
  readonly size?: string;
  readonly checksum?: number;
  readonly prefix?: string;
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;

export function rawTar(entries: readonly RawEntry[], { end = true } = {}): Uint8Array {
  const blocks = entries.flatMap((entry) => {
    const data = Buffer.from(entry.data ?? "");
    const header = Buffer.alloc(512);
    header.write(entry.name, 0, 100, "utf8");
    header.write(octal(0o644, 8), 100, "latin1");
    header.write(entry.size ?? octal(data.length, 12), 124, 12, "latin1");
    header.write(octal(0, 12), 136, "latin1");
    header.write(entry.type ?? "0", 156, "latin1");
    header.write(entry.linkName ?? "", 157, 100, "utf8");
    header.write("ustar\0" + "00", 257, "latin1");
    header.write(entry.prefix ?? "", 345, 155, "utf8");
    header.write("        ", 148, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(octal(entry.checksum ?? sum, 7) + " ", 148, "latin1");
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(end ? 1024 : 0)]);
}

export const pack = (entries: readonly RawEntry[]): Uint8Array => gzipSync(rawTar(entries));

/** Files as npm packs them, all in `package/`. */
export const packTree = (tree: Tree, folder = "package/"): Uint8Array =>
  pack(Object.entries(tree).map(([name, data]) => ({ name: `${folder}${name}`, data })));

/** A pax header that says one thing of the entry after it. */
export const pax = (key: string, value: string): RawEntry => {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length = String(length).length + Buffer.byteLength(rest);
  return { name: "PaxHeader", type: "x", data: `${String(length)}${rest}` };
};
