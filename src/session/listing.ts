import type { SessionId } from "../base/index.js";
import { shortId } from "../base/index.js";
import type { SessionSummary } from "../schema/index.js";
import { idTime } from "./codec/index.js";
import { sessionDamaged } from "./diagnostics.js";
import type { FileFacts, FileOperations } from "./log/index.js";
import { LogicalFile, OpenFile, readTail, SCATTERED } from "./log/index.js";
import { sessionIds, sessionPath } from "./names.js";
import { mayRun, readOwner } from "./owner.js";
import { summarize } from "./reader/index.js";
import { readHeader } from "./writer/index.js";

/** Files looked at together: enough to keep the thread pool busy, few enough to stop early. */
const BATCH = 16;
/** Blocks before the end that listing looks into for a summary. */
const SUMMARY_BLOCKS = 4;

export interface ListRequest {
  readonly ops: FileOperations;
  readonly dir: string;
  readonly host: string;
  readonly detail: "header" | "summary";
  readonly signal: AbortSignal | undefined;
}

interface Candidate {
  readonly id: SessionId;
  readonly path: string;
  readonly facts: FileFacts;
}

/** Every session of a directory, last written first. Reads headers and ends of files, never whole histories. */
export async function* listSessions(request: ListRequest): AsyncGenerator<SessionSummary, void, undefined> {
  const candidates = await candidatesOf(request);
  candidates.sort((left, right) => right.facts.modifiedMs - left.facts.modifiedMs || (left.id < right.id ? 1 : -1));
  for (let start = 0; start < candidates.length; start += BATCH) {
    const batch = candidates.slice(start, start + BATCH).map((candidate) => summaryOf(request, candidate));
    for (const summary of await Promise.all(batch)) {
      if (request.signal?.aborted === true) return;
      if (summary !== undefined) yield summary;
    }
  }
}

async function candidatesOf({ ops, dir }: ListRequest): Promise<Candidate[]> {
  const ids = await sessionIds(ops, dir);
  const candidates = await Promise.all(
    ids.map(async (id) => {
      const path = sessionPath(dir, id);
      try {
        return { id, path, facts: await ops.stat(path) };
      } catch {
        // Removed since the directory was read.
        return undefined;
      }
    }),
  );
  return candidates.filter((candidate) => candidate !== undefined);
}

async function summaryOf(request: ListRequest, candidate: Candidate): Promise<SessionSummary | undefined> {
  const { id, path, facts } = candidate;
  const base = { id, path, createdAt: idTime(id), updatedAt: Math.floor(facts.modifiedMs), bytes: facts.size };
  try {
    const file = new OpenFile(request.ops, await request.ops.open(path, "r"));
    try {
      return { ...base, ...(await detailsOf(request, candidate, file)) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { ...base, state: "damaged", damage: error instanceof Error ? error.message : String(error) };
  }
}

type Details = Omit<SessionSummary, "id" | "path" | "createdAt" | "updatedAt" | "bytes"> & { readonly createdAt?: number };

async function detailsOf(request: ListRequest, candidate: Candidate, file: OpenFile): Promise<Details> {
  const { id, path, facts } = candidate;
  const read = await readHeader(file, path);
  if (!read.ok) return { state: "damaged", damage: read.error.why };
  const { header, seed, mirrored } = read.value;
  const owner = await readOwner(request.ops, path);
  const idle = owner !== undefined && mayRun(owner, request.host) ? "busy" : "sound";
  const headerDamage = headerDamageOf(id, header.id, mirrored);
  if (request.detail === "header") {
    return { createdAt: header.createdAt, ...(headerDamage === undefined ? { state: idle } : { state: "damaged", damage: headerDamage }) };
  }
  const tail = await readTail(new LogicalFile(file, seed, SCATTERED), facts.size);
  const summary = await summarize({ file, seed, tail, maxBlocks: SUMMARY_BLOCKS });
  const lost = tail.damage[0];
  const damage = headerDamage ?? (lost === undefined ? undefined : sessionDamaged(id, path, lost).what);
  return { createdAt: header.createdAt, ...summary, ...(damage === undefined ? { state: idle } : { state: "damaged", damage }) };
}

function headerDamageOf(named: SessionId, stored: SessionId, mirrored: boolean): string | undefined {
  if (named !== stored) return `The file is named for session ${shortId(named)} but holds session ${shortId(stored)}.`;
  return mirrored ? undefined : "One of the two copies of its header fails its checksum.";
}
