import type { Diagnostic } from "../../schema/index.js";

/** `note` is for knowing, `warning` for what was asked for and does not work, `error` for what a run would fail of. */
export type FindingState = "ok" | "note" | "warning" | "error";

/** One thing that was looked at. */
export interface Finding {
  readonly group: "program" | "places" | "settings" | "models" | "secrets" | "tools" | "plugins" | "servers";
  /** Unique within its group. */
  readonly name: string;
  readonly state: FindingState;
  readonly text: string;
  /** What to do about it; absent where there is nothing to do. */
  readonly next?: string;
  /** Of the diagnostic that a run would give. */
  readonly code?: string;
}

/** What a run would say, as a finding. An error of a plugin or a file may be one that a run goes on without: `state` says which. */
export const findingOf = (
  group: Finding["group"],
  name: string,
  { what, why, next, code, severity, source }: Diagnostic,
  state: FindingState = severity,
): Finding => ({
  group,
  name,
  state,
  text: `${placeOf(source)}${sentence(what)} ${why}`,
  next,
  code,
});

const placeOf = (source: Diagnostic["source"]): string =>
  source?.type === "file" ? `${[source.path, source.line, source.column].filter((part) => part !== undefined).join(":")}: ` : "";

const sentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`);
