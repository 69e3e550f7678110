import { plural } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { approvalLines, type PluginApproval, projectLines, type ProjectState, projectWords } from "../../plugins/index.js";
import { sanitizeLine } from "../../text/index.js";
import { tell } from "../toast.js";
import type { Reduced, Ui } from "../ui.js";
import type { AdminNews, PluginsPage, SurePage } from "./page.js";
import { pluginsPage } from "./pages.js";

const stay = (ui: Ui): Reduced => ({ ui, commands: [] });

/** What became of something the administration was asked for. A page that was closed meanwhile stays closed. */
export function adminNews(ui: Ui, news: AdminNews): Reduced {
  const page = pluginsPage(ui);
  switch (news.type) {
    case "listed":
      return page === undefined ? stay(ui) : stay({ ...ui, overlay: listed(page, news) });
    case "project":
      return stay({ ...ui, untrusted: projectWords(news.project) });
    case "approval-known":
      return page === undefined ? stay(ui) : stay({ ...ui, overlay: approvalPage(news.approval, page), detailTop: 0 });
    case "trust-known":
      return trustKnown(ui, news.project, page);
    case "done":
      return said(news.isTrust === true ? { ...ui, untrusted: [] } : ui, page, { tone: "info", text: news.text });
    case "failed":
      return said(ui, page, { tone: "error", text: wordsOf(news.diagnostic) });
  }
}

const wordsOf = ({ what, next }: Diagnostic): string => sanitizeLine(`${what} ${next}`.trim());

const listed = (page: PluginsPage, { rows, problems }: Extract<AdminNews, { readonly type: "listed" }>): PluginsPage => {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${plural(problems.length - 1, "more problem")})` : "";
  const message = first === undefined ? undefined : { tone: "warning" as const, text: `${wordsOf(first)}${more}` };
  return { ...page, rows, busy: undefined, message: page.message ?? message };
};

/** Where the person is looking: on the page, else below. */
function said(ui: Ui, page: PluginsPage | undefined, message: NonNullable<PluginsPage["message"]>): Reduced {
  if (page === undefined) return tell(ui, message.tone, sanitizeLine(message.text), 10_000);
  return stay({ ...ui, overlay: { ...page, busy: undefined, message: { ...message, text: sanitizeLine(message.text) } } });
}

const approvalPage = (approval: PluginApproval, from: PluginsPage): SurePage => {
  const id = sanitizeLine(approval.id);
  return {
    type: "sure",
    title: `Approve ${id}?`,
    lines: approvalLines(approval),
    yes: "approve all of this",
    deed: { type: "approve", id: approval.id },
    from: { ...from, busy: undefined },
    shownAt: undefined,
  };
};

/** Nothing to decide is said where the person looks; a dialog that came up meanwhile goes first. */
function trustKnown(ui: Ui, project: ProjectState, page: PluginsPage | undefined): Reduced {
  const { behaviour, state } = project;
  if (behaviour === undefined) return said(ui, page, { tone: "info", text: "nothing in this project needs to be trusted" });
  if (state === "trusted")
    return said(ui, page, { tone: "info", text: "this project is trusted as it is; smith plugins trust tells how to take that back" });
  if (page === undefined && ui.overlay !== "none") return stay(ui);
  const sure: SurePage = {
    type: "sure",
    title: "Trust this project?",
    lines: projectLines(project),
    yes: behaviour.refused === undefined ? "trust it as it is now" : undefined,
    deed: { type: "trust", behaviour },
    from: page === undefined ? undefined : { ...page, busy: undefined },
    shownAt: undefined,
  };
  return stay({ ...ui, overlay: sure, detailTop: 0 });
}
