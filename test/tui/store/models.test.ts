import { describe, expect, test } from "vitest";

import type { SessionStatus } from "../../../src/runtime/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { modelRows } from "../../../src/tui/models/index.js";
import {
  chosenModel,
  initialUi,
  matchesOf,
  menuOf,
  modelsPage,
  type ModelNews,
  type Ui,
  type UiEvent,
} from "../../../src/tui/store/index.js";
import { someModels } from "../../support/fake-models.js";
import { brings, line, ofType, opened, pasted, press, ready, run, typed } from "./store-script.js";

const news = (what: ModelNews): UiEvent => ({ type: "models", news: what });
const listed = (preset?: string): UiEvent => news({ type: "listed", rows: modelRows(someModels()), preset });
const page = (): Ui => run(ready(), ...line("/model"), listed()).ui;
const chosen = (ui: Ui): string | undefined => {
  const shown = modelsPage(ui);
  return shown === undefined ? undefined : chosenModel(ui, shown)?.selection;
};
const withStatus = (fields: Partial<SessionStatus>): Ui => run(initialUi({ columns: 80, rows: 24 }), opened(fields)).ui;

describe("the page of models", () => {
  test("opens at once, is filled when they are known, and begins at the one in use", () => {
    const opening = run(ready(), ...line("/model"));
    expect(ofType(opening.commands, "models")).toEqual([{ type: "models", deed: { type: "list" } }]);
    expect(chosen(opening.ui)).toBeUndefined();
    expect(chosen(run(opening.ui, listed()).ui)).toBe("fake/sonnet");
    expect(chosen(run(withStatus({ selection: "main" }), ...line("/model"), listed()).ui)).toBe("main");
  });

  test("typing looks for one, keys choose, Enter takes it for the session", () => {
    const found = run(page(), typed("ha"));
    expect(chosen(found.ui)).toBe("fake/haiku");
    const done = run(found.ui, press("enter"));
    expect(done.ui.overlay).toBe("none");
    expect(done.commands).toEqual([{ type: "set-model", selection: "fake/haiku" }]);
    expect(chosen(run(page(), press("down"), press("down"), press("down")).ui)).toBe("local");
    expect(chosen(run(page(), press("up"), press("up")).ui)).toBe("main");
    expect(chosen(run(page(), press("pagedown")).ui)).toBe("local");
  });

  test("q, ? and digits are letters there; a paste has no line breaks; the draft is not touched", () => {
    const ui = run(page(), typed("q?1"), pasted("a\nb")).ui;
    expect(modelsPage(ui)?.filter.text).toBe("q?1a b");
    expect(ui.draft.text).toBe("");
  });

  test("what was chosen is not kept once something else is looked for", () => {
    const down = run(page(), press("down")).ui;
    expect(chosen(down)).toBe("fake/haiku");
    expect(chosen(run(down, press("left")).ui)).toBe("fake/haiku");
    expect(chosen(run(down, typed("s")).ui)).not.toBe("fake/haiku");
  });

  test("Tab takes it and keeps it as the default", () => {
    expect(run(page(), typed("haiku"), press("tab")).commands).toEqual([
      { type: "set-model", selection: "fake/haiku" },
      { type: "models", deed: { type: "keep", selection: "fake/haiku" } },
    ]);
    const kept = run(page(), news({ type: "kept", selection: "fake/haiku", path: "/c/config.kdl" })).ui;
    expect(kept.models?.preset).toBe("fake/haiku");
    expect(kept.toast?.text).toBe("fake/haiku is the default now, in /c/config.kdl");
  });

  test("Esc and Ctrl-C close it; with nothing found Enter does nothing", () => {
    expect(run(page(), press("escape")).ui.overlay).toBe("none");
    expect(run(page(), press("ctrl+c")).ui.overlay).toBe("none");
    expect(run(page(), typed("zzz"), press("enter")).commands).toEqual([]);
  });

  test("closes with the reason when nothing can be listed", () => {
    const why = diagnostic({ code: "x", what: "No models.", why: "", next: "Name one." });
    const ui = run(ready(), ...line("/model"), news({ type: "failed", diagnostic: why })).ui;
    expect(ui.overlay).toBe("none");
    expect(ui.toast?.text).toBe("No models. Name one.");
  });

  test("does not open before there is a session", () => {
    expect(run(initialUi({ columns: 80, rows: 24 }), ...line("/model")).ui).toMatchObject({
      overlay: "none",
      toast: { text: "still starting" },
    });
  });
});

describe("/model with a selection", () => {
  test("is taken as it is, also while the session is being opened", () => {
    expect(ofType(run(ready(), ...line("/model gpt-5:high")).commands, "set-model")).toEqual([
      { type: "set-model", selection: "gpt-5:high" },
    ]);
    const early = run(initialUi({ columns: 80, rows: 24 }), ...line("/model gpt-5"), opened());
    expect(ofType(early.commands, "set-model")).toEqual([{ type: "set-model", selection: "gpt-5" }]);
  });

  test("names are asked for once, when the blank is typed, and completed with their level", () => {
    const begun = run(ready(), typed("/model"), typed(" "), typed("h"));
    expect(ofType(begun.commands, "models")).toHaveLength(1);
    const ui = run(begun.ui, listed()).ui;
    expect(matchesOf(ui).map(({ name, what }) => [name, what])).toEqual([["model fake/haiku", "Haiku · 200k · $0.25/$1.25"]]);
    expect(run(ui, press("tab")).ui.draft.text).toBe("/model fake/haiku");
    expect(run(ui, typed(":low"), press("tab")).ui.draft.text).toBe("/model fake/haiku:low");
  });

  test("Enter runs what is typed, unless an offered name was chosen", () => {
    const ui = run(ready(), typed("/model "), typed("fake"), listed()).ui;
    expect(menuOf(ui)?.isWhole).toBe(true);
    expect(run(ui, press("enter")).commands).toEqual([{ type: "set-model", selection: "fake" }]);
    expect(run(ui, press("down"), press("enter")).ui.draft.text).toBe("/model fake/haiku");
  });

  test("names are forgotten when plugins bring others", () => {
    expect(run(page(), brings()).ui.models).toBeUndefined();
  });
});

describe("/thinking", () => {
  test("takes a level, or leaves it to the model", () => {
    const taken = (text: string): readonly unknown[] => ofType(run(ready(), ...line(text)).commands, "set-thinking");
    expect(taken("/thinking HIGH")).toEqual([{ type: "set-thinking", level: "high" }]);
    expect(taken("/thinking auto")).toEqual([{ type: "set-thinking", level: undefined }]);
  });

  test("a word that is no level stays in the editor", () => {
    const ui = run(ready(), ...line("/thinking hihg")).ui;
    expect(ui.toast?.text).toBe("hihg is not a level; did you mean high?");
    expect(ui.draft.text).toBe("/thinking hihg");
  });

  test.each<[string, readonly string[] | undefined, Partial<SessionStatus>, string]>([
    ["levels", ["off", "low"], { thinking: "low" }, "thinking is low; sonnet has off, low: /thinking LEVEL, or auto"],
    ["none", [], {}, "no level of thinking is asked for; sonnet does not think before it answers"],
    ["unknown", undefined, {}, "no level of thinking is asked for; it is not known which levels sonnet has"],
  ])("alone says which it is and which there are: %s", (_name, levels, fields, text) => {
    const asked = run(withStatus(fields), ...line("/thinking"));
    const model = { provider: "fake", model: "sonnet" };
    expect(ofType(asked.commands, "models")).toEqual([{ type: "models", deed: { type: "levels", model } }]);
    expect(run(asked.ui, news({ type: "levels", model, levels })).ui.toast?.text).toBe(text);
  });

  test("completes the levels that the model has", () => {
    const ui = run(ready(), typed("/thinking "), listed()).ui;
    expect(matchesOf(ui).map(({ name }) => name)).toEqual(["thinking off", "thinking low", "thinking high", "thinking auto"]);
    expect(run(ui, typed("h"), press("tab")).ui.draft.text).toBe("/thinking high");
  });
});

describe("a session that cannot be opened", () => {
  const failed = (exit?: 1 | 2 | 3 | 4): UiEvent => ({
    type: "open-failed",
    diagnostic: diagnostic({ code: "x", what: "no", why: "", next: "", ...(exit === undefined ? {} : { exit }) }),
  });
  const start = initialUi({ columns: 80, rows: 24 });

  test("ends the interface at once where only the command line or configuration can mend it", () => {
    expect(run(start, failed(2)).commands).toEqual([{ type: "quit", status: 2 }]);
    expect(run(start, failed(3)).commands).toEqual([{ type: "quit", status: 3 }]);
  });

  test("else says why, and ends with its status when the person leaves", () => {
    expect(run(start, failed(4)).commands).toEqual([]);
    expect(run(start, failed(4), press("ctrl+d")).commands).toEqual([{ type: "quit", status: 4 }]);
    expect(run(start, failed(), press("ctrl+d")).commands).toEqual([{ type: "quit", status: 1 }]);
  });
});
