import { ok, type Result, type SessionId } from "../../base/index.js";
import type { Runtime } from "../../runtime/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CommandContext, Prepared } from "../context.js";
import type { SessionTarget } from "../invocation.js";
import { resolvePlace } from "../sessions/places.js";

/** A target that is there, or that is made of one that is there. */
export type StoredTarget = Extract<SessionTarget, { readonly type: "newest" | "named" | "fork" }>;

/** The session to open; a fork is made here. Its entry is looked up in the file, which the runtime does not do. */
export async function storedSession(
  context: Pick<CommandContext, "runtime" | "host">,
  { prepared, runtime }: { readonly prepared: Prepared; readonly runtime: Runtime },
  target: StoredTarget,
): Promise<Result<SessionId, Diagnostic>> {
  if (target.type === "newest") return await runtime.newest();
  if (target.type === "named") return await runtime.resolve(target.id);
  const inspection = await context.runtime.inspect(prepared.paths, context.host);
  const place = await resolvePlace(inspection, target.source);
  if (!place.ok) return place;
  const made = await runtime.fork(place.value.session, place.value.entry);
  return made.ok ? ok(made.value.id) : made;
}
