import { err, ok, type Result } from "../../../base/index.js";

/** A regular file or a folder of an archive, under the name it has there. */
export interface TarEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const MAX_NAME_BYTES = 4096;

interface Header {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

interface Step {
  readonly entry?: TarEntry;
  /** Name of the entry that follows, as an extended header gave it. */
  readonly nextName?: string;
}

/**
 * Reads a tar archive (ustar, pax, GNU long names) strictly: a wrong checksum, a size that does not fit, a link, a device or anything
 * else that is no file or folder refuses the whole of it. Names come back exactly as written, none is corrected. The error is the
 * reason, as a clause.
 */
export function readTar(bytes: Uint8Array, maxEntries: number): Result<readonly TarEntry[], string> {
  const entries: TarEntry[] = [];
  let nextName: string | undefined;
  for (let offset = 0, headers = 0; ; headers += 1) {
    if (offset + BLOCK > bytes.length) return err("it ends before its end mark");
    // An extended header belongs to an entry, so there cannot be more than one for each and one for all.
    if (headers > 2 * maxEntries + 1) return err(`it has more than ${String(maxEntries)} entries`);
    const block = bytes.subarray(offset, offset + BLOCK);
    if (block.every((byte) => byte === 0)) return ok(entries);
    const header = readHeader(block);
    if (!header.ok) return header;
    const start = offset + BLOCK;
    const { size } = header.value;
    if (start + size > bytes.length) return err("a file of it is cut off");
    const step = readStep(header.value, bytes.subarray(start, start + size), nextName);
    if (!step.ok) return step;
    nextName = step.value.nextName;
    if (step.value.entry !== undefined) entries.push(step.value.entry);
    if (entries.length > maxEntries) return err(`it has more than ${String(maxEntries)} entries`);
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function readHeader(block: Uint8Array): Result<Header, string> {
  const claimed = readOctal(block.subarray(148, 156));
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (claimed !== sum) return err("a header of it is damaged");
  const size = readOctal(block.subarray(124, 136));
  if (size === undefined) return err("the size of a file of it is no number");
  const name = readName(block.subarray(0, 100));
  const prefix = isPosix(block) ? readName(block.subarray(345, 500)) : "";
  if (name === undefined || prefix === undefined) return err("a name in it is not UTF-8");
  const type = String.fromCharCode(block[156] ?? 0);
  return ok({ name: prefix === "" ? name : `${prefix}/${name}`, type, size });
}

/** Only this kind has a prefix of the name; GNU keeps times there. */
const isPosix = (block: Uint8Array): boolean => Buffer.from(block.subarray(257, 263)).toString("latin1") === "ustar\0";

/** Octal digits with spaces around and a NUL or space after them. Anything else, such as a sign or GNU's binary sizes, is no number. */
function readOctal(field: Uint8Array): number | undefined {
  const digits = /^ *([0-7]+)[ \0]*$/u.exec(Buffer.from(field).toString("latin1"))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function readName(field: Uint8Array): string | undefined {
  const end = field.indexOf(0);
  return decode(end === -1 ? field : field.subarray(0, end));
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function readStep({ name, type, size }: Header, data: Uint8Array, given: string | undefined): Result<Step, string> {
  switch (type) {
    case "0":
    case "\0":
      return ok({ entry: { name: given ?? name, isFolder: false, bytes: data } });
    case "5":
      return size === 0 ? ok({ entry: { name: given ?? name, isFolder: true, bytes: data } }) : err("a folder in it has a content");
    case "x":
      return readPax(data, given);
    case "g": {
      const words = readRecords(data);
      // Such a header would rename every file at once.
      if (words === undefined || words.has("path") || words.has("size")) return err("its global header is not one of a package");
      return ok(given === undefined ? {} : { nextName: given });
    }
    case "L":
      return longName(size > MAX_NAME_BYTES ? undefined : readName(data));
    case "1":
    case "2":
    case "K":
      return err(`${JSON.stringify(given ?? name)} is a link`);
    default:
      return err(`${JSON.stringify(given ?? name)} is no file or folder`);
  }
}

const longName = (name: string | undefined): Result<Step, string> =>
  name === undefined ? err("a name in it is not UTF-8 or too long") : ok({ nextName: name });

function readPax(data: Uint8Array, given: string | undefined): Result<Step, string> {
  const words = readRecords(data);
  if (words === undefined) return err("an extended header of it is damaged");
  if (words.has("linkpath")) return err("it holds a link");
  // A size that only one of two readers believes in is how a file is hidden.
  if (words.has("size") || [...words.keys()].some((key) => key.startsWith("GNU.sparse")))
    return err("it holds a file with holes or of two sizes");
  const name = words.get("path") ?? given;
  return ok(name === undefined ? {} : { nextName: name });
}

/** `length key=value\n`, the length counting all of the record. */
function readRecords(data: Uint8Array): ReadonlyMap<string, string> | undefined {
  const records = new Map<string, string>();
  for (let offset = 0; offset < data.length;) {
    const space = data.indexOf(0x20, offset);
    const digits = space === -1 ? "" : Buffer.from(data.subarray(offset, space)).toString("latin1");
    if (!/^[1-9]\d{0,8}$/u.test(digits)) return undefined;
    const end = offset + Number(digits);
    const text = end > data.length || end <= space + 1 ? undefined : decode(data.subarray(space + 1, end));
    const equals = text?.indexOf("=") ?? -1;
    if (text === undefined || equals < 1 || !text.endsWith("\n")) return undefined;
    records.set(text.slice(0, equals), text.slice(equals + 1, -1));
    offset = end;
  }
  return records;
}
