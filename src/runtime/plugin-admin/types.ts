import type { Result } from "../../base/index.js";
import type {
  Approval,
  CheckReport,
  CheckStep,
  Discovery,
  InstallPlan,
  PluginRecord,
  PluginStore,
  ScaffoldKind,
  TrustStore,
} from "../../plugin/index.js";
import type { Diagnostic } from "../../schema/index.js";

/** Looking after plugins without a session, model or terminal interface. Runs plugin code only in `check`, in the sandbox. */
export interface PluginAdmin extends Pick<PluginStore, "plan" | "remove" | "setEnabled" | "approval" | "approve"> {
  /** Every plugin there is, used or not, and why not. */
  discover(): Promise<Discovery>;
  readonly trust: TrustStore;
  /** Validates a package, loads it in the sandbox, runs its tests there. `report` is told of each step as it is done. */
  check(dir: string, options: { readonly signal: AbortSignal; readonly report: (step: CheckStep) => void }): Promise<CheckReport>;
  /** Writes a new package that works, with a test. Refused where the folder is there and not empty. */
  create(dir: string, options: { readonly id: string; readonly kind: PluginKind }): Promise<Result<readonly string[], Diagnostic>>;
  close(): Promise<void>;
}

export type PluginKind = ScaffoldKind;

export type { Approval, CheckReport, CheckStep, InstallPlan, PluginRecord };
