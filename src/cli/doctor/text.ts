import { plural } from "../../base/index.js";
import type { Paint, Tint } from "../output/colour.js";
import { visibleLine } from "../output/visible.js";
import { wrap } from "../output/wrap.js";
import type { Finding, FindingState } from "./finding.js";

const GROUPS: readonly (readonly [Finding["group"], string])[] = [
  ["program", "Program"],
  ["places", "Folders"],
  ["settings", "Settings"],
  ["models", "Models"],
  ["secrets", "Secrets"],
  ["tools", "Tools"],
  ["plugins", "Plugins"],
  ["servers", "MCP servers"],
];

const MARKS: Readonly<Record<FindingState, string>> = { ok: "[ok]", note: "[--]", warning: "[!!]", error: "[XX]" };

const TINTS: Readonly<Record<FindingState, Tint>> = { ok: "cyan", note: "dim", warning: "yellow", error: "red" };

const MIN_COLUMNS = 40;

/** All of it for a person, a line each in its group. Nothing in it can act on a terminal but the colours of `paint`. */
export function textOf(findings: readonly Finding[], paint: Paint, columns: number): string {
  const width = Math.max(columns, MIN_COLUMNS);
  const names = Math.max(...findings.map(({ name }) => Math.min(visibleLine(name).length, MAX_NAME)));
  const lines = GROUPS.flatMap(([group, title]) => {
    const rows = findings.filter((finding) => finding.group === group);
    return rows.length === 0 ? [] : [paint("bold", title), ...rows.flatMap((row) => linesOf(row, { paint, width, names })), ""];
  });
  return [...lines, ending(findings, paint)].map((line) => `${line}\n`).join("");
}

const MAX_NAME = 16;

function linesOf({ name, state, text, next }: Finding, at: { paint: Paint; width: number; names: number }): readonly string[] {
  const { paint, width, names } = at;
  const start = `  ${MARKS[state]} `;
  const indent = " ".repeat(start.length + names + 2);
  const body = wrap(`${visibleLine(name).padEnd(names)}  ${visibleLine(text)}`, width - start.length, indent);
  const advice = next === undefined ? [] : wrap(`${indent}${visibleLine(next)}`, width, indent);
  return [
    ...body.map((line, index) => (index === 0 ? `  ${paint(TINTS[state], MARKS[state])} ${line}` : line)),
    ...advice.map((line) => paint("dim", line)),
  ];
}

function ending(findings: readonly Finding[], paint: Paint): string {
  const errors = findings.filter(({ state }) => state === "error").length;
  const warnings = findings.filter(({ state }) => state === "warning").length;
  if (errors > 0) return paint("red", `${plural(errors, "error")} and ${plural(warnings, "warning")}: a run would fail.`);
  return warnings > 0 ? paint("yellow", `${plural(warnings, "warning")}.`) : "Everything works that was looked at.";
}
