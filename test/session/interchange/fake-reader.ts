import type { EntryId, SessionId } from "../../../src/base/index.js";
import { invariant } from "../../../src/base/index.js";
import type { Diagnostic, Entry } from "../../../src/schema/index.js";
import type { ChangeSpan, CommittedChange, FileOrigin, SessionReader, UnknownFrame } from "../../../src/session/index.js";

export const SESSION = "0190a0a0-0000-7000-8000-0000000000aa" as SessionId;

export interface FakeSession {
  readonly changes: readonly CommittedChange[];
  readonly frames?: readonly UnknownFrame[];
  readonly damage?: readonly Diagnostic[];
  /** Default: whatever is missing is damaged. */
  readonly damagedChanges?: readonly ChangeSpan[];
  readonly seq?: number;
  readonly origin?: FileOrigin;
  readonly leaf?: EntryId;
}

export const change = (seq: number, entries: readonly Entry[], leaf?: EntryId, time?: number): CommittedChange => ({
  position: { session: SESSION, epoch: 0, seq },
  time: time ?? entries.at(-1)?.time ?? 0,
  leaf,
  entries,
});

async function* each<Item>(items: readonly Item[]): AsyncIterable<Item> {
  for (const item of items) yield item;
}

/** As much of a reader as a dump needs; everything else is a bug of the test. */
export function fakeReader(session: FakeSession): SessionReader {
  const seq = session.seq ?? session.changes.at(-1)?.position.seq ?? 0;
  const parts: Partial<SessionReader> = {
    id: SESSION,
    createdAt: 1_700_000_000_000,
    epoch: 2,
    origin: session.origin,
    leaf: () => session.leaf,
    position: () => ({ session: SESSION, epoch: 2, seq }),
    changes: () => each(session.changes),
    unknownFrames: () => each(session.frames ?? []),
    damagedChanges: () => session.damagedChanges ?? [{ firstSeq: 1, lastSeq: seq }],
    damage: () => session.damage ?? [],
  };
  return new Proxy(parts, {
    get: (target, key) => {
      invariant(key in target, `a dump needs no ${String(key)}`);
      return Reflect.get(target, key) as unknown;
    },
  }) as SessionReader;
}
