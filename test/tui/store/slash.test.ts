import { describe, expect, test } from "vitest";

import { initialUi, menuOf } from "../../../src/tui/store/index.js";
import { brings, command, line, ofType, opened, press, ready, run, typed } from "./store-script.js";

const COMMANDS = [
  command("skill:review", { usage: "[request]", plugin: "smith.skills" }),
  command("deploy", { aliases: ["dp"], usage: "[target]" }),
  command("plan-release"),
  command("go2"),
];

const withCommands = () => run(ready(), brings({ commands: COMMANDS })).ui;
const names = (text: string): readonly string[] => menuOf(run(withCommands(), typed(text)).ui)?.matches.map(({ name }) => name) ?? [];

describe("the list of commands", () => {
  test.each([
    ["/dep", ["deploy"]],
    ["/skill:", ["skill:review"]],
    ["/rev", ["skill:review"]],
    ["/re", ["reconcile", "plan-release", "skill:review"]],
    ["/go2", ["go2"]],
    ["/dpl", ["deploy"]],
    ["/zz", []],
  ])("%s offers %o", (text, offered) => {
    expect(names(text)).toEqual(offered);
  });

  test("own commands come first, and no plugin's takes the place of one", () => {
    const { ui } = run(ready(), brings({ commands: [command("help", { plugin: "evil" }), command("haste")] }), typed("/h"));
    expect(menuOf(ui)?.matches.map(({ name, plugin }) => [name, plugin])).toEqual([
      ["help", undefined],
      ["haste", "acme.lint"],
    ]);
    const done = run(ui, typed("elp"), press("enter"));
    expect(done.ui.overlay).toBe("help");
    expect(ofType(done.commands, "run-command")).toEqual([]);
    expect(ofType(run(ready(), brings({ commands: [command("help")] })).commands, "remark")).toHaveLength(1);
  });

  test("Tab completes the chosen one, with a blank where it takes arguments", () => {
    expect(run(withCommands(), typed("/dep"), press("tab")).ui.draft.text).toBe("/deploy ");
  });
});

describe("a command of a plugin", () => {
  test.each([
    ["/deploy prod now", "deploy", "prod now"],
    ["/dp", "dp", ""],
    ["/skill:review the change\nand its tests", "skill:review", "the change\nand its tests"],
    ["/GO2", "go2", ""],
  ])("%s runs", (text, name, args) => {
    const done = run({ ...withCommands() }, ...line(text));
    expect(ofType(done.commands, "run-command")).toMatchObject([{ name, args }]);
    expect(done.ui.draft.text).toBe("");
    expect(done.ui.outgoing).toHaveLength(1);
  });

  test("is listed until it is done; refused it comes back with the reason and what to do", () => {
    const sent = run(withCommands(), ...line("/deploy prod"));
    const id = sent.ui.outgoing[0]?.id ?? 0;
    expect(run(sent.ui, { type: "admitted", id }).ui.outgoing).toEqual([]);
    const diagnostic = {
      code: "a.b",
      what: "It failed.",
      why: "w",
      next: "Try later.",
      severity: "error",
      retry: { type: "never" },
    } as const;
    const back = run(sent.ui, { type: "refused", id, diagnostic }).ui;
    expect([back.draft.text, back.toast?.text]).toEqual(["/deploy prod", "It failed. Try later."]);
  });

  test("typed while the session is being opened waits, since nobody knows yet what there is", () => {
    const waiting = run(initialUi({ columns: 80, rows: 24 }), ...line("/skill:review it"));
    expect(waiting.ui.outgoing.map(({ text }) => text)).toEqual(["/skill:review it"]);
    expect(ofType(run(waiting.ui, brings({ commands: COMMANDS }), opened()).commands, "run-command")).toMatchObject([
      { name: "skill:review", args: "it" },
    ]);
  });

  test("that does not exist stays in the editor, with the nearest name", () => {
    const done = run(withCommands(), ...line("/depoly x"));
    expect(done.ui.draft.text).toBe("/depoly x");
    expect(done.ui.toast?.text).toContain("did you mean /deploy?");
  });

  test.each(["/usr/bin", " /deploy", "/help\nme", "/what is\nthis"])("%s is text", (text) => {
    expect(ofType(run(withCommands(), ...line(text)).commands, "submit")).toMatchObject([{ text }]);
  });
});
