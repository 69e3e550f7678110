import { THINKING_LEVELS } from "../../../schema/index.js";
import { fittingRows } from "../../models/index.js";
import type { SlashCommand } from "../slash.js";
import type { Ui } from "../ui.js";
import { OWN_LEVEL } from "./pages.js";

/** More than anybody looks through; typing on finds the others. */
const MOST = 50;
const LEVEL = new RegExp(`:(?:${THINKING_LEVELS.join("|")})$`, "iu");

/** What may follow `/model` and `/thinking`, each as the whole line it makes. */
export function argumentMatches(ui: Ui): readonly SlashCommand[] {
  const [, name, typed = ""] = /^\/(model|thinking) +(\S*)$/iu.exec(ui.draft.text) ?? [];
  if (name === undefined || ui.models === undefined) return [];
  return name.toLowerCase() === "model" ? modelMatches(ui, typed) : levelMatches(ui, typed.toLowerCase());
}

function modelMatches({ models }: Ui, typed: string): readonly SlashCommand[] {
  const level = LEVEL.exec(typed)?.[0] ?? "";
  return fittingRows(models?.rows ?? [], typed.slice(0, typed.length - level.length))
    .slice(0, MOST)
    .map(({ selection, title, facts }) => ({
      name: `model ${selection}${level}`,
      argument: "",
      what: [title, ...facts.slice(0, 2)].filter((part) => part !== "" && part !== "?").join(" · "),
    }));
}

/** Those of the model in use; all there are where its own are not known. */
function levelMatches({ models, status }: Ui, typed: string): readonly SlashCommand[] {
  const row = models?.rows.find(({ ref }) => ref?.provider === status?.model.provider && ref?.model === status?.model.model);
  const levels = row?.levels ?? THINKING_LEVELS;
  return [...levels, OWN_LEVEL]
    .filter((level) => level.startsWith(typed))
    .map((level) => ({ name: `thinking ${level}`, argument: "", what: level === OWN_LEVEL ? "what the selection or the model says" : "" }));
}
