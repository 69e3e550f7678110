import { shortId, type SessionId } from "../../base/index.js";
import type { SessionCost } from "../../runtime/index.js";
import { type Spend, spendWords, type Usage } from "../../schema/index.js";
import { type Paint, plain } from "../output/colour.js";
import { localMinute } from "../output/time.js";
import { visibleLine } from "../output/visible.js";

/** Tokens sent and received, for a table: `12,345 in, 678 out`; what is not known is left out. */
export function tokenWords(usage: Usage | undefined): string {
  const parts = [countWords(usage?.inputTokens, "in"), countWords(usage?.outputTokens, "out")].filter((part) => part !== undefined);
  return parts.length === 0 ? "-" : parts.join(", ");
}

const countWords = (count: number | undefined, word: string): string | undefined =>
  count === undefined ? undefined : `${count.toLocaleString("en-US")} ${word}`;

/** `$0.42 + 3 unpriced`; `-` where nothing was used. */
export const costWords = (spend: Spend): string => spendWords(spend) ?? "-";

/** What a session cost, by model, turn and branch. Ends with a newline. */
export function renderCost(cost: Omit<SessionCost, "messages">, session: SessionId, paint: Paint = plain): string {
  const { total, inherited, models, turns, branches } = cost;
  const rows: readonly (readonly [string, Spend])[] = [
    ["total", total],
    ...(spendWords(inherited) === undefined ? [] : [["inherited, not in the total", inherited] as const]),
  ];
  return [
    `${paint("bold", `Cost of session ${shortId(session)}`)}\n`,
    table(rows.map(([name, spend]) => [name, costWords(spend), tokenWords(spend.usage), cacheWords(spend.usage)])),
    section(
      "By model",
      models.map(({ model, responses, spend }) => [
        model === undefined ? "not told by a tool" : visibleLine(`${model.provider}/${model.model}`),
        costWords(spend),
        tokenWords(spend.usage),
        responses === 1 ? "1 response" : `${String(responses)} responses`,
      ]),
      paint,
    ),
    section("By turn", turns.map(turnRow), paint),
    section(
      "By branch, with what they share",
      branches.map(({ leaf, isSelected, spend }) => [
        `${shortId(leaf)}${isSelected ? " (selected)" : ""}`,
        costWords(spend),
        tokenWords(spend.usage),
      ]),
      paint,
    ),
  ].join("");
}

function turnRow({ work, parent, time, responses, spend, total }: SessionCost["turns"][number]): readonly string[] {
  const owner = parent === undefined ? "" : ` for ${shortId(parent)}`;
  const name = work === undefined ? "outside of turns" : `${shortId(work)}${owner}`;
  const isOwner = total !== spend && costWords(total) !== costWords(spend);
  const cost = isOwner ? `${costWords(spend)} (${costWords(total)} with the works it owns)` : costWords(spend);
  return [
    name,
    cost,
    tokenWords(spend.usage),
    `${localMinute(time)}, ${responses === 1 ? "1 response" : `${String(responses)} responses`}`,
  ];
}

function cacheWords(usage: Usage | undefined): string {
  const parts = [countWords(usage?.cacheReadTokens, "from a cache"), countWords(usage?.cacheWriteTokens, "into it")];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? "" : `of these ${known.join(", ")}`;
}

const section = (title: string, rows: readonly (readonly string[])[], paint: Paint): string =>
  rows.length === 0 ? "" : `\n${paint("bold", title)}\n${table(rows)}`;

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd() + "\n").join("");
}
