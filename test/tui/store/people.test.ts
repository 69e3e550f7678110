import { describe, expect, test } from "vitest";

import { FRESH_KEYS_MS } from "../../../src/tui/store/index.js";
import type { Question } from "../../../src/schema/index.js";
import { asks, happens, ofType, opened, pasted, press, ready, run, typed, wantsToRun } from "./store-script.js";
import { initialUi } from "../../../src/tui/store/index.js";
import { fakeId } from "../../support/fake-session.js";
import type { EffectId } from "../../../src/base/index.js";

const RULE = { rule: "shell(npm test *)" };

describe("a call that wants to run", () => {
  test.each([
    ["y", RULE, ["once"]],
    ["s", RULE, ["session"]],
    ["p", RULE, ["project"]],
    ["y", {}, ["once"]],
    ["s", {}, ["session"]],
    ["p", {}, []],
    ["x", RULE, []],
  ])("%s with %o answers %o", (key, facts, verdicts) => {
    const done = run(ready(), wantsToRun(facts), typed(key));
    expect(ofType(done.commands, "answer").map(({ verdict }) => verdict)).toEqual(verdicts);
    expect(done.ui.approvals).toHaveLength(verdicts.length === 0 ? 1 : 0);
  });

  test("n, then Enter, denies without a word", () => {
    const done = run(ready(), wantsToRun(), typed("n"), press("enter"));
    expect(ofType(done.commands, "answer")).toEqual([expect.objectContaining({ verdict: "deny" })]);
    expect(ofType(done.commands, "answer")[0]).not.toHaveProperty("why");
  });

  test("n, then words, denies with them; the keys of the question are text there", () => {
    const done = run(ready(), wantsToRun(RULE), typed("n"), typed("yes, spy: use make"), press("ctrl+a"), typed("ah "), press("enter"));
    expect(ofType(done.commands, "answer")).toMatchObject([{ verdict: "deny", why: "ah yes, spy: use make" }]);
    expect(done.ui.reason).toBeUndefined();
  });

  test("what is typed in one go after n is the reason, not a verdict", () => {
    expect(run(ready(), wantsToRun(RULE), typed("nyps")).ui.reason?.text).toBe("yps");
  });

  test("Esc goes back to the question, and there it denies", () => {
    const back = run(ready(), wantsToRun(), typed("n"), typed("because"), press("escape"));
    expect(back.ui.reason).toBeUndefined();
    expect(ofType(back.commands, "answer")).toEqual([]);
    expect(ofType(run(back.ui, press("escape")).commands, "answer")).toMatchObject([{ verdict: "deny" }]);
  });

  test("a reason is one line, whatever is pasted", () => {
    expect(run(ready(), wantsToRun(), typed("n"), pasted("one\ntwo\n"), press("shift+enter")).ui.reason?.text).toBe("one two");
  });

  test("that was settled meanwhile takes the reason with it", () => {
    const asked = run(ready(), wantsToRun(), typed("n"), typed("half"));
    const [call] = asked.ui.approvals;
    const done = run(asked.ui, happens({ type: "approval_settled", id: call?.id ?? fakeId(), allowed: false }));
    expect([done.ui.reason, done.ui.approvals]).toEqual([undefined, []]);
  });

  test("keys of plugins do not count there", () => {
    const { ui } = run(ready(), wantsToRun(RULE));
    const bindings = new Map([["escape", { plugin: "p", keys: "escape", what: "nothing", does: { type: "nothing" } as const }]]);
    expect(ofType(run({ ...ui, bindings }, press("escape")).commands, "answer")).toHaveLength(1);
  });
});

describe("a question of a plugin", () => {
  const answers = (question: Question, ...events: Parameters<typeof run>[1][]): readonly unknown[] =>
    ofType(run(ready(), asks(question), ...events).commands, "answer-question").map(({ answer }) => answer);

  test("for a line takes what is typed; line breaks are blanks", () => {
    const one: Question = { type: "ask", text: "Release?" };
    expect(answers(one, typed("1.2"), pasted("\n3"), press("alt+enter"), press("enter"))).toEqual([{ type: "text", text: "1.23" }]);
    expect(answers({ ...one, initial: "1.0" }, press("enter"))).toEqual([{ type: "text", text: "1.0" }]);
  });

  test("for more lines keeps them", () => {
    const many: Question = { type: "ask", text: "Notes?", multiline: true, initial: "a\nb" };
    expect(answers(many, press("shift+enter"), typed("c"), press("enter"))).toEqual([{ type: "text", text: "a\nb\nc" }]);
  });

  const options = ["staging", "production", "canary"].map((label) => ({ value: label.slice(0, 1), label }));

  test.each([
    [[press("enter")], ["s"]],
    [[press("down"), press("enter")], ["p"]],
    [[press("up"), press("enter")], ["c"]],
    [[typed("2")], ["p"]],
    [[typed(" ")], ["s"]],
  ])("for one of several takes the one keys lead to (%#)", (keys, values) => {
    expect(answers({ type: "choose", text: "Where?", options }, ...keys)).toEqual([{ type: "chosen", values }]);
  });

  test("a digit without an option, and any other letter, choose nothing", () => {
    expect(answers({ type: "choose", text: "Where?", options }, typed("7"), typed("x"))).toEqual([]);
  });

  test("for any of several takes and leaves with Space and digits; Enter ends it, in the order of the options", () => {
    const many: Question = { type: "choose", text: "Which?", options, many: true };
    expect(answers(many, typed("3"), typed("2"), typed("2"), press("up"), typed(" "), press("enter"))).toEqual([
      { type: "chosen", values: ["s", "c"] },
    ]);
    expect(answers(many, press("enter"))).toEqual([{ type: "chosen", values: [] }]);
  });

  test("yes or no is y or n, and never Enter", () => {
    const sure: Question = { type: "confirm", text: "Sure?" };
    expect(answers(sure, press("enter"), typed("y"))).toEqual([{ type: "confirmed", yes: true }]);
    expect(answers(sure, typed("n"))).toEqual([{ type: "confirmed", yes: false }]);
  });

  test.each<Question>([
    { type: "ask", text: "?" },
    { type: "choose", text: "?", options },
    { type: "confirm", text: "?" },
  ])("$type is dismissed with Esc", (question) => {
    expect(answers(question, press("escape"))).toEqual([{ type: "dismissed" }]);
  });

  test("keys that were under way when it came up do not answer it", () => {
    expect(answers({ type: "confirm", text: "?" }, typed("y", FRESH_KEYS_MS - 1))).toEqual([]);
    expect(answers({ type: "confirm", text: "?" }, typed("y", FRESH_KEYS_MS))).toHaveLength(1);
    expect(run(ready(), asks({ type: "ask", text: "?" }), pasted("late", 10), typed("late", 10)).ui.asked?.answer.text).toBe("");
  });

  test("owns the keys: the draft stays as it is", () => {
    const asked = run(run(ready(), typed("half a prompt")).ui, asks({ type: "ask", text: "?" }), typed("answer"), press("ctrl+u"));
    expect([asked.ui.draft.text, asked.ui.asked?.answer.text]).toEqual(["half a prompt", ""]);
    expect(run(asked.ui, press("enter")).ui.draft.text).toBe("half a prompt");
  });

  test("cannot bring control characters; the values of its options go back as they came", () => {
    const evil = "a\x1b[2Jb\u202e";
    const { ui } = run(ready(), asks({ type: "choose", text: evil, options: [{ value: evil, label: evil, hint: evil }] }, evil));
    expect(ui.asked).toMatchObject({ plugin: "ab", question: { text: "ab", options: [{ value: evil, label: "ab", hint: "ab" }] } });
  });

  test("that waited when the session was opened is asked; one that is settled elsewhere goes away", () => {
    const id = fakeId<EffectId>();
    const { ui } = run(
      initialUi({ columns: 80, rows: 24 }),
      opened({ question: { id, plugin: "acme", question: { type: "confirm", text: "Sure?" } } }),
    );
    expect(ui.asked?.question.text).toBe("Sure?");
    expect(run(ui, happens({ type: "question_settled", id, answer: { type: "dismissed" } })).ui.asked).toBeUndefined();
  });
});
