const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;

/**
 * The wasm binary with the maximum of its one memory set to `maxPages` (64 KiB each), whatever it declared before: growth
 * beyond it fails inside the guest. Throws when the binary is not shaped as expected, since running uncapped is no fallback.
 */
export function capMemory(wasm: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  let at = HEADER_BYTES;
  while (at < wasm.length) {
    const size = readUnsigned(wasm, at + 1);
    const end = size.next + size.value;
    if (wasm[at] === MEMORY_SECTION) {
      const section = cappedSection(wasm.subarray(size.next, end), maxPages);
      const capped = new Uint8Array(at + section.length + (wasm.length - end));
      capped.set(wasm.subarray(0, at));
      capped.set(section, at);
      capped.set(wasm.subarray(end), at + section.length);
      return capped;
    }
    at = end;
  }
  throw new Error("the sandbox engine declares no memory of its own");
}

function cappedSection(body: Uint8Array, maxPages: number): Uint8Array {
  const [count, flags] = body;
  if (count !== 1 || (flags !== 0 && flags !== HAS_MAXIMUM)) throw new Error("the sandbox engine's memory has an unknown shape");
  const initial = readUnsigned(body, 2).value;
  if (initial > maxPages) throw new Error(`the sandbox engine starts with ${initial} pages, more than the cap of ${maxPages}`);
  const fields = [1, HAS_MAXIMUM, ...unsigned(initial), ...unsigned(maxPages)];
  return Uint8Array.from([MEMORY_SECTION, ...unsigned(fields.length), ...fields]);
}

/** LEB128, unsigned, at most 32 bits. */
function readUnsigned(bytes: Uint8Array, from: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: from + index + 1 };
  }
  throw new Error("the sandbox engine is not a valid wasm file");
}

function unsigned(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}
