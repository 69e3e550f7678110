import type { Diagnostic } from "../../schema/index.js";
import type { GrantLine } from "../types.js";

export type CheckStep =
  | { readonly type: "manifest"; readonly problems: readonly Diagnostic[] }
  /** The module was evaluated in the sandbox; `missing` is declared and not exported. */
  | { readonly type: "module"; readonly problems: readonly Diagnostic[]; readonly missing: readonly string[] }
  | { readonly type: "test"; readonly file: string; readonly name: string; readonly passed: boolean; readonly words?: string }
  | { readonly type: "grants"; readonly grants: readonly GrantLine[] };

export interface CheckReport {
  readonly isSound: boolean;
  readonly tests: { readonly passed: number; readonly failed: number };
}
