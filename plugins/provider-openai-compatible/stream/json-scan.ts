/** Where in a JSON text a stream of fragments stands. Small, so that it can be kept as state instead of the text. */
export type JsonScan = {
  readonly phase: "before" | "inside" | "complete";
  readonly depth: number;
  readonly inString: boolean;
  readonly escaped: boolean;
};

export const EMPTY_SCAN: JsonScan = { phase: "before", depth: 0, inString: false, escaped: false };

const STRUCTURE = /["{}[\]]/gu;
const STRING_END = /["\\]/gu;
const STEPS: ReadonlyMap<string, number> = new Map([
  ["{", 1],
  ["[", 1],
  ["}", -1],
  ["]", -1],
]);

/** Advances over one fragment. `complete` means that one object or array was opened and closed again. */
export function scanJson(scan: JsonScan, fragment: string): JsonScan {
  if (fragment === "" || (scan.phase === "before" && fragment.trim() === "")) return scan;
  let { depth, inString } = scan;
  let isComplete = scan.phase === "complete";
  let at = scan.escaped ? 1 : 0;
  for (;;) {
    const found = signAfter(fragment, at, inString);
    if (found === undefined) break;
    const step = STEPS.get(found.sign) ?? 0;
    at = found.next;
    inString = found.sign === '"' ? !inString : inString;
    depth += step;
    isComplete ||= depth === 0 && step === -1;
  }
  return { phase: isComplete ? "complete" : "inside", depth, inString, escaped: at > fragment.length };
}

/** The next character that means something; a backslash takes the character after it along. */
function signAfter(fragment: string, at: number, inString: boolean): { readonly sign: string; readonly next: number } | undefined {
  const pattern = inString ? STRING_END : STRUCTURE;
  pattern.lastIndex = at;
  const found = pattern.exec(fragment);
  return found === null ? undefined : { sign: found[0], next: found.index + (found[0] === "\\" ? 2 : 1) };
}
