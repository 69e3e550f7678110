import type { SessionId } from "../../base/index.js";
import { storageFailure } from "../diagnostics.js";
import { readHeader } from "../header.js";
import type { FileOperations, OpenFile } from "../log/index.js";
import { errorCode, LogicalFile, ReadAheadFile, readTail, SCATTERED } from "../log/index.js";
import { longerNames, sessionIds, sessionPath } from "../names.js";
import type { GrepOptions } from "../types.js";
import type { BranchScope } from "./branch.js";
import { scopeOf } from "./branch.js";
import { createDeadline } from "./deadline.js";
import type { GrepFinding } from "./file-search.js";
import { FileSearch } from "./file-search.js";
import { Matcher } from "./matcher.js";
import type { LinePattern } from "./pattern.js";
import { preparePattern } from "./pattern.js";

/** Time one run of the pattern may take, over all or over one text: a working pattern takes milliseconds. */
const DEADLINE_MS = 5000;

export interface GrepRequest {
  readonly ops: FileOperations;
  readonly dir: string;
  readonly pattern: RegExp;
  readonly options: GrepOptions;
  readonly deadlineMs?: number;
}

interface Search {
  readonly request: GrepRequest;
  readonly pattern: LinePattern;
  readonly matcher: Matcher;
}

/**
 * Lines of recorded text that match, session after session: newest first, or as given, or oldest first; in each in the order of
 * the file. What cannot be read is told after the matches of its session, and the rest is searched.
 */
export async function* grepSessions(request: GrepRequest): AsyncGenerator<GrepFinding, void, undefined> {
  const pattern = preparePattern(request.pattern);
  const deadline = createDeadline(request.deadlineMs ?? DEADLINE_MS);
  const matcher = new Matcher({ pattern, deadline, signal: request.options.signal });
  const ids = await sessionIds(request.ops, request.dir);
  const names = longerNames(ids);
  for (const session of inOrder(ids, request.options)) {
    if (matcher.isStopped) return;
    const short = names.get(session);
    const findings = grepFile({ request, pattern, matcher }, session);
    if (short === undefined) yield* findings;
    else for await (const finding of findings) yield "damage" in finding ? finding : { ...finding, short };
  }
}

function inOrder(ids: readonly SessionId[], { sessions, oldestFirst }: GrepOptions): readonly SessionId[] {
  if (oldestFirst === true) return [...(sessions ?? ids)].sort();
  return sessions ?? [...ids].sort().reverse();
}

async function* grepFile(search: Search, session: SessionId): AsyncGenerator<GrepFinding, void, undefined> {
  const { ops, dir, options } = search.request;
  const path = sessionPath(dir, session);
  let file: OpenFile | undefined;
  try {
    file = new ReadAheadFile(ops, await ops.open(path, "r"));
    yield* grepOpen(search, { session, path, file });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    // Removed since the directory was read.
    if (code === "ENOENT" && options.sessions === undefined) return;
    yield { damage: storageFailure(path, error) };
  } finally {
    await file?.close();
  }
}

interface Opened {
  readonly session: SessionId;
  readonly path: string;
  readonly file: OpenFile;
}

async function* grepOpen(search: Search, { session, path, file }: Opened): AsyncGenerator<GrepFinding, void, undefined> {
  const { pattern, matcher, request } = search;
  const read = await readHeader(file, path);
  if (!read.ok) {
    yield { damage: read.error };
    return;
  }
  const { header, seed } = read.value;
  const { size } = await file.facts();
  const tail = await readTail(new LogicalFile(file, seed, SCATTERED), size);
  let scope: BranchScope | undefined;
  const { branch } = request.options;
  if (branch !== undefined) {
    const found = await scopeOf({ path, file, header, tail, leaf: branch === "selected" ? undefined : branch.leaf });
    if (found.broken !== undefined) yield { damage: found.broken };
    scope = found.scope;
  }
  yield* new FileSearch({ file, path, session, seed, tail, pattern, matcher, scope, options: request.options }).findings();
}
