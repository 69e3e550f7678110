import { plural, shortId } from "../base/index.js";
import type { RuntimeSession } from "../runtime/index.js";
import { money } from "./render/index.js";
import type { Ui } from "./store/index.js";
import { rowText, sanitize } from "./text/index.js";
import { FOLLOW, look, type TranscriptRows, type TranscriptStore } from "./transcript/index.js";

export interface FarewellParts {
  readonly ui: Ui;
  readonly store: TranscriptStore;
  readonly rows: TranscriptRows;
  readonly session: RuntimeSession | undefined;
  readonly tailRows: number;
  /** What went wrong inside of smith, if that is why it ends. */
  readonly fatal: unknown;
}

/** What stays on the normal screen: the transcript's tail, what was done, how to come back. Plain text. */
export function farewell(parts: FarewellParts): string {
  const lines: string[] = [...tail(parts), ...totals(parts)];
  if (parts.fatal !== undefined) lines.push(...fatalLines(parts.fatal));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function tail({ ui, store, rows, tailRows }: FarewellParts): readonly string[] {
  if (store.isEmpty || tailRows <= 0) return [];
  rows.look({ width: ui.size.columns, expanded: false, tick: 0, now: 0 });
  const lines = look(rows, FOLLOW, tailRows).rows.map((line) => rowText(line).trimEnd());
  return [...(lines[0] === "" ? lines.slice(1) : lines), ""];
}

function totals({ ui, store, session }: FarewellParts): readonly string[] {
  if (session === undefined || store.isEmpty) return [];
  const facts = [
    ui.turns > 0 ? plural(ui.turns, "turn") : "",
    money(ui.status ?? {}) ?? "",
    ui.files.size > 0 ? `${plural(ui.files.size, "file")} changed` : "",
  ].filter((fact) => fact !== "");
  return [...(facts.length > 0 ? [` ${facts.join(" · ")}`] : []), ...ways(session, ui.stuck)];
}

/** Commands that lead on from here; none to a session that was deleted. */
function ways(session: RuntimeSession, stuck: Ui["stuck"]): readonly string[] {
  const id = shortId(session.id);
  const { access, owner } = session.status();
  if (access === "write") return [` resume:  smith -r ${id}      read:  smith sessions get ${id}`];
  if (owner !== undefined) return [` observe again:  smith -r ${id}      work in a copy:  smith --fork ${id}`];
  if (stuck === "removed") return [];
  if (stuck === "unwritable") return [` repair:  smith sessions repair ${id}      read:  smith sessions get ${id}`];
  return [` resume:  smith -r ${id}      work in a copy:  smith --fork ${id}`];
}

function fatalLines(fatal: unknown): readonly string[] {
  const text = fatal instanceof Error ? (fatal.stack ?? fatal.message) : String(fatal);
  return [
    " smith stopped because of a bug of its own; the terminal was restored and the session file is complete up to here.",
    ...sanitize(text)
      .split("\n")
      .map((line) => ` ${line}`),
  ];
}
