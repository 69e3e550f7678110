import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic, EntryType } from "../../../schema/index.js";
import { badKind } from "../diagnostics.js";
import type { KindFilter } from "../invocation.js";

/** What a person calls the entries of a session, in the order help shows them. */
const KINDS: Readonly<Record<string, readonly EntryType[]>> = {
  user: ["user-message"],
  assistant: ["assistant"],
  thinking: ["assistant"],
  tool: ["tool-call", "tool-result"],
  call: ["tool-call"],
  result: ["tool-result"],
  prompt: ["prompt"],
  request: ["request"],
  info: ["session-info"],
  compaction: ["compaction"],
  edit: ["context-edit"],
  state: ["branch-state", "state"],
  leaf: ["leaf"],
  origin: ["origin"],
  work: ["submission", "queue", "work", "receipt"],
  effect: ["effect-intent", "effect-done", "reconciled"],
  plugin: ["invocation", "actions"],
  lost: ["lost"],
  unknown: ["unknown"],
};

export const KIND_NAMES: readonly string[] = Object.keys(KINDS);

const TYPES: ReadonlySet<EntryType> = new Set(Object.values(KINDS).flat());

/** A kind, or a type as records have it. */
const typesOf = (name: string): readonly EntryType[] => KINDS[name] ?? [...TYPES].filter((type) => type === name);

/** `user,tool` as what it selects. Blanks around the words do not matter. */
export function parseKinds(text: string): Result<KindFilter, Diagnostic> {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => typesOf(name).length === 0);
  if (wrong !== undefined) return err(badKind(wrong, KIND_NAMES));
  const answers = names.includes("thinking") ? (names.includes("assistant") ? "both" : "thinking") : "text";
  return ok({ types: new Set(names.flatMap(typesOf)), answers });
}
