import type { CommonFlags } from "../given-flags.js";

export interface DoctorInvocation {
  readonly type: "doctor";
  readonly common: CommonFlags;
  readonly json: boolean;
}
