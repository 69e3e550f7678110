import { isJsonObject, type JsonValue } from "../../base/index.js";
import { elapsed, spinner } from "../render/index.js";
import type { Approval, Ui } from "../store/index.js";
import { EMPTY_ROW, reveal, type Row, span, textWidth, wrapSpans } from "../text/index.js";
import type { FrameSize } from "../first-frame.js";
import { WELCOME } from "../first-frame.js";

/** A value that has no parts, and the names that lead to it. */
type Leaf = readonly [name: string, value: string];

const MAX_LABEL = 20;

/** Every value of the arguments on lines of its own, so that text reads as it will be used and not as JSON. */
function leaves(name: string, value: JsonValue): readonly Leaf[] {
  const under = (part: string): string => (name === "" ? part : `${name} ${part}`);
  if (typeof value === "string") return [[name, value]];
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item: JsonValue, index) => leaves(value.length === 1 ? name : under(String(index + 1)), item));
  if (isJsonObject(value) && Object.keys(value).length > 0) return Object.entries(value).flatMap(([key, item]) => leaves(under(key), item));
  return name === "" ? [] : [[name, JSON.stringify(value)]];
}

/** What a person is asked to allow: every argument whole, with control characters spelled out. */
export function questionRows(approval: Approval, width: number): readonly Row[] {
  const named = leaves("", approval.args);
  const lines: readonly Leaf[] = named.length === 0 ? [["", approval.argsSummary]] : named.map(([name, value]) => [reveal(name), value]);
  const single = lines.length === 1;
  const column = Math.min(MAX_LABEL, Math.floor(width / 3), Math.max(...lines.map(([name]) => textWidth(name) + 2)));
  return lines.flatMap(([name, value]) => {
    const shown = reveal(value).split("\n");
    const label = single ? [] : [span(`${name}${" ".repeat(Math.max(1, column - textWidth(name)))}`, "muted")];
    return shown.flatMap((line, index) => {
      const rest = [span(single ? "" : " ".repeat(column))];
      return wrapSpans([span(line, single ? "strong" : "text")], { width, first: index === 0 ? label : rest, rest, anywhere: true });
    });
  });
}

/** What an empty transcript shows. */
export function welcomeRows(ui: Ui): readonly Row[] {
  const width = Math.min(ui.size.columns - 1, 100);
  const para = (text: string, style: "text" | "muted" | "error" = "text"): readonly Row[] =>
    wrapSpans([span(text, style)], { width, first: [span("   ")], rest: [span("   ")] });
  const rows: Row[] = [EMPTY_ROW, ...para(WELCOME.trim())];
  if (ui.failure !== undefined) {
    const { what, why, next } = ui.failure;
    rows.push(EMPTY_ROW, ...para(reveal(what), "error"), ...para(reveal(why), "muted"), ...para(`→ ${reveal(next)}`));
  } else if (ui.status?.modelSource === "offline") {
    rows.push(
      EMPTY_ROW,
      ...para(
        "No API key and no local model server found, so a small built-in offline model answers: it lists, reads, searches, replaces and runs what you name.",
      ),
      EMPTY_ROW,
      ...para("try:  find TODO            read package.json            replace foo by bar in src/a.ts", "muted"),
      ...para("connect a model:  smith auth login NAME, or smith models list for more", "muted"),
    );
  }
  return rows;
}

/** Spinner and seconds since the turn began. */
export function activityText(tick: number, now: number, startedAt: number): string {
  return ` ${spinner(tick)} ${elapsed(now - startedAt)}`;
}

/** The row between transcript and editor while the newest rows are out of sight. */
export function markerRow(size: FrameSize, newRows: number, max: number): Row {
  const count = newRows === 0 ? "▼ latest" : `▼ ${newRows > max ? `${String(max)}+` : String(newRows)} new`;
  const label = ` ${count} · ctrl+end `;
  const rule = Math.max(0, size.columns - label.length - 3);
  return { spans: [span(` ${"─".repeat(rule)}`, "rule"), span(label, "marker"), span("──", "rule")] };
}
