import { ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { CostSum, type MessageCost, type SessionReader } from "../../session/index.js";
import type { SessionCost } from "../types.js";

/** What a session used, from all of its records. Some words for each entry of its history stay in memory while it runs. */
export async function costOfSession(reader: SessionReader, signal?: AbortSignal): Promise<Result<SessionCost, Diagnostic>> {
  const sum = new CostSum();
  const messages: MessageCost[] = [];
  for await (const change of reader.changes(signal === undefined ? {} : { signal })) {
    for (const entry of change.entries) {
      const message = sum.take(entry);
      if (message !== undefined) messages.push(message);
    }
  }
  return ok({ ...sum.report(reader.leaf()), messages, damage: reader.damage() });
}
