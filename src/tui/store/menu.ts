import { withText } from "../composer/index.js";
import { argumentMatches } from "./models/index.js";
import { type SlashCommand, slashMatches } from "./slash.js";
import { takesText, type Ui } from "./ui.js";

/** The commands that the draft may become, and which of them is chosen. */
export interface Menu {
  readonly matches: readonly SlashCommand[];
  readonly chosen: SlashCommand;
  /** The draft is that command already: Enter runs it. */
  readonly isWhole: boolean;
}

/** Commands of plugins that are known. */
export const commandsOf = (ui: Ui): NonNullable<Ui["contributions"]>["commands"] => ui.contributions?.commands ?? [];

/** What the draft may become, also when its argument has begun. */
export function matchesOf(ui: Ui): readonly SlashCommand[] {
  if (!takesText(ui)) return [];
  const values = argumentMatches(ui);
  return values.length > 0 ? values : slashMatches(ui.draft.text, commandsOf(ui));
}

/** Undefined when there is nothing to choose: the draft is no command's name, or its argument has begun and is anything. */
export function menuOf(ui: Ui): Menu | undefined {
  const { text } = ui.draft;
  if (!takesText(ui)) return undefined;
  if (text.includes(" ")) return argumentMenu(ui);
  const matches = slashMatches(text, commandsOf(ui));
  const picked = ui.menu?.text === text ? ui.menu.name : undefined;
  const whole = text.slice(1).toLowerCase();
  const named = (name: string | undefined): SlashCommand | undefined => matches.find((each) => each.name === name);
  const chosen = named(picked) ?? named(whole) ?? matches[0];
  if (chosen === undefined) return undefined;
  return { matches, chosen, isWhole: chosen.name === whole || (picked === undefined && isAlias(ui, whole)) };
}

/** What was typed is run as it is, unless one of the values was chosen. */
function argumentMenu(ui: Ui): Menu | undefined {
  const matches = argumentMatches(ui);
  const picked = ui.menu?.text === ui.draft.text ? matches.find(({ name }) => name === ui.menu?.name) : undefined;
  const chosen = picked ?? matches[0];
  return chosen === undefined ? undefined : { matches, chosen, isWhole: picked === undefined || `/${picked.name}` === ui.draft.text };
}

const isAlias = (ui: Ui, word: string): boolean => commandsOf(ui).some(({ aliases }) => aliases.includes(word));

/** The row before (-1) or after; around the ends. */
export function chooseNext(ui: Ui, { matches, chosen }: Menu, by: -1 | 1): Ui {
  const next = matches.at((matches.indexOf(chosen) + by) % matches.length) ?? chosen;
  return { ...ui, menu: { text: ui.draft.text, name: next.name } };
}

/** The chosen name in full; one that takes an argument gets its blank. */
export const completed = (ui: Ui, { chosen }: Menu): Ui => ({
  ...ui,
  draft: withText(ui.draft, `/${chosen.name}${chosen.argument === "" ? "" : " "}`),
});
