import type { Diagnostic, SmithEvent } from "../../../schema/index.js";
import { shortId, type SessionId } from "../../../base/index.js";

interface Cut {
  readonly bytes: number;
  readonly copy?: string;
  readonly isDerived?: true;
}

/** What of a file is lost, as notices; each piece of news is told once for as long as the session is open. */
export interface DamageNews {
  /** Damaged spans that were not told yet. Of `damage()` of a reader: it grows as reads meet more. */
  spans(found: readonly Diagnostic[], time: number): readonly SmithEvent[];
  /** What was cut off behind the last complete change when the file was opened for writing. Derived: no change was among it. */
  dropped(cut: Cut | undefined, time: number): readonly SmithEvent[];
}

export function createDamageNews(session: SessionId): DamageNews {
  const told = new Set<string>();
  const fresh = (texts: readonly string[], time: number): readonly SmithEvent[] =>
    texts.flatMap((text) => {
      if (told.has(text)) return [];
      told.add(text);
      return [{ type: "notice", session, time, text } as const];
    });
  return {
    spans: (found, time) =>
      fresh(
        found.map(({ what, why, next }) => `${what} ${why} ${next}`),
        time,
      ),
    dropped: (cut, time) => (cut === undefined || cut.isDerived === true ? [] : fresh([droppedText(session, cut)], time)),
  };
}

function droppedText(session: SessionId, { bytes, copy }: Cut): string {
  const kept = copy === undefined ? "they held no whole record, so no copy was kept" : `a copy was kept: ${copy}`;
  const what = `${String(bytes)} bytes after the last complete change of session ${shortId(session)} were dropped`;
  return `${what}; nothing shows that they were ever acknowledged; ${kept}.`;
}
