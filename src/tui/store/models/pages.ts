import { closest } from "../../../base/index.js";
import { isThinkingLevel, type ModelRef, THINKING_LEVELS } from "../../../schema/index.js";
import { EMPTY_DRAFT } from "../../composer/index.js";
import type { ModelAction } from "../../focus/index.js";
import { fittingRows, type ModelRow } from "../../models/index.js";
import { sanitizeLine } from "../../text/index.js";
import { sendChange } from "../outgoing.js";
import { tell } from "../toast.js";
import type { Command, Reduced, Ui } from "../ui.js";
import type { ModelDeed, ModelNews, ModelsPage } from "./page.js";

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });
const asking = (deed: ModelDeed): Command => ({ type: "models", deed });

const TOLD_MS = 10_000;
/** What a person types to leave the level to the selection and the model. */
export const OWN_LEVEL = "auto";

export const modelsPage = ({ overlay }: Ui): ModelsPage | undefined =>
  typeof overlay === "object" && overlay.type === "models" ? overlay : undefined;

/** Rows that fit what was typed. */
export const shownModels = (ui: Ui, page: ModelsPage): readonly ModelRow[] => fittingRows(ui.models?.rows ?? [], page.filter.text);

/** The row that keys are for: the chosen one while it is shown, else the one in use where nothing is looked for, else the first. */
export function chosenModel(ui: Ui, page: ModelsPage): ModelRow | undefined {
  const rows = shownModels(ui, page);
  const first = page.filter.text.trim() === "" ? rows.find((row) => isCurrent(ui, row)) : undefined;
  return rows.find(({ selection }) => selection === page.chosen) ?? first ?? rows[0];
}

/** It is what the session was told to use. */
export function isCurrent({ status }: Ui, { selection, ref }: ModelRow): boolean {
  if (status === undefined) return false;
  if (status.selection !== undefined) return status.selection === selection;
  return ref !== undefined && ref.provider === status.model.provider && ref.model === status.model.model;
}

/** `/model`: what there is. `/model SELECTION`: that one from the next request on. */
export function chooseModel(ui: Ui, selection: string): Reduced {
  if (selection !== "") return sendChange(ui, `/model ${selection}`, { type: "set-model", selection });
  if (ui.phase !== "ready") return tell(ui, "warning", ui.phase === "failed" ? "no session is open; Ctrl-D quits" : "still starting");
  const page: ModelsPage = { type: "models", filter: EMPTY_DRAFT, chosen: undefined };
  return stay({ ...ui, overlay: page, models: undefined, detailTop: 0 }, asking({ type: "list" }));
}

/** `/thinking`: which level it is and which there are. `/thinking LEVEL`: that one from the next request on. */
export function chooseThinking(ui: Ui, word: string): Reduced {
  const level = word.toLowerCase();
  if (level === "") {
    const { status } = ui;
    return status === undefined ? tell(ui, "warning", "still starting") : stay(ui, asking({ type: "levels", model: status.model }));
  }
  if (level === OWN_LEVEL) return sendChange(ui, `/thinking ${level}`, { type: "set-thinking", level: undefined });
  if (isThinkingLevel(level)) return sendChange(ui, `/thinking ${level}`, { type: "set-thinking", level });
  const near = closest(level, THINKING_LEVELS);
  const hint = near === undefined ? `there are ${THINKING_LEVELS.join(", ")}, ${OWN_LEVEL}` : `did you mean ${near}?`;
  return tell(ui, "warning", `${sanitizeLine(word)} is not a level; ${hint}`, TOLD_MS);
}

/** Names and levels can be completed once they are known; asked for when the first of them is typed. */
export const wantsModels = ({ draft, models, overlay, phase }: Ui): boolean =>
  models === undefined && phase === "ready" && overlay === "none" && /^\/(?:model|thinking) /iu.test(draft.text);

export function modelNews(ui: Ui, news: ModelNews): Reduced {
  switch (news.type) {
    case "listed":
      return stay({ ...ui, models: { rows: news.rows, preset: news.preset } });
    case "kept":
      return tell(
        ui.models === undefined ? ui : { ...ui, models: { ...ui.models, preset: news.selection } },
        "info",
        `${sanitizeLine(news.selection)} is the default now, in ${sanitizeLine(news.path)}`,
        TOLD_MS,
      );
    case "levels":
      return tell(ui, "info", levelsText(ui, news), TOLD_MS);
    case "failed":
      return tell(
        modelsPage(ui) === undefined ? ui : { ...ui, overlay: "none" },
        "error",
        sanitizeLine(`${news.diagnostic.what} ${news.diagnostic.next}`.trim()),
        TOLD_MS,
      );
  }
}

function levelsText({ status }: Ui, { model, levels }: Extract<ModelNews, { readonly type: "levels" }>): string {
  const now = status?.thinking === undefined ? "no level of thinking is asked for" : `thinking is ${status.thinking}`;
  const name = nameOf(model);
  if (levels === undefined) return `${now}; it is not known which levels ${name} has`;
  if (levels.length === 0) return `${now}; ${name} does not think before it answers`;
  return `${now}; ${name} has ${levels.join(", ")}: /thinking LEVEL, or ${OWN_LEVEL}`;
}

const nameOf = ({ provider, model }: ModelRef): string => sanitizeLine(model === "" ? provider : model);

export function actOnModels(ui: Ui, action: ModelAction): Reduced {
  const page = modelsPage(ui);
  if (page === undefined) return stay(ui);
  switch (action) {
    case "model-up":
      return stay(moved(ui, page, -1));
    case "model-down":
      return stay(moved(ui, page, 1));
    case "model-page-up":
      return stay(moved(ui, page, -PAGE));
    case "model-page-down":
      return stay(moved(ui, page, PAGE));
    case "take-model":
      return take(ui, page, false);
    case "keep-model":
      return take(ui, page, true);
  }
}

const PAGE = 8;

function moved(ui: Ui, page: ModelsPage, by: number): Ui {
  const rows = shownModels(ui, page);
  const row = chosenModel(ui, page);
  if (row === undefined) return ui;
  const next = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + by))];
  return { ...ui, overlay: { ...page, chosen: next?.selection } };
}

/** The page closes: what became of it is said below. */
function take(ui: Ui, page: ModelsPage, isKept: boolean): Reduced {
  const row = chosenModel(ui, page);
  if (row === undefined) return stay(ui);
  const { selection } = row;
  const kept = isKept ? [asking({ type: "keep", selection })] : [];
  return stay({ ...ui, overlay: "none", detailTop: 0 }, { type: "set-model", selection }, ...kept);
}
