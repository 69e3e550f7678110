/** Unpacks one LZ4 block into exactly `rawBytes` bytes, or throws: nothing is allocated beyond what was declared. */
export function unpackLz4(packed, rawBytes) {
  const raw = new Uint8Array(rawBytes);
  let from = 0;
  let to = 0;
  const take = () => {
    if (from >= packed.length) throw new Error("LZ4: input ends early");
    return packed[from++];
  };
  const lengthOf = (nibble) => {
    let length = nibble;
    if (nibble === 15)
      for (;;) {
        const more = take();
        length += more;
        if (more !== 255) break;
      }
    return length;
  };
  for (;;) {
    const token = take();
    const literals = lengthOf(token >>> 4);
    if (from + literals > packed.length || to + literals > rawBytes) throw new Error("LZ4: literals reach too far");
    raw.set(packed.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === packed.length) break;
    const distance = take() | (take() << 8);
    const match = lengthOf(token & 15) + 4;
    if (distance === 0 || distance > to || to + match > rawBytes) throw new Error("LZ4: match reaches too far");
    // Byte by byte: a match may overlap what it writes.
    for (const end = to + match; to < end; to++) raw[to] = raw[to - distance];
  }
  if (to !== rawBytes) throw new Error("LZ4: output ends early");
  return raw;
}
