import { describe, expect, test } from "vitest";

import type { PluginRow, ProjectState } from "../../../src/tui/plugins/index.js";
import { type AdminNews, FRESH_KEYS_MS, pluginsPage, surePage, type Ui, type UiEvent } from "../../../src/tui/store/index.js";
import { line, ofType, press, ready, run, typed, wantsToRun } from "./store-script.js";

const row = (id: string, fields: Partial<PluginRow> = {}): PluginRow => ({
  id,
  version: "1.0.0",
  origin: "user",
  state: "in use",
  isUsed: true,
  isWrong: false,
  brings: "1 tool",
  details: [{ text: `about ${id}` }],
  deeds: ["disable", "remove"],
  ...fields,
});

const news = (what: AdminNews): UiEvent => ({ type: "admin", news: what });
const listed = (...rows: readonly PluginRow[]): UiEvent => news({ type: "listed", rows, problems: [] });
const ROWS = [
  row("acme.lint"),
  row("acme.new", { deeds: ["approve", "remove"], state: "not approved", isUsed: false }),
  row("b", { origin: "run", deeds: [] }),
];
const open = (...rows: readonly PluginRow[]): Ui => run(ready(), ...line("/plugins"), listed(...rows)).ui;
const deeds = (ui: Ui, ...events: readonly UiEvent[]): readonly unknown[] =>
  ofType(run(ui, ...events).commands, "admin").map(({ deed }) => deed);

const UNTRUSTED: ProjectState = {
  state: "untrusted",
  behaviour: {
    root: "/p",
    hash: "h",
    items: [
      { path: ".smith/config.kdl", what: "sets model" },
      { path: ".smith/plugins/x", what: "runs the plugin x" },
    ],
  },
};

describe("the page of plugins", () => {
  test("opens at once and lists what is found; the keys choose a row and open it", () => {
    const opening = run(ready(), ...line("/plugins"));
    expect(pluginsPage(opening.ui)).toMatchObject({ rows: undefined, busy: "looking for plugins" });
    expect(ofType(opening.commands, "admin")).toEqual([{ type: "admin", deed: { type: "list" } }]);
    const ui = run(opening.ui, listed(...ROWS), press("down"), press("enter")).ui;
    expect(pluginsPage(ui)).toMatchObject({ chosen: "acme.new", isOpen: true, busy: undefined });
    expect(pluginsPage(run(ui, press("escape")).ui)?.isOpen).toBe(false);
    expect(run(ui, press("escape"), press("escape")).ui.overlay).toBe("none");
  });

  test("what is listed after it was closed opens nothing", () => {
    expect(run(ready(), ...line("/plugins"), press("escape"), listed(...ROWS)).ui.overlay).toBe("none");
  });

  test("e disables at once, and not again before that is done", () => {
    expect(deeds(open(...ROWS), typed("e"), typed("e"))).toEqual([{ type: "set-enabled", id: "acme.lint", enabled: false }]);
    expect(deeds(open(row("a", { deeds: ["enable"] })), typed("e"))).toEqual([{ type: "set-enabled", id: "a", enabled: true }]);
  });

  test.each([
    ["e", ROWS[1], "a shows what approving it would allow"],
    ["e", ROWS[2], "start without --plugin"],
    ["a", ROWS[0], "needs no approval"],
    ["d", ROWS[2], "was not installed by you"],
  ])("%s on what it does not fit says why", (key, only, said) => {
    const ui = open(only ?? row("x"));
    const done = run(ui, typed(key));
    expect(pluginsPage(done.ui)?.message?.text).toContain(said);
    expect(ofType(done.commands, "admin")).toEqual([]);
  });

  test("removing asks; only y does it, and Enter, Escape and n do not", () => {
    const asked = run(open(...ROWS), typed("d")).ui;
    expect(surePage(asked)?.title).toBe("Remove acme.lint?");
    for (const key of ["enter", "escape", "n", "q"])
      expect(deeds(asked, key.length === 1 ? typed(key, 2000) : press(key, 2000))).toEqual([]);
    expect(deeds(asked, typed("y", 2000))).toEqual([{ type: "remove", id: "acme.lint" }]);
    expect(pluginsPage(run(asked, press("enter", 2000)).ui)?.rows).toHaveLength(3);
  });

  test("approving shows all that is allowed, and what of it is new, before it asks", () => {
    const ui = run(open(...ROWS), press("down"), typed("a")).ui;
    expect(pluginsPage(ui)?.busy).toBe("reading acme.new");
    const grant = { facility: "process", words: "run npx", isStrong: true };
    const approval = {
      id: "acme.new",
      version: "2.0.0",
      description: "d",
      grants: [grant],
      added: [grant],
      tools: [],
      commands: ["c"],
      handlers: [],
    };
    const asked = run(ui, news({ type: "approval-known", approval })).ui;
    const shown = surePage(asked)?.lines.map(({ text }) => text);
    expect(shown).toEqual(expect.arrayContaining([expect.stringMatching(/^New: it may now/), "! run npx", "Commands: /c"]));
    expect(deeds(asked, typed("y", 2000))).toEqual([{ type: "approve", id: "acme.new" }]);
  });

  test("keys that were under way when a question came up do not answer it", () => {
    const asked = run(open(...ROWS), typed("d", 1000)).ui;
    expect(deeds(asked, typed("y", 1000 + FRESH_KEYS_MS - 1))).toEqual([]);
    expect(deeds(asked, typed("y", 1000 + FRESH_KEYS_MS))).toHaveLength(1);
  });

  test("a failure is told on the page, below where there is none", () => {
    const diagnostic = {
      code: "a.b",
      what: "It\x1b[2J failed.",
      why: "w",
      next: "Retry.",
      severity: "error",
      retry: { type: "never" },
    } as const;
    const failed = news({ type: "failed", diagnostic });
    expect(pluginsPage(run(open(...ROWS), failed).ui)?.message).toEqual({ tone: "error", text: "It failed. Retry." });
    expect(run(ready(), failed).ui.toast?.text).toBe("It failed. Retry.");
  });

  test("covers a question that came up; it is asked, with fresh keys, once the page is closed", () => {
    const ui = run(open(...ROWS), wantsToRun()).ui;
    expect(ofType(run(ui, typed("y")).commands, "answer")).toEqual([]);
    const closed = run(ui, press("escape", 3000)).ui;
    expect(ofType(run(closed, typed("y", 3100)).commands, "answer")).toEqual([]);
    expect(ofType(run(closed, typed("y", 3150)).commands, "answer")).toHaveLength(1);
  });
});

describe("trust in the project", () => {
  test("a line says what is not used, and blocks nothing", () => {
    const ui = run(ready(), news({ type: "project", project: UNTRUSTED }), typed("hello")).ui;
    expect(ui.untrusted[0]).toBe("this project has 1 plugin and settings that are not used until you trust it: /trust");
    expect(ui.draft.text).toBe("hello");
  });

  test.each<[string, ProjectState]>([
    ["nothing to trust", { state: "nothing-to-trust" }],
    ["trusted", { ...UNTRUSTED, state: "trusted" }],
  ])("a project that is %s is not mentioned", (_, project) => {
    expect(run(ready(), news({ type: "project", project })).ui.untrusted).toEqual([]);
  });

  test("/trust shows every item with what it would do; only y trusts exactly that", () => {
    const asking = run(ready(), ...line("/trust"));
    expect(ofType(asking.commands, "admin")).toEqual([{ type: "admin", deed: { type: "ask-trust" } }]);
    const asked = run(asking.ui, news({ type: "trust-known", project: UNTRUSTED })).ui;
    const texts = surePage(asked)?.lines.map(({ text }) => text) ?? [];
    for (const text of [".smith/config.kdl", "sets model", ".smith/plugins/x", "runs the plugin x"]) expect(texts).toContain(text);
    for (const key of ["enter", "escape"]) expect(deeds(asked, press(key, 2000))).toEqual([]);
    expect(deeds(asked, typed("y", 2000))).toEqual([{ type: "trust", behaviour: UNTRUSTED.behaviour }]);
  });

  test("no is heard: the line goes away for this run", () => {
    const ui = run(ready(), news({ type: "project", project: UNTRUSTED }), news({ type: "trust-known", project: UNTRUSTED })).ui;
    expect(run(ui, press("enter", 2000)).ui.untrusted).toEqual([]);
  });

  test("one that cannot be trusted as it is offers no yes", () => {
    const project: ProjectState = { state: "untrusted", behaviour: { root: "/p", hash: "", items: [], refused: "It is a link." } };
    const asked = run(ready(), news({ type: "trust-known", project })).ui;
    expect(surePage(asked)?.yes).toBeUndefined();
    expect(deeds(asked, typed("y", 2000))).toEqual([]);
  });

  test("where nothing is to decide, that is said", () => {
    expect(run(ready(), news({ type: "trust-known", project: { state: "nothing-to-trust" } })).ui.toast?.text).toContain(
      "nothing in this project",
    );
    expect(run(ready(), news({ type: "trust-known", project: { ...UNTRUSTED, state: "trusted" } })).ui.overlay).toBe("none");
  });
});
