import type { PageAction } from "../../focus/index.js";
import type { PluginDeed, PluginRow } from "../../plugins/index.js";
import type { Command, Reduced, Ui } from "../ui.js";
import type { AdminDeed, PluginsPage, SurePage } from "./page.js";
import { removalLines } from "../../plugins/index.js";

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

const EMPTY_PAGE: PluginsPage = {
  type: "plugins",
  rows: undefined,
  chosen: undefined,
  isOpen: false,
  busy: "looking for plugins",
  message: undefined,
};

const asking = (deed: AdminDeed): Command => ({ type: "admin", deed });

export const openPlugins = (ui: Ui): Reduced => stay({ ...ui, overlay: EMPTY_PAGE, detailTop: 0 }, asking({ type: "list" }));

/** What trust would allow is looked up first; the page opens when it is known. */
export const askTrust = (ui: Ui): Reduced => stay(ui, asking({ type: "ask-trust" }));

export const pluginsPage = ({ overlay }: Ui): PluginsPage | undefined =>
  typeof overlay === "object" && overlay.type === "plugins" ? overlay : undefined;

export const surePage = ({ overlay }: Ui): SurePage | undefined =>
  typeof overlay === "object" && overlay.type === "sure" ? overlay : undefined;

/** The row that keys are for. */
export const chosenRow = ({ rows, chosen }: PluginsPage): PluginRow | undefined => rows?.find(({ id }) => id === chosen) ?? rows?.[0];

const withPage = (ui: Ui, page: PluginsPage): Ui => ({ ...ui, overlay: page });

type SureAction = "sure-yes" | "sure-no";

export function actOnPage(ui: Ui, action: PageAction): Reduced {
  if (action === "sure-yes" || action === "sure-no") return answerSure(ui, action);
  const page = pluginsPage(ui);
  return page === undefined ? stay(ui) : actOnPlugins(ui, page, action);
}

/** Leads back to where it came from; what was agreed to is done there. */
function answerSure(ui: Ui, action: SureAction): Reduced {
  const page = surePage(ui);
  if (page === undefined || (action === "sure-yes" && page.yes === undefined)) return stay(ui);
  const isYes = action === "sure-yes";
  // Somebody who said no to trust was told of it.
  const untrusted = page.deed.type === "trust" && !isYes ? [] : ui.untrusted;
  const from = page.from === undefined || !isYes ? page.from : { ...page.from, busy: "working", message: undefined };
  return stay({ ...ui, untrusted, overlay: from ?? "none", detailTop: 0 }, ...(isYes ? [asking(page.deed)] : []));
}

function actOnPlugins(ui: Ui, page: PluginsPage, action: Exclude<PageAction, SureAction>): Reduced {
  switch (action) {
    case "row-up":
      return stay(withPage(ui, moved(page, -1)));
    case "row-down":
      return stay(withPage(ui, moved(page, 1)));
    case "open-row":
      return stay({ ...withPage(ui, { ...page, isOpen: page.rows !== undefined }), detailTop: 0 });
    case "page-back":
      return stay({ ...withPage(ui, { ...page, isOpen: false }), detailTop: 0 });
    case "reload-plugins":
      return begin(ui, page, "reading plugins again", { type: "reload" });
    case "able-plugin":
    case "approve-plugin":
    case "remove-plugin":
    case "trust-project":
      return deedOn(ui, page, action);
  }
}

function moved(page: PluginsPage, by: -1 | 1): PluginsPage {
  const { rows = [] } = page;
  const row = chosenRow(page);
  if (row === undefined) return page;
  const next = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + by))];
  return { ...page, chosen: next?.id, message: undefined };
}

const begin = (ui: Ui, page: PluginsPage, busy: string, deed: AdminDeed): Reduced =>
  page.busy === undefined ? stay(withPage(ui, { ...page, busy, message: undefined }), asking(deed)) : stay(ui);

const refuse = (ui: Ui, page: PluginsPage, text: string): Reduced => stay(withPage(ui, { ...page, message: { tone: "warning", text } }));

function deedOn(ui: Ui, page: PluginsPage, action: "able-plugin" | "approve-plugin" | "remove-plugin" | "trust-project"): Reduced {
  const row = chosenRow(page);
  if (row === undefined || page.busy !== undefined) return stay(ui);
  const { id, deeds } = row;
  const can = (deed: PluginDeed): boolean => deeds.includes(deed);
  switch (action) {
    case "able-plugin":
      if (can("disable")) return begin(ui, page, `disabling ${id}`, { type: "set-enabled", id, enabled: false });
      if (can("enable")) return begin(ui, page, `enabling ${id}`, { type: "set-enabled", id, enabled: true });
      return refuse(ui, page, notAble(row));
    case "approve-plugin":
      if (can("approve")) return begin(ui, page, `reading ${id}`, { type: "ask-approval", id });
      return refuse(ui, page, notApprovable(row));
    case "remove-plugin":
      if (can("remove")) return stay({ ...ui, overlay: removal(row, page), detailTop: 0 });
      return refuse(ui, page, `${id} was not installed by you, so smith does not delete it`);
    case "trust-project":
      return begin(ui, page, "looking at the project", { type: "ask-trust" });
  }
}

function notApprovable({ id, origin, state, deeds }: PluginRow): string {
  if (origin === "user") return `${id} needs no approval: ${state}`;
  return deeds.includes("trust") ? `${id} belongs to the project: t shows what trusting it would allow` : `${id} needs no approval`;
}

function notAble({ id, origin, state, deeds }: PluginRow): string {
  if (origin === "run") return `${id} was named for this run: start without --plugin to leave it out`;
  if (deeds.includes("approve")) return `${id} is ${state}: a shows what approving it would allow`;
  return deeds.includes("trust") ? `${id} waits for trust in the project: t` : `${id} cannot be used: ${state}`;
}

const removal = (row: PluginRow, from: PluginsPage): SurePage => ({
  type: "sure",
  title: `Remove ${row.id}?`,
  lines: removalLines(row),
  yes: "remove it",
  deed: { type: "remove", id: row.id },
  from,
  shownAt: undefined,
});
