import type { SessionReader } from "../../session/index.js";
import type { SessionStatus } from "../types.js";

/** What a file says for the status without any of its history being read: its name, and what all processes used so far. */
export async function recordedStatus(reader: SessionReader): Promise<Pick<SessionStatus, "name" | "usage">> {
  const { name, usage } = await reader.live();
  return { ...(name === undefined ? {} : { name }), ...(usage === undefined ? {} : { usage }) };
}
