import type { SubmissionId, WorkId } from "../../base/index.js";
import { NO_SPEND } from "../../schema/index.js";
import type { Turn } from "../state.js";

/** No calls were repeated. */
export const NO_CALLS: Turn["repeated"] = { signature: "", count: 0 };

/** A turn that has not made a request yet. */
export const newTurn = (work: WorkId, submission: SubmissionId): Turn => ({
  work,
  submissions: [{ submission, work }],
  rounds: 0,
  spend: NO_SPEND,
  repeated: NO_CALLS,
  refusedRounds: 0,
  batch: undefined,
  stopping: undefined,
  stopped: undefined,
  held: undefined,
  reply: "",
});
