/** Bytes by their offset in a file, or in what one would be. Reads as far as there are bytes; gives how many it read. */
export interface ByteSource {
  read(into: Uint8Array, position: number): Promise<number>;
}

/** A file as if its bytes had not been displaced: what lies `shift` bytes behind its place is read at its place. */
export function shifted(source: ByteSource, shift: number): ByteSource {
  return {
    async read(into, position) {
      const at = position + shift;
      if (at >= 0) return source.read(into, at);
      const before = Math.min(into.length, -at);
      into.fill(0, 0, before);
      return before === into.length ? before : before + (await source.read(into.subarray(before), 0));
    },
  };
}
