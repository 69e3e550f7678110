import type { SessionId } from "../../../src/base/index.js";
import type { Finding, SessionStore, VerifyReport } from "../../../src/session/index.js";

export interface Checked {
  readonly findings: readonly Finding[];
  readonly damage: readonly Finding[];
  readonly report: VerifyReport | undefined;
  /** Code of the diagnostic when there is no report. */
  readonly refused: string | undefined;
}

export async function verified(store: SessionStore, id: SessionId): Promise<Checked> {
  const findings: Finding[] = [];
  let report: VerifyReport | undefined;
  let refused: string | undefined;
  for await (const step of store.verify(id)) {
    if (!step.ok) refused = step.error.code;
    else if ("severity" in step.value) findings.push(step.value);
    else report = step.value;
  }
  return { findings, damage: findings.filter(({ severity }) => severity === "damage"), report, refused };
}
