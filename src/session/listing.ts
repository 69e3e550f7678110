import { setImmediate } from "node:timers/promises";
import type { Clock, SessionId } from "../base/index.js";
import { shortId } from "../base/index.js";
import type { SessionSummary } from "../schema/index.js";
import { idTime } from "./codec/index.js";
import { sessionDamaged } from "./diagnostics.js";
import { END_BYTES, EndsFile } from "./ends-file.js";
import { readHeader } from "./header.js";
import type { FileFacts, FileOperations, ReadPlan } from "./log/index.js";
import { errorCode, LogicalFile, quickOperations, readTail, SCATTERED } from "./log/index.js";
import { longerNames, sessionPath, sessionsIn } from "./names.js";
import { mayRun, readOwner } from "./owner.js";
import { summarize } from "./reader/index.js";
import type { ListOptions } from "./types.js";

/** Files looked at together: enough to keep the thread pool busy, few enough to stop early. */
const BATCH = 16;
/** Blocks before the end that listing looks into for a summary. */
const SUMMARY_BLOCKS = 4;

export interface ListRequest {
  readonly ops: FileOperations;
  readonly clock: Clock;
  readonly dir: string;
  readonly host: string;
  readonly options: ListOptions;
}

/** Memory for reading one file, used again for the next. */
interface Place {
  readonly end: Buffer;
  readonly plan: ReadPlan;
}

const newPlace = (): Place => ({ end: Buffer.allocUnsafeSlow(END_BYTES), plan: { ...SCATTERED, storages: [] } });

interface Candidate {
  readonly id: SessionId;
  readonly path: string;
  readonly facts: FileFacts;
  readonly hasOwner: boolean;
  /** What to call it where its last digits are not enough. */
  readonly short: string | undefined;
  /** Why nothing is known of it. */
  readonly refusal?: Error;
}

/**
 * Every session of a directory that fits, last changed first. Reads headers and ends of files, never whole histories, and
 * nothing of a file that is out by its age. Filters by content need the end, also when only headers are asked for. With the end, the
 * time of the last change is what the session says, which a copied or touched file keeps; the file's own only bounds it.
 */
export async function* listSessions(given: ListRequest): AsyncGenerator<SessionSummary, void, undefined> {
  const { signal, since, state } = given.options;
  const isAborted = (): boolean => signal?.aborted === true;
  const candidates = (await candidatesOf(given)).filter(
    ({ facts, hasOwner }) => Math.floor(facts.modifiedMs) >= (since ?? 0) && (state !== "busy" || hasOwner),
  );
  candidates.sort((left, right) => right.facts.modifiedMs - left.facts.modifiedMs || (left.id < right.id ? 1 : -1));
  const places = Array.from({ length: Math.min(BATCH, candidates.length) }, newPlace);
  const request = { ...given, ops: quickOperations(given.ops, given.clock) };
  const waiting = new Waiting();
  for (let start = 0; start < candidates.length && !isAborted(); start += BATCH) {
    // Signals are heard and others have their turn here.
    await setImmediate();
    const batch = candidates.slice(start, start + BATCH);
    const summaries = await Promise.all(batch.map((candidate, index) => summaryOf(request, candidate, places[index] ?? newPlace())));
    for (const summary of summaries) if (summary !== undefined && fits(summary, request.options)) waiting.add(summary);
    for (const summary of waiting.newerThan(candidates[start + BATCH]?.facts.modifiedMs ?? Number.NEGATIVE_INFINITY)) {
      if (isAborted()) return;
      yield summary;
    }
  }
}

/** Sessions that were read and of which one that is still to be read might be newer: nothing changed after its file did. */
class Waiting {
  #summaries: SessionSummary[] = [];

  add(summary: SessionSummary): void {
    this.#summaries.push(summary);
  }

  /** Takes those that were changed after `time`, newest first. */
  newerThan(time: number): readonly SessionSummary[] {
    const newer = this.#summaries.filter(({ updatedAt }) => updatedAt > time);
    this.#summaries = this.#summaries.filter(({ updatedAt }) => updatedAt <= time);
    return newer.sort((left, right) => right.updatedAt - left.updatedAt || (left.id < right.id ? 1 : -1));
  }
}

async function candidatesOf({ ops, dir }: ListRequest): Promise<Candidate[]> {
  const { ids, hasOwner } = await sessionsIn(ops, dir);
  const names = longerNames(ids);
  const candidates = await Promise.all(
    ids.map(async (id) => {
      const candidate = { id, path: sessionPath(dir, id), hasOwner: hasOwner(id), short: names.get(id) };
      try {
        return { ...candidate, facts: await ops.stat(candidate.path) };
      } catch (error) {
        // Removed since the directory was read.
        if (errorCode(error) === "ENOENT") return undefined;
        return {
          ...candidate,
          facts: { size: 0, inode: 0, modifiedMs: idTime(id) },
          refusal: error instanceof Error ? error : new Error(String(error)),
        };
      }
    }),
  );
  return candidates.filter((candidate) => candidate !== undefined);
}

const holds = (text: string | undefined, part: string): boolean => text?.toLowerCase().includes(part.toLowerCase()) === true;

const fits = (summary: SessionSummary, { since, until, cwd, model, name, state }: ListOptions): boolean =>
  summary.updatedAt >= (since ?? 0) &&
  summary.updatedAt <= (until ?? Number.POSITIVE_INFINITY) &&
  (cwd === undefined || summary.cwd === cwd) &&
  (model === undefined || holds(summary.model, model)) &&
  (name === undefined || holds(summary.name, name)) &&
  (state === undefined || summary.state === state);

const needsEnd = ({ detail, cwd, model, name, state }: ListOptions): boolean =>
  detail !== "header" || cwd !== undefined || model !== undefined || name !== undefined || state === "sound" || state === "damaged";

async function summaryOf(request: ListRequest, candidate: Candidate, place: Place): Promise<SessionSummary | undefined> {
  const { id, path, facts, short } = candidate;
  const base = {
    ...(short === undefined ? {} : { short }),
    id,
    path,
    createdAt: idTime(id),
    updatedAt: Math.floor(facts.modifiedMs),
    bytes: facts.size,
  };
  try {
    if (candidate.refusal !== undefined) throw candidate.refusal;
    const file = new EndsFile(request.ops, await request.ops.open(path, "r"));
    try {
      if (needsEnd(request.options)) await file.loadEnd(facts.size, place.end);
      return { ...base, ...(await detailsOf(request, candidate, { file, plan: place.plan })) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    const damage = error instanceof Error ? error.message : String(error);
    // The system's words end with the call and the path.
    return code === undefined
      ? { ...base, state: "damaged", damage }
      : { ...base, state: "unreadable", damage: damage.replace(/, \w+(?: '.*')?$/su, "") };
  }
}

type Details = Omit<SessionSummary, "id" | "path" | "createdAt" | "updatedAt" | "bytes"> &
  Partial<Pick<SessionSummary, "createdAt" | "updatedAt">>;

async function detailsOf(
  request: ListRequest,
  candidate: Candidate,
  { file, plan }: { readonly file: EndsFile; readonly plan: ReadPlan },
): Promise<Details> {
  const { id, path, facts } = candidate;
  const read = await readHeader(file, path);
  if (!read.ok) return { state: "damaged", damage: read.error.why };
  const { header, seed, mirrored } = read.value;
  const owner = candidate.hasOwner ? await readOwner(request.ops, path) : undefined;
  const idle = owner !== undefined && mayRun(owner, request.host) ? "busy" : "sound";
  const known = { createdAt: header.createdAt, ...(header.origin === undefined ? {} : { origin: header.origin.session }) };
  const judged = (damage: string | undefined): Pick<Details, "state" | "damage"> =>
    damage === undefined ? { state: idle } : { state: "damaged", damage };
  const headerDamage = headerDamageOf(id, header.id, mirrored);
  if (!needsEnd(request.options)) return { ...known, ...judged(headerDamage) };
  const through = new LogicalFile(file, seed, plan);
  const tail = await readTail(through, facts.size);
  const summary = await summarize({ file, seed, tail, through, maxBlocks: SUMMARY_BLOCKS });
  const lost = tail.damage[0];
  const updatedAt = tail.seq === 0 ? header.createdAt : tail.time;
  return {
    ...known,
    updatedAt,
    ...summary,
    ...judged(headerDamage ?? (lost === undefined ? undefined : sessionDamaged(id, path, lost).what)),
  };
}

function headerDamageOf(named: SessionId, stored: SessionId, mirrored: boolean): string | undefined {
  if (named !== stored) return `The file is named for session ${shortId(named)} but holds session ${shortId(stored)}.`;
  return mirrored ? undefined : "One of the two copies of its header fails its checksum.";
}
