import type { EntryId, SessionId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { CODEC, crc32, unpack } from "../bytes/index.js";
import type { CommitTable, Descriptor } from "../codec/index.js";
import { ENCODING, FLAG, FRAME_HEADER_BYTES, ROLE, typeOfKind } from "../codec/index.js";
import { sessionDamaged, storageFailure } from "../diagnostics.js";
import type { Damage, FileOperations } from "../log/index.js";
import { LogicalFile, OpenFile, readPayload, readTail, SCATTERED, SEQUENTIAL } from "../log/index.js";
import { sessionIds, sessionPath } from "../names.js";
import { CommitWalk } from "../reader/index.js";
import type { GrepMatch } from "../types.js";
import { readHeader } from "../writer/index.js";
import { requiredLiteral } from "./literal.js";

export interface GrepRequest {
  readonly ops: FileOperations;
  readonly dir: string;
  readonly pattern: RegExp;
  readonly sessions: readonly SessionId[] | undefined;
  readonly signal: AbortSignal | undefined;
}

export type GrepFinding = GrepMatch | { readonly damage: Diagnostic };

/** Names of the text parts that are searched: what a conversation holds, not its bookkeeping. */
const PARTS: ReadonlyMap<number, string> = new Map([
  [ROLE.text, "text"],
  [ROLE.thinking, "thinking"],
  [ROLE.args, "args"],
  [ROLE.output, "output"],
  [ROLE.diff, "diff"],
]);

/** What one search needs at every payload. */
interface Search {
  readonly session: SessionId;
  /** Matches anywhere in a line; never carries a position from one line to the next. */
  readonly pattern: RegExp;
  readonly literal: Buffer | undefined;
}

/** Lines of recorded text that match, session after session (newest first), each as it is found. */
export async function* grepSessions(request: GrepRequest): AsyncGenerator<GrepFinding, void, undefined> {
  const ids = request.sessions ?? [...(await sessionIds(request.ops, request.dir))].sort().reverse();
  const pattern = new RegExp(request.pattern.source, request.pattern.flags.replace(/[gy]/gu, ""));
  const literal = requiredLiteral(pattern);
  for (const session of ids) {
    if (request.signal?.aborted === true) return;
    yield* grepFile(request, { session, pattern, literal });
  }
}

async function* grepFile(request: GrepRequest, search: Search): AsyncGenerator<GrepFinding, void, undefined> {
  const path = sessionPath(request.dir, search.session);
  let file: OpenFile;
  try {
    file = new OpenFile(request.ops, await request.ops.open(path, "r"));
  } catch (error) {
    yield { damage: storageFailure(path, error) };
    return;
  }
  try {
    const read = await readHeader(file, path);
    if (read.ok) yield* grepCommits(file, { ...search, path, seed: read.value.seed, signal: request.signal });
    else yield { damage: read.error };
  } finally {
    await file.close();
  }
}

interface FileSearch extends Search {
  readonly path: string;
  readonly seed: number;
  readonly signal: AbortSignal | undefined;
}

async function* grepCommits(file: OpenFile, search: FileSearch): AsyncGenerator<GrepFinding, void, undefined> {
  const { size } = await file.facts();
  const tail = await readTail(new LogicalFile(file, search.seed, SCATTERED), size);
  const damaged: Damage[] = [...tail.damage];
  const walk = new CommitWalk(new LogicalFile(file, search.seed, SEQUENTIAL), { offset: 0, seq: 0 }, tail.offset, (damage) =>
    damaged.push(damage),
  );
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (search.signal?.aborted === true) return;
    if (table === undefined) break;
    for (let index = 0; index < table.records; index += 1) {
      if ((table.flags(index) & FLAG.history) === 0) continue;
      const found = peekMatches(walk.file, table, index, search) ?? (await readMatches(walk.file, table, index, search));
      if (found === "damaged")
        damaged.push({ firstSeq: table.frame.seq, lastSeq: table.frame.seq, from: table.frame.offset, to: table.frame.end });
      else yield* found;
    }
  }
  const spans = new Map(damaged.map((damage) => [damage.firstSeq, damage]));
  for (const damage of spans.values()) yield { damage: sessionDamaged(search.session, search.path, damage) };
}

type Found = readonly GrepMatch[] | "damaged";
const NOTHING: readonly GrepMatch[] = [];

const partOf = (descriptor: Descriptor): string | undefined =>
  descriptor.encoding === ENCODING.utf8 ? PARTS.get(descriptor.role) : undefined;

/** Matches of one record without reading; `undefined` when some of its text is not at hand. */
function peekMatches(file: LogicalFile, table: CommitTable, index: number, search: Search): Found | undefined {
  const [first, count] = table.span(index);
  const payloads = table.frame.offset + FRAME_HEADER_BYTES + table.frame.tableLen;
  let matches = NOTHING;
  for (let at = first; at < first + count; at += 1) {
    const descriptor = table.descriptor(at);
    const part = partOf(descriptor);
    if (part === undefined) continue;
    const stored = descriptor.isChunked ? undefined : file.peek(payloads + descriptor.offset, descriptor.stored);
    if (stored === undefined) return undefined;
    // Checked before it is searched: damage must never read as "not found".
    if (crc32(stored, 0, stored.length) !== descriptor.crc) return "damaged";
    if (descriptor.codec === CODEC.none && search.literal !== undefined && !stored.includes(search.literal)) continue;
    const raw = unpack(stored, descriptor.codec, descriptor.raw);
    if (raw === undefined) return "damaged";
    const found = matchesIn(raw, { table, index, part }, search);
    if (found.length > 0) matches = [...matches, ...found];
  }
  return matches;
}

async function readMatches(file: LogicalFile, table: CommitTable, index: number, search: Search): Promise<Found> {
  table.detach();
  const [first, count] = table.span(index);
  const matches: GrepMatch[] = [];
  for (let at = first; at < first + count; at += 1) {
    const descriptor = table.descriptor(at);
    const part = partOf(descriptor);
    if (part === undefined) continue;
    const raw = await readPayload(file, table, descriptor);
    if (raw === undefined) return "damaged";
    for (const match of matchesIn(raw, { table, index, part }, search)) matches.push(match);
  }
  return matches;
}

interface Where {
  readonly table: CommitTable;
  readonly index: number;
  readonly part: string;
}

function matchesIn(raw: Buffer, where: Where, search: Search): readonly GrepMatch[] {
  if (search.literal !== undefined && !raw.includes(search.literal)) return NOTHING;
  const lines = raw.toString("utf8").split("\n");
  const matches: GrepMatch[] = [];
  let record: { readonly id: EntryId; readonly time: number; readonly kind: number } | undefined;
  for (const [number, ended] of lines.entries()) {
    const text = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
    if (!search.pattern.test(text)) continue;
    record ??= where.table.record(where.index);
    matches.push({
      session: search.session,
      entry: record.id,
      type: typeOfKind(record.kind),
      time: record.time,
      part: where.part,
      line: number + 1,
      text,
    });
  }
  return matches;
}
