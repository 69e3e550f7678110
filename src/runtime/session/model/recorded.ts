import type { SessionReader } from "../../../session/index.js";
import { type ModelChoice, NO_CHOICE, parseChoice } from "../../models/index.js";
import { MODEL_STATE } from "./memory.js";

/** What was chosen in a session before. Of a session in which nothing was, only what is open is looked at. */
export async function recordedChoice(reader: SessionReader): Promise<ModelChoice> {
  const found = await reader.sessionState(MODEL_STATE.owner, MODEL_STATE.key);
  // What a later version wrote may mean something else.
  return found?.version === MODEL_STATE.version ? parseChoice(found.value) : NO_CHOICE;
}
