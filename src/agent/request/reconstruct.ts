import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic, Entry, HistoryEntry, Message, RequestEntry, ToolDefinition } from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { project, projectTransformed } from "../context/index.js";
import { ambiguousRequest, requestIncomplete, unknownRequest } from "../diagnostics.js";
import { loadBranch } from "../recovery/index.js";
import { chainDigest, extendChain, type Sha256 } from "./digest.js";

/** One recorded request and its place among the requests of the session, from 1. */
export interface NumberedRequest {
  readonly number: number;
  readonly request: RequestEntry;
}

/** What a request was made of, from the file alone. */
export interface ReconstructedRequest extends NumberedRequest {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  /** Whether the messages have the digest that was recorded; `unrecorded` for requests without one. */
  readonly verified: "yes" | "no" | "unrecorded";
  /** A repair of the session lost part of the messages: what is here is what is left of them. */
  readonly lost?: true;
}

const REQUESTS = new Set<Entry["type"]>(["request"]);
const MIN_SUFFIX = 4;

/**
 * A request by its number from 1, inherited ones counted, or by its request id, that of its entry, or a unique suffix of one with at
 * least 4 hex digits. Reads request records only.
 */
export async function findRequest(reader: SessionReader, which: number | string): Promise<Result<NumberedRequest, Diagnostic>> {
  const wanted = typeof which === "string" ? which.trim().toLowerCase() : "";
  let number = 0;
  const found: NumberedRequest[] = [];
  for await (const entry of reader.scan(REQUESTS)) {
    if (entry.type !== "request") continue;
    number += 1;
    if (number === which) return ok({ number, request: entry });
    if (wanted.length >= MIN_SUFFIX && [entry.request, entry.id].some((id) => id.endsWith(wanted))) found.push({ number, request: entry });
  }
  const [one] = found;
  if (one === undefined) return err(unknownRequest(reader.id, String(which), number));
  return found.length === 1 ? ok(one) : err(ambiguousRequest(wanted, found.length));
}

/**
 * Rebuilds what was sent from records alone: the branch the request names, its compaction boundary and edits as of then, its own
 * transforms, the prompt it names. Nothing of today's configuration or code but the projection. Refused where the file does not say enough.
 * `which` as for {@link findRequest}.
 */
export async function reconstructRequest(
  reader: SessionReader,
  which: number | string,
  sha256: Sha256,
): Promise<Result<ReconstructedRequest, Diagnostic>> {
  const found = await findRequest(reader, which);
  if (!found.ok) return found;
  const { request } = found.value;
  const isRepaired = reader.epoch > 0;
  const lacks = (what: string): Result<never, Diagnostic> => err(requestIncomplete(reader.id, request.request, { what, isRepaired }));
  if (request.parent === undefined) return lacks("its place on a branch");
  const prompt = await reader.get(request.prompt);
  if (prompt?.type !== "prompt") return lacks(`prompt entry ${request.prompt}`);
  const branch = await loadBranch(reader, request.parent);
  if (!branch.ok) return isRepaired && branch.error.code === "session.branch-broken" ? lacks("the end of its history") : branch;
  const messages = messagesOf(request, branch.value);
  const verified = verify(request, messages, sha256);
  const isLost = isRepaired && (verified === "no" || messages.length !== request.messageCount);
  return ok({ ...found.value, system: prompt.system, tools: prompt.tools, messages, verified, ...(isLost ? { lost: true as const } : {}) });
}

const messagesOf = ({ transforms = [] }: RequestEntry, history: readonly HistoryEntry[]): readonly Message[] =>
  transforms.length === 0 ? project(history) : projectTransformed(history, transforms);

function verify(request: RequestEntry, messages: readonly Message[], sha256: Sha256): ReconstructedRequest["verified"] {
  if (request.digest === undefined) return "unrecorded";
  const digest = chainDigest(extendChain({ messages: [], digests: [] }, messages, sha256));
  return digest === request.digest && messages.length === request.messageCount ? "yes" : "no";
}
