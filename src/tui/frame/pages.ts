import { helpLines } from "../focus/index.js";
import type { PageLine, PluginRow } from "../plugins/index.js";
import {
  chosenRow,
  isObserver,
  modelsPage,
  type PluginsPage,
  pluginsPage,
  SLASH_COMMANDS,
  shadowed,
  surePage,
  type SurePage,
  type Ui,
} from "../store/index.js";
import { ellipsize, EMPTY_ROW, type Row, sanitizeLine, type Span, span, textWidth, wrapSpans } from "../text/index.js";
import type { PageView } from "./chrome-view.js";
import { modelsPageOf } from "./model-page.js";
import type { Page } from "./page.js";

const PAGE_COLUMNS = 78;

/** Of the page's box. It covers the whole width where little would be left beside it. */
const pageColumns = (columns: number): number => Math.max(10, columns <= PAGE_COLUMNS + 4 ? columns : PAGE_COLUMNS);

/** The page that is open, if one is. */
export function pageOf(ui: Ui): Page | undefined {
  const width = Math.max(6, pageColumns(ui.size.columns) - 4);
  const sure = surePage(ui);
  if (sure !== undefined) return surePageOf(sure, width);
  const plugins = pluginsPage(ui);
  if (plugins !== undefined) return pluginsPageOf(plugins, width);
  const models = modelsPage(ui);
  if (models !== undefined) return modelsPageOf(ui, models, width);
  if (ui.overlay !== "help") return undefined;
  return { title: "keys and commands", rows: helpRows(ui, width), footer: ["Esc closes"], focus: undefined, isText: true };
}

/** The page's box: as large as needed, never larger than the screen. Keys that do not fit on one row get another. */
export function pageView(ui: Ui, page: Page): PageView {
  const columns = pageColumns(ui.size.columns);
  const footer = footerRows(page.footer, columns - 4);
  const room = Math.max(1, ui.size.rows - 3 - footer.length);
  const rows = Math.min(page.rows.length + (page.head?.length ?? 0), room);
  const scrolls = page.isText && page.rows.length > rows;
  return {
    columns,
    rows,
    title: ellipsize(page.title, columns - 4),
    footer: scrolls ? footerRows(["↑ ↓ more", ...page.footer], columns - 4) : footer,
  };
}

function footerRows(parts: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const last = rows.at(-1);
    if (last !== undefined && textWidth(last) + 3 + textWidth(part) <= width) rows[rows.length - 1] = `${last} · ${part}`;
    else rows.push(ellipsize(part, width));
  }
  return rows;
}

const para = (text: string, width: number): readonly Row[] => wrapSpans([span(text, "muted")], { width });

/** The help page from the tables themselves, so it cannot be wrong. Who only reads along is told of nothing that writes. */
function helpRows(ui: Ui, width: number): readonly Row[] {
  const keyWidth = Math.min(24, Math.floor(width / 3));
  const entry = (keys: string, ...what: readonly Span[]): readonly Row[] => {
    const cut = textWidth(keys) >= keyWidth ? `${keys} ` : keys.padEnd(keyWidth);
    return wrapSpans(what, { width, first: [span(cut, "key")], rest: [span(" ".repeat(keyWidth))] });
  };
  const isReading = isObserver(ui);
  const keys = helpLines(isReading ? "observer" : "editor", new Set(ui.bindings.keys())).flatMap((line) =>
    entry(line.keys, span(line.what)),
  );
  const mouse = para(
    "The mouse: only the wheel is taken. Hold Shift (Option in iTerm2) while dragging to select text with the terminal.",
    width,
  );
  if (isReading) return [...keys, EMPTY_ROW, ...mouse];
  return [
    ...keys,
    ...[...ui.bindings.values()].flatMap(({ keys: bound, what, plugin }) => entry(bound, span(what), span(`  ${plugin}`, "faint"))),
    EMPTY_ROW,
    ...SLASH_COMMANDS.flatMap(({ name, what, argument }) => entry(`/${name}`, span(argument === "" ? what : `${what}: ${argument}`))),
    ...commandRows(ui, entry),
    EMPTY_ROW,
    ...para("A line that ends in \\ continues on the next one with Enter, for terminals that cannot tell Shift+Enter.", width),
    ...mouse,
  ];
}

/** Commands of plugins, with whose they are. */
function commandRows({ contributions }: Ui, entry: (keys: string, ...what: readonly Span[]) => readonly Row[]): readonly Row[] {
  if (contributions === undefined) return [];
  const hidden = new Set(shadowed(contributions.commands));
  const reachable = contributions.commands.filter((command) => !hidden.has(command));
  if (reachable.length === 0) return [];
  const rows = reachable.flatMap(({ name, aliases, usage, description, plugin }) => {
    const also = aliases.length === 0 ? "" : `, also ${aliases.map((alias) => `/${alias}`).join(" ")}`;
    const how = usage === undefined ? "" : `: ${usage}`;
    return entry(sanitizeLine(`/${name}`), span(sanitizeLine(`${description}${how}${also}`)), span(`  ${sanitizeLine(plugin)}`, "faint"));
  });
  return [EMPTY_ROW, ...rows];
}

const lineRows = (lines: readonly PageLine[], width: number): readonly Row[] =>
  lines.flatMap(({ text, style = "text", indent = 0, hang = 0 }) => {
    const [first, rest] = [[span(" ".repeat(indent))], [span(" ".repeat(indent + hang))]];
    return text === "" ? [EMPTY_ROW] : wrapSpans([span(text, style)], { width, first, rest });
  });

function surePageOf({ title, lines, yes }: SurePage, width: number): Page {
  return {
    title,
    rows: lineRows(lines, width),
    footer: yes === undefined ? ["Esc back"] : [`y ${yes}`, "n no", "Esc no"],
    focus: undefined,
    isText: true,
  };
}

function pluginsPageOf(page: PluginsPage, width: number): Page {
  const row = chosenRow(page);
  const told = messageRows(page, width);
  const base = { title: page.isOpen && row !== undefined ? row.id : "plugins", footer: deedKeys(page, row) };
  if (page.isOpen && row !== undefined)
    return { ...base, rows: [...told, ...lineRows(row.details, width)], focus: undefined, isText: true };
  const { rows } = page;
  if (rows === undefined) return { ...base, rows: told, focus: undefined, isText: false };
  const shown = rows.map((each) => pluginRow(each, each === row, width));
  return { ...base, rows: [...told, ...shown], focus: told.length + (row === undefined ? 0 : rows.indexOf(row)), isText: false };
}

const TONES = { info: "accent", warning: "warning", error: "error" } as const;

function messageRows({ busy, message }: PluginsPage, width: number): readonly Row[] {
  if (busy !== undefined) return [...wrapSpans([span(`${busy} …`, "accent")], { width }), EMPTY_ROW];
  return message === undefined ? [] : [...wrapSpans([span(message.text, TONES[message.tone])], { width }), EMPTY_ROW];
}

/** `› id  version  state`, and what it brings where there is room. */
function pluginRow(row: PluginRow, isChosen: boolean, width: number): Row {
  const mark = span(isChosen ? "› " : "  ", "accent");
  const state = row.isUsed ? (row.origin === "bundled" ? "" : ORIGIN[row.origin]) : row.state;
  const idRoom = Math.max(8, width - 2 - Math.min(textWidth(state) + 1, Math.floor(width / 2)));
  const id = ellipsize(row.id, idRoom);
  const spans: Span[] = [mark, span(id, isChosen ? "selection" : row.isUsed ? "text" : "muted")];
  let used = 2 + textWidth(id);
  const add = (text: string, style: Span["style"], column: number): void => {
    const gap = Math.max(1, column - used);
    if (text === "" || used + gap + textWidth(text) > width) return;
    spans.push(span(" ".repeat(gap)), span(text, style));
    used += gap + textWidth(text);
  };
  const style = row.isWrong ? "warning" : row.isUsed ? "accent" : "muted";
  if (width >= 60) add(row.version, "muted", 36);
  const shownState = ellipsize(state, Math.max(0, width - used - 1));
  add(shownState, style, width >= 60 ? 46 : used + 1);
  if (row.isUsed && state === "") add(ellipsize(row.brings, Math.max(0, width - Math.max(used + 1, 46))), "muted", 46);
  return { spans };
}

const ORIGIN: Readonly<Record<PluginRow["origin"], string>> = { bundled: "", user: "installed", project: "project", run: "this run" };

/** Only keys that do something where the person is. */
function deedKeys(page: PluginsPage, row: PluginRow | undefined): readonly string[] {
  const can = new Set(row?.deeds);
  return [
    ...(page.isOpen ? [] : ["Enter details"]),
    ...(can.has("enable") ? ["e enable"] : can.has("disable") ? ["e disable"] : []),
    ...(can.has("approve") ? ["a approve"] : []),
    ...(can.has("remove") ? ["d remove"] : []),
    ...(can.has("trust") ? ["t trust project"] : []),
    "r reload",
    page.isOpen ? "Esc back" : "Esc closes",
  ];
}
