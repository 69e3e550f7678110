import { plural } from "../../../base/index.js";
import type { CommandContext } from "../../context.js";
import { put } from "../../output/answers.js";
import { localMinute } from "../../output/time.js";
import { visibleLine } from "../../output/visible.js";
import { HELP_COLUMNS } from "../../output/width.js";
import { targetWords } from "../desk.js";
import type { Used } from "../used.js";
import { wrap } from "../../output/wrap.js";
import type { Keyless, Listing } from "./listing.js";

export interface RemarksView {
  readonly used: Used;
  readonly words: string;
  readonly refreshedAt: number | undefined;
}

/** What a person should know beside the table, a paragraph each. */
export function remarksOf({ names, models, leftOut, keyless, unasked }: Listing, view: RemarksView): readonly string[] {
  const { words, refreshedAt } = view;
  const isEmpty = names.length + models.length === 0;
  const asked =
    refreshedAt === undefined ? "Servers were never asked for their models" : `Servers were last asked ${localMinute(refreshedAt)}`;
  return [
    ...(isEmpty && words !== "" ? [`No model that can be asked has these words in its name: ${words}.`] : []),
    ...(leftOut === 0
      ? []
      : [`${plural(leftOut, "model")} of providers that are not set up ${leftOut === 1 ? "has" : "have"} these words, too: --all.`]),
    ...usedWords(view.used),
    `${asked}; smith models refresh asks them.`,
    ...(unasked.length === 0 ? [] : [`Set up, and nothing is known of their models yet: ${unasked.join(", ")}.`]),
    ...keylessWords(keyless),
  ];
}

function usedWords({ route, selection, why }: Used): readonly string[] {
  if (!route.ok) return [];
  const [first] = route.value.targets;
  const name = targetWords(first);
  const level = first.thinking === undefined ? "" : `, thinking ${first.thinking}`;
  const isSame = selection === undefined || selection === name || selection === `${name}:${first.thinking ?? ""}`;
  return [`* Used when nothing is chosen: ${isSame ? "" : `${selection}, which is `}${name}${level} (${why}).`];
}

function keylessWords(keyless: readonly Keyless[]): readonly string[] {
  if (keyless.length === 0) return [];
  const each = keyless.map(({ name, lookedAt }) => {
    const variable = lookedAt.find((place) => !place.includes(":"));
    return variable === undefined ? name : `${name} (${variable})`;
  });
  return [`Not set up: ${each.join(", ")}. Set the variable, or store a key: smith auth login NAME.`];
}

/** Below a table on the terminal; on standard error where the table is data for somebody else. */
export async function tell(context: CommandContext, remarks: readonly string[]): Promise<void> {
  const { stdout } = context.host;
  if (!stdout.isTerminal) {
    context.out.push();
    for (const remark of remarks) context.errors.line(remark);
    return;
  }
  const width = stdout.columns === undefined || stdout.columns === 0 ? HELP_COLUMNS : stdout.columns;
  const lines = remarks.flatMap((remark) => wrap(visibleLine(remark), width, "  "));
  await put(context, lines.map((line) => `${context.paint("dim", line)}\n`).join(""));
}
