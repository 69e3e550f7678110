import { matchesOf, menuOf, type SlashCommand, type Ui } from "../store/index.js";
import { ellipsize, sanitizeLine, textWidth } from "../text/index.js";
import type { Piece } from "./chrome-view.js";

const piece = (text: string, style: Piece["style"]): Piece => ({ text, style });

const maxRows = (rows: number): number => Math.max(3, Math.min(10, Math.floor(rows / 3)));

/** The commands that fit what is typed, around the chosen one, and how many others there are. */
export function completionRows(ui: Ui): readonly (readonly Piece[])[] {
  const matches = matchesOf(ui);
  const chosen = menuOf(ui)?.chosen.name;
  const most = maxRows(ui.size.rows);
  const at = Math.max(
    0,
    matches.findIndex(({ name }) => name === chosen),
  );
  const first = matches.length <= most ? 0 : Math.min(Math.max(0, at - Math.floor(most / 2)), matches.length - most);
  const shown = matches.slice(first, first + most);
  const names = namesake(matches);
  const rows = shown.map((command) => completionRow(command, { isChosen: command.name === chosen, names, columns: ui.size.columns }));
  const hidden = matches.length - shown.length;
  return hidden === 0 ? rows : [...rows, [piece(`   … ${String(hidden)} more, type on to find one`, "hint")]];
}

interface RowView {
  readonly isChosen: boolean;
  /** Last parts of names that several plugins use. */
  readonly names: ReadonlySet<string>;
  readonly columns: number;
}

/** Name and arguments stay, the description gives way; whose it is where that is not plain. */
function completionRow({ name, argument, what, plugin }: SlashCommand, { isChosen, names, columns }: RowView): readonly Piece[] {
  const usage = argument === "" ? "" : ` ${sanitizeLine(argument)}`;
  const isUnclear = plugin !== undefined && (!plugin.startsWith("smith.") || names.has(lastPart(name)));
  const by = isUnclear ? `  ${sanitizeLine(plugin)}` : "";
  const head = ` ${isChosen ? "›" : " "} /${sanitizeLine(name)}`;
  const room = columns - textWidth(head) - textWidth(usage) - textWidth(by) - 1;
  const told = room >= 10 ? ellipsize(`  ${sanitizeLine(what)}`, room) : "";
  return [
    piece(isChosen ? " › " : "   ", "key"),
    piece(`/${sanitizeLine(name)}`, isChosen ? "selection" : "key"),
    piece(usage, "muted"),
    piece(told, "hint"),
    piece(by, "faint"),
  ];
}

const lastPart = (name: string): string => name.split(":").at(-1) ?? name;

function namesake(matches: readonly SlashCommand[]): ReadonlySet<string> {
  const owners = new Map<string, Set<string>>();
  for (const { name, plugin = "" } of matches) owners.set(lastPart(name), (owners.get(lastPart(name)) ?? new Set()).add(plugin));
  return new Set([...owners].flatMap(([name, plugins]) => (plugins.size > 1 ? [name] : [])));
}
