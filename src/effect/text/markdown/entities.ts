const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Text with its common character references resolved; others stay as they are written. */
export const entities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,10}));/giu,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      const code = decimal === undefined ? (hex === undefined ? undefined : Number.parseInt(hex, 16)) : Number(decimal);
      if (code !== undefined) return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
      return NAMED[name ?? ""] ?? whole;
    },
  );
