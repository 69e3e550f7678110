import { closest } from "../../../base/index.js";
import type { Contributions, ThemeInfo } from "../../plugins/index.js";
import { sanitizeLine } from "../../text/index.js";
import { BUILTIN_THEMES, unknownStyles } from "../../theme/index.js";
import { shadowed } from "../slash.js";
import { tell } from "../toast.js";
import type { Command, Reduced, ThemeWanted, Ui } from "../ui.js";
import { compileBindings } from "./bindings.js";

/** What plugins bring is known, for the first time or anew. What of it cannot be used is remarked once. */
export function contributed(ui: Ui, contributions: Contributions): Reduced {
  const compiled = compileBindings(contributions.keys, contributions.commands);
  // Other plugins may bring other models.
  const next: Ui = { ...ui, contributions, bindings: compiled.bindings, models: undefined };
  const theme = themeCommands(next, ui.contributions === undefined);
  const remarks = [...shadowRemarks(contributions), ...compiled.remarks, ...theme.remarks];
  const remarked = remarkOnce(next, remarks);
  const told = toldChanges(remarked.ui, ui.contributions);
  return { ui: told.ui, commands: [...theme.commands, ...remarked.commands, ...told.commands] };
}

function remarkOnce(ui: Ui, remarks: readonly string[]): Reduced {
  const fresh = [...new Set(remarks)].filter((text) => !ui.remarked.has(text));
  if (fresh.length === 0) return { ui, commands: [] };
  return { ui: { ...ui, remarked: new Set([...ui.remarked, ...fresh]) }, commands: fresh.map((text) => ({ type: "remark", text })) };
}

const shadowRemarks = ({ commands }: Contributions): readonly string[] =>
  shadowed(commands).map(
    ({ name, plugin }) => `/${sanitizeLine(name)} of ${sanitizeLine(plugin)} cannot be reached: smith has a command of that name itself.`,
  );

/** Plugins changed while smith runs: said when it is known what became of them. */
export const pluginsChanged = (ui: Ui, changed: readonly string[]): Reduced => {
  const names = changed.map((id) => sanitizeLine(id));
  const told = tell(ui, "info", `plugins changed: ${listed(names)}; in use from the next request`, CHANGED_MS);
  return { ui: { ...told.ui, changed: names }, commands: told.commands };
};

const CHANGED_MS = 8000;
const MAX_NAMED = 4;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMED ? names.join(", ") : `${names.slice(0, MAX_NAMED).join(", ")} and ${String(names.length - MAX_NAMED)} more`;

function toldChanges(ui: Ui, before: Contributions | undefined): Reduced {
  if (ui.changed.length === 0 || before === undefined) return { ui, commands: [] };
  const had = new Set(before.plugins.map(({ id }) => id));
  const has = new Set(ui.contributions?.plugins.map(({ id }) => id));
  const became = (id: string): string => (!had.has(id) ? "new" : has.has(id) ? "reloaded" : "gone");
  const groups = ["new", "reloaded", "gone"].flatMap((word) => {
    const ids = ui.changed.filter((id) => became(id) === word);
    return ids.length === 0 ? [] : [`${listed(ids)} ${word}`];
  });
  const told = tell(ui, "info", `plugins changed: ${groups.join(", ")}; in use from the next request`, CHANGED_MS);
  return { ui: { ...told.ui, changed: [] }, commands: told.commands };
}

/** Themes by the names a person may choose. */
export const themeNames = (ui: Ui): readonly string[] => [...BUILTIN_THEMES, ...(ui.contributions?.themes ?? []).map(({ name }) => name)];

function themeNamed(ui: Ui, name: string): ThemeWanted | "unknown" {
  if (name === "dark" || name === "light") return name;
  return ui.contributions?.themes.find((each) => each.name === name) ?? "unknown";
}

/** The chosen theme as it is now; one that is gone or never was gives way to the built-in ones. */
function themeCommands(ui: Ui, isFirst: boolean): { readonly commands: readonly Command[]; readonly remarks: readonly string[] } {
  if (ui.theme === undefined) return { commands: [], remarks: [] };
  const theme = themeNamed(ui, ui.theme);
  if (theme === "unknown") return { commands: isFirst ? [] : [{ type: "theme", theme: undefined }], remarks: [noTheme(ui, ui.theme)] };
  return { commands: [{ type: "theme", theme }], remarks: typeof theme === "object" ? styleRemarks(theme) : [] };
}

const noTheme = (ui: Ui, name: string): string => {
  const near = closest(name, themeNames(ui));
  const hint = near === undefined ? `there are ${themeNames(ui).map(sanitizeLine).join(", ")}` : `did you mean ${sanitizeLine(near)}?`;
  return `There is no theme ${sanitizeLine(name)}; ${hint}`;
};

function styleRemarks(theme: ThemeInfo): readonly string[] {
  const unknown = unknownStyles(theme).map((name) => sanitizeLine(name));
  if (unknown.length === 0) return [];
  const [name, by] = [sanitizeLine(theme.name), sanitizeLine(theme.plugin)];
  return [`The theme ${name} of ${by} names styles that do not exist: ${listed(unknown)}. Its other styles are used.`];
}

/** `/theme`: what there is. `/theme NAME`: that one from now on; `auto`: as the background is. */
export function chooseTheme(ui: Ui, name: string): Reduced {
  if (name === "") {
    const names = (ui.contributions?.themes ?? []).map((theme) => `${sanitizeLine(theme.name)} (${sanitizeLine(theme.plugin)})`);
    const now = ui.theme === undefined ? "auto" : sanitizeLine(ui.theme);
    return tell(ui, "info", `theme is ${now}; /theme takes ${["auto", ...BUILTIN_THEMES, ...names].join(", ")}`, 10_000);
  }
  const theme = name === "auto" ? undefined : themeNamed(ui, name);
  if (theme === "unknown") return tell(ui, "warning", noTheme(ui, name), 10_000);
  const remarked = remarkOnce({ ...ui, theme: name === "auto" ? undefined : name }, typeof theme === "object" ? styleRemarks(theme) : []);
  const told = tell(remarked.ui, "info", `theme is ${sanitizeLine(name)} for this run; the setting ui.theme keeps one`);
  return { ui: told.ui, commands: [{ type: "theme", theme }, ...remarked.commands, ...told.commands] };
}
