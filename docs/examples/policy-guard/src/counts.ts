import type { Action, JsonObject, NamedValues } from "smith-agent/plugin";

/** What is kept with the session. */
export interface Counts {
  readonly turns: number;
  readonly changes: number;
  readonly denied: number;
  /** The turn whose first change was followed by the reminder. */
  readonly reminded: string;
}

/** From the values an event came with: no host operation is needed to read them. */
export function countsOf(values: NamedValues): Counts {
  const value = values["counts"];
  const stored: JsonObject = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const number = (name: string): number => (typeof stored[name] === "number" ? stored[name] : 0);
  return {
    turns: number("turns"),
    changes: number("changes"),
    denied: number("denied"),
    reminded: typeof stored["reminded"] === "string" ? stored["reminded"] : "",
  };
}

export const storing = (counts: Counts): Action => ({ type: "set-state", scope: "session", key: "counts", value: { ...counts } });

/** At most 60 characters are shown. */
export const showing = ({ turns, changes, denied }: Counts): Action => ({
  type: "set-status",
  key: "counts",
  text: [plural(turns, "turn"), plural(changes, "change"), ...(denied === 0 ? [] : [`${denied} denied`])].join(" · "),
  role: denied === 0 ? "muted" : "warning",
});

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
