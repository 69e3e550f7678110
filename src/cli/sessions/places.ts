import { type EntryId, ok, type Result, type SessionId } from "../../base/index.js";
import type { Inspection } from "../../runtime/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { BranchName, PlaceName } from "./invocation.js";

export interface Place {
  readonly session: SessionId;
  readonly entry: EntryId | undefined;
}

/** The session and entry a person named. */
export async function resolvePlace(
  inspection: Pick<Inspection, "resolve" | "resolveEntry">,
  name: PlaceName,
): Promise<Result<Place, Diagnostic>> {
  const session = await inspection.resolve(name.id);
  if (!session.ok) return session;
  if (name.entry === undefined) return ok({ session: session.value, entry: undefined });
  const entry = await inspection.resolveEntry(session.value, name.entry);
  return entry.ok ? ok({ session: session.value, entry: entry.value }) : entry;
}

/** The entry a branch ends at; undefined for the selected one. */
export async function resolveBranch(
  inspection: Pick<Inspection, "resolveEntry">,
  session: SessionId,
  branch: BranchName,
): Promise<Result<EntryId | undefined, Diagnostic>> {
  return branch === "selected" ? ok(undefined) : await inspection.resolveEntry(session, branch.entry, { leaf: true });
}

/** All of the sessions named, each once, in the order named; the first that fits nothing stops it. */
export async function resolveAll(
  inspection: Pick<Inspection, "resolve">,
  names: readonly string[],
): Promise<Result<readonly SessionId[], Diagnostic>> {
  const ids = new Set<SessionId>();
  for (const name of names) {
    const id = await inspection.resolve(name);
    if (!id.ok) return id;
    ids.add(id.value);
  }
  return ok([...ids]);
}
