import { describe, expect, test } from "vitest";

import type { Contributions } from "../../../src/tui/plugins/index.js";
import { initialUi, type Ui } from "../../../src/tui/store/index.js";
import { brings, command, happens, line, ofType, opened, press, ready, run, typed, wantsToRun } from "./store-script.js";

type Key = Contributions["keys"][number];
type Theme = Contributions["themes"][number];

const key = (chord: string, does: string, plugin = "acme.keys"): Key => ({ key: chord, plugin, command: does });
const theme = (name: string, styles: Theme["styles"] = {}): Theme => ({ name, plugin: "acme.look", base: "dark", styles });
const remarks = (event: ReturnType<typeof brings>, ui: Ui = ready()): readonly string[] =>
  ofType(run(ui, event).commands, "remark").map(({ text }) => text);

describe("keys of plugins", () => {
  const bound = (...keys: readonly Key[]): Ui => run(ready(), brings({ keys, commands: [command("lint", { aliases: ["l"] })] })).ui;

  test("stand for a command of a plugin with its arguments; the draft stays and a refusal does not change it", () => {
    const done = run(bound(key("ctrl+alt+l", "lint src")), typed("half"), press("ctrl+alt+l"));
    expect(ofType(done.commands, "run-command")).toMatchObject([{ name: "lint", args: "src" }]);
    expect(done.ui.draft.text).toBe("half");
    const diagnostic = { code: "a.b", what: "No.", why: "w", next: "n", severity: "error", retry: { type: "never" } } as const;
    const refused = run(done.ui, { type: "refused", id: done.ui.outgoing[0]?.id ?? 0, diagnostic }).ui;
    expect([refused.draft.text, refused.toast?.text]).toEqual(["half", "No. n"]);
  });

  test("stand for a command of the interface", () => {
    const done = run(bound(key("f8", "mode plan")), typed("half"), press("f8"));
    expect(ofType(done.commands, "set-mode")).toMatchObject([{ mode: "plan" }]);
    expect(done.ui.draft.text).toBe("half");
  });

  test("stand for an action by its name, or for nothing", () => {
    expect(run(bound(key("f8", "@expand")), press("f8")).ui.expanded).toBe(true);
    expect(run(bound(key("ctrl+a", "@line-end")), typed("ab"), press("home"), press("ctrl+a")).ui.draft.cursor).toBe(2);
    expect(run(bound(key("ctrl+o", "")), press("ctrl+o")).ui.expanded).toBe(false);
  });

  test("never take ctrl+c, nor Escape while a turn runs", () => {
    const ui = bound(key("ctrl+c", ""), key("escape", "@expand"));
    expect(ui.bindings.has("ctrl+c")).toBe(false);
    expect(run(ui, press("escape")).ui.expanded).toBe(true);
    const running = run({ ...ui, running: true }, press("escape"));
    expect([running.ui.expanded, running.commands]).toEqual([false, [{ type: "abort" }]]);
  });

  test.each(["allow-once", "deny", "sure-yes", "say-yes", "close", "leave"])("cannot stand for @%s", (action) => {
    expect(bound(key("f8", `@${action}`)).bindings.size).toBe(0);
  });

  test("do nothing while something is asked or a page is open", () => {
    const ui = bound(key("f8", "@expand"));
    expect(run(ui, wantsToRun(), press("f8")).ui.expanded).toBe(false);
    expect(run(ui, press("f1"), press("f8")).ui.expanded).toBe(false);
  });

  test.each([
    [key("ctrl+", ""), "is no key"],
    [key("x", "lint"), "is no key"],
    [key("shift+ctrl+x", "lint"), "is no key"],
    [key("f7", "@expnad"), "Did it mean @expand?"],
    [key("f7", "nothing-there"), "no such command"],
    [key("ctrl+c", "lint"), "always smith's own"],
  ])("%o is remarked", (wrong, said) => {
    expect(remarks(brings({ keys: [wrong], commands: [command("lint")] }))).toEqual([expect.stringContaining(said)]);
  });

  test("a remark is made once, however often plugins are read", () => {
    const wrong = brings({ keys: [key("x", "")] });
    expect(ofType(run(ready(), wrong, wrong, wrong).commands, "remark")).toHaveLength(1);
  });
});

describe("themes", () => {
  test("the setting names one that a plugin brings: it is used as soon as it is known, and again when it changed", () => {
    const wanting = run(initialUi({ columns: 80, rows: 24 }, "acme-dark"), opened()).ui;
    const [first, second] = [theme("acme-dark"), theme("acme-dark", { accent: { fg: "#ffffff" } })];
    const done = run(wanting, brings({ themes: [first] }), brings({ themes: [second] }));
    expect(ofType(done.commands, "theme").map((each) => each.theme)).toEqual([first, second]);
  });

  test("one that is gone gives way to the built-in ones, and is remarked", () => {
    const wanting = run(initialUi({ columns: 80, rows: 24 }, "acme-dark"), opened(), brings({ themes: [theme("acme-dark")] })).ui;
    const gone = run(wanting, brings());
    expect(ofType(gone.commands, "theme").map((each) => each.theme)).toEqual([undefined]);
    expect(ofType(gone.commands, "remark")[0]?.text).toContain("no theme acme-dark");
  });

  test("styles that do not exist are told once, with whose they are", () => {
    const ui = run(ready(), brings({ themes: [theme("acme-dark", { shiny: {}, "slot-editor": {}, accent: {} })] })).ui;
    const done = run(ui, ...line("/theme acme-dark"), ...line("/theme dark"), ...line("/theme acme-dark"));
    expect(ofType(done.commands, "remark").map(({ text }) => text)).toEqual([
      "The theme acme-dark of acme.look names styles that do not exist: shiny, slot-editor. Its other styles are used.",
    ]);
    expect(ofType(done.commands, "theme").map((each) => (typeof each.theme === "object" ? each.theme.name : each.theme))).toEqual([
      "acme-dark",
      "dark",
      "acme-dark",
    ]);
  });

  test("/theme says which there are; auto goes back to what fits the background; a mistyped one is named", () => {
    const ui = run(ready(), brings({ themes: [theme("ember")] })).ui;
    expect(run(ui, ...line("/theme")).ui.toast?.text).toBe("theme is auto; /theme takes auto, dark, light, ember (acme.look)");
    expect(ofType(run(ui, ...line("/theme auto")).commands, "theme")).toEqual([{ type: "theme", theme: undefined }]);
    expect(run(ui, ...line("/theme embr")).ui.toast?.text).toContain("did you mean ember?");
  });
});

describe("what changes while smith runs", () => {
  const plugin = (id: string): Contributions["plugins"][number] => ({ id, version: "1.0.0", origin: "user" });
  const changed = (...ids: readonly string[]): ReturnType<typeof happens> => happens({ type: "generation", number: 2, changed: ids });

  test("plugins that came, were read again or are gone are told in one message", () => {
    const before = run(ready(), brings({ plugins: [plugin("acme.lint"), plugin("acme.old")] })).ui;
    const told = run(before, changed("acme.lint", "acme.new", "acme.old")).ui;
    expect(told.toast?.text).toBe("plugins changed: acme.lint, acme.new, acme.old; in use from the next request");
    expect(run(told, brings({ plugins: [plugin("acme.lint"), plugin("acme.new")] })).ui.toast?.text).toBe(
      "plugins changed: acme.new new, acme.lint reloaded, acme.old gone; in use from the next request",
    );
  });

  test("another model is told, with who chose it", () => {
    const model = { provider: "openai", model: "gpt\x1b[2J-5" };
    expect(run(ready(), happens({ type: "model", model, by: "acme.router" })).ui.toast?.text).toBe(
      "model is openai/gpt-5 now, chosen by acme.router",
    );
    expect(run(ready(), happens({ type: "model", model })).ui.toast?.text).toBe("model is openai/gpt-5 now");
  });
});
