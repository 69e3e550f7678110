import type { Action, JsonValue, NamedValues } from "smith-agent/plugin";
import type { Remembered } from "./decide.js";

/** Declared state: rules of the project, and those of one session. */
export const STATES = { project: { key: "rules", scope: "project" }, session: { key: "rules-session", scope: "session" } } as const;

export type Keeping = keyof typeof STATES;

/** Rules in one list. When there are more, the oldest ones that allow go first. */
export const MAX_REMEMBERED = 200;

export const rememberedIn = (values: NamedValues): { readonly [Where in Keeping]: readonly Remembered[] } => ({
  project: readList(values[STATES.project.key]),
  session: readList(values[STATES.session.key]),
});

/** A stored list. What is no entry of one is left out. */
export function readList(value: JsonValue | undefined): readonly Remembered[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonValue[]).flatMap((item) => {
    if (typeof item !== "object" || item === null || !("rule" in item) || !("verdict" in item)) return [];
    const { rule, verdict } = item;
    return typeof rule === "string" && (verdict === "allow" || verdict === "deny") ? [{ rule, verdict }] : [];
  });
}

/** The list with these rules newest, each once. */
export function withRules(list: readonly Remembered[], verdict: Remembered["verdict"], rules: readonly string[]): readonly Remembered[] {
  const kept = [...withoutRules(list, rules), ...rules.map((rule) => ({ verdict, rule }))];
  while (kept.length > MAX_REMEMBERED)
    kept.splice(
      Math.max(
        0,
        kept.findIndex((one) => one.verdict === "allow"),
      ),
      1,
    );
  return kept;
}

export const withoutRules = (list: readonly Remembered[], rules: readonly string[]): readonly Remembered[] =>
  list.filter(({ rule }) => !rules.includes(rule));

export const store = (where: Keeping, list: readonly Remembered[]): Action => ({
  type: "set-state",
  ...STATES[where],
  value: list.length === 0 ? null : list.map(({ verdict, rule }) => ({ verdict, rule })),
});
