import { describe, expect, test } from "vitest";

import type { CallId } from "../../../src/base/index.js";
import type { SessionStatus } from "../../../src/runtime/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { initialUi, markShown, menuOf, reduce, type Command, type Ui, type UiEvent } from "../../../src/tui/store/index.js";
import { FakeSession, fakeId } from "../../support/fake-session.js";

const SIZE = { columns: 80, rows: 24 };

/** Reduces all the events, with every frame painted at once. */
function run(ui: Ui, ...events: readonly UiEvent[]): { readonly ui: Ui; readonly commands: readonly Command[] } {
  return events.reduce<{ readonly ui: Ui; readonly commands: readonly Command[] }>(
    (done, event) => {
      const next = reduce(done.ui, event);
      return { ui: markShown(next.ui, "at" in event ? event.at : 0), commands: [...done.commands, ...next.commands] };
    },
    { ui, commands: [] },
  );
}

const key = (name: string, at = 0): UiEvent => ({
  type: "input",
  at,
  input: { type: "key", key: { name, ctrl: false, alt: false, shift: false } },
});
const typed = (text: string, at = 0): UiEvent => ({ type: "input", at, input: { type: "text", text } });
const line = (text: string): readonly UiEvent[] => [typed(text), key("enter")];
const opened = (fields: Partial<SessionStatus> = {}): UiEvent => ({ type: "opened", status: { ...new FakeSession().status(), ...fields } });
const asks = (at: number): UiEvent => ({
  type: "runtime",
  at,
  event: { type: "approval", id: fakeId<CallId>(), name: "shell", argsSummary: "ls", args: {}, session: new FakeSession().id, time: 0 },
});

const ready = (): Ui => run(initialUi(SIZE), opened()).ui;
const ofSession = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ type }) => ["submit", "set-mode", "rename"].includes(type));
const verdicts = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => (command.type === "answer" ? [command.verdict] : []));

describe("a question", () => {
  test("behind the help page is not shown yet: keys count from 150 ms after it can be seen", () => {
    const hidden = run(ready(), key("f1", 0), asks(10)).ui;
    const closing = run(hidden, key("escape", 1000), typed("y", 1149));
    expect(verdicts(closing.commands)).toEqual([]);
    expect(closing.ui.approvals).toHaveLength(1);
    expect(verdicts(run(closing.ui, typed("y", 1150)).commands)).toEqual(["once"]);
  });

  test("that was covered by the help page starts anew: the second Esc that closes it does not deny", () => {
    const shown = run(ready(), asks(0), key("f1", 5000)).ui;
    expect(verdicts(run(shown, key("escape", 6000), key("escape", 6100)).commands)).toEqual([]);
    expect(verdicts(run(shown, key("escape", 6000), key("escape", 6150)).commands)).toEqual(["deny"]);
  });

  test("that no frame has shown takes no answer", () => {
    const { ui } = reduce(ready(), asks(0));
    expect(verdicts(reduce(ui, typed("y", 9000)).commands)).toEqual([]);
  });
});

describe("while the session is being opened", () => {
  const waiting = run(initialUi(SIZE), ...line("/mode read-only"), ...line("first"), ...line("/name tax import"), ...line("second"));

  test("commands wait among the prompts and go out with them, in order", () => {
    expect(ofSession(waiting.commands)).toEqual([]);
    expect(waiting.ui.outgoing.map(({ text }) => text)).toEqual(["/mode read-only", "first", "/name tax import", "second"]);
    const done = run(waiting.ui, opened());
    expect(ofSession(done.commands)).toMatchObject([
      { type: "set-mode", mode: "read-only" },
      { type: "submit", text: "first" },
      { type: "rename", name: "tax import" },
      { type: "submit", text: "second" },
    ]);
    expect(done.ui.outgoing.map(({ text }) => text)).toEqual(["first", "second"]);
  });

  test.each<[string, UiEvent]>([
    ["that another process writes", opened({ access: "read" })],
    [
      "that cannot be opened",
      { type: "open-failed", diagnostic: { code: "a.b", what: "w", why: "y", next: "n", severity: "error", retry: { type: "never" } } },
    ],
  ])("all that was sent to a session %s comes back", (_, event) => {
    const done = run(waiting.ui, typed("draft"), event);
    expect(ofSession(done.commands)).toEqual([]);
    expect(done.ui.draft.text).toBe("/mode read-only\n\nfirst\n\n/name tax import\n\nsecond\n\ndraft");
    expect(done.ui.outgoing).toEqual([]);
  });
});

describe("a command that cannot be carried out", () => {
  test.each(["/mode plan", "/name x"])("%s stays in the editor when there is no session", (text) => {
    const failed: Ui = { ...initialUi(SIZE), phase: "failed" };
    const done = run(failed, ...line(text));
    expect(done.ui.draft.text).toBe(text);
    expect(done.ui.toast?.text).toContain("no session is open");
  });

  test.each(["/mode nonsense", "/hel me"])("%s stays in the editor to be corrected", (text) => {
    const done = run(ready(), ...line(text));
    expect(done.ui.draft.text).toBe(text);
    expect(done.ui.toast?.tone).toBe("warning");
  });
});

describe("what an earlier process left open", () => {
  test("/continue asks the session to go on with it, also while it is still being opened", () => {
    expect(run(ready(), ...line("/continue")).commands).toContainEqual({ type: "resume-work" });
    expect(run(initialUi(SIZE), ...line("/continue")).ui.outgoing).toMatchObject([{ text: "/continue", request: { type: "resume-work" } }]);
  });

  test("/reconcile takes an effect, a word and a note; anything else stays to be corrected", () => {
    const said = run(ready(), ...line("/reconcile 1a2b3c4d not-applied the table is untouched"));
    expect(said.commands).toContainEqual({
      type: "reconcile",
      effect: "1a2b3c4d",
      outcome: "not-applied",
      note: "the table is untouched",
    });
    expect(run(ready(), ...line("/reconcile 1a2b3c4d APPLIED")).commands).toContainEqual(expect.objectContaining({ outcome: "applied" }));
    const wrong = run(ready(), ...line("/reconcile 1a2b3c4d maybe"));
    expect(wrong.ui.draft.text).toBe("/reconcile 1a2b3c4d maybe");
    expect(wrong.ui.toast?.text).toContain("applied");
    expect(wrong.commands).not.toContainEqual(expect.objectContaining({ type: "reconcile" }));
  });
});

describe("a session that is read", () => {
  const OWNER = { pid: 7, host: "atlas", startedAt: 0, version: "0.1.0" };
  const error = (code: string): UiEvent => ({
    type: "runtime",
    at: 0,
    event: {
      type: "error",
      session: new FakeSession().id,
      time: 0,
      diagnostic: diagnostic({ code, what: "What.", why: "Why.", next: "Next." }),
    },
  });

  test("without a writer cannot be continued as it is, until a repair put another file in its place", () => {
    expect(run(initialUi(SIZE), opened({ access: "read", owner: OWNER })).ui.stuck).toBeUndefined();
    const stuck = run(initialUi(SIZE), opened({ access: "read" })).ui;
    expect(stuck.stuck).toBe("unwritable");
    expect(run(stuck, error("session.damaged")).ui.stuck).toBe("unwritable");
    expect(run(stuck, error("session.history-repaired")).ui.stuck).toBeUndefined();
  });

  test("and was deleted is known to be gone", () => {
    expect(run(ready(), error("session.removed")).ui.stuck).toBe("removed");
  });
});

describe("the menu of commands", () => {
  const chosen = (ui: Ui): string | undefined => menuOf(ui)?.chosen.name;

  test("arrows choose, around the ends, and Enter completes; Enter on a whole command runs it", () => {
    const open = run(ready(), typed("/")).ui;
    expect(chosen(open)).toBe("help");
    expect(chosen(run(open, key("up")).ui)).toBe("quit");
    const down = run(open, key("down"), key("down")).ui;
    expect(chosen(down)).toBe("model");
    const whole = run(down, key("enter"));
    expect(whole.ui.draft.text).toBe("/model ");
    const ran = run(whole.ui, key("enter")).ui;
    expect(ran.draft.text).toBe("");
    expect(ran.overlay).toMatchObject({ type: "models" });
  });

  test("Tab completes what is chosen, with a blank before an argument", () => {
    expect(run(ready(), typed("/na"), key("tab")).ui.draft.text).toBe("/name ");
    expect(run(ready(), typed("/mo"), key("down"), key("tab")).ui.draft.text).toBe("/model ");
    expect(run(ready(), typed("/he"), key("tab")).ui.draft.text).toBe("/help");
  });

  test("a name that is whole is chosen, also where it begins another", () => {
    expect(chosen(run(ready(), typed("/mode")).ui)).toBe("mode");
    expect(chosen(run(ready(), typed("/model")).ui)).toBe("model");
  });

  test("typing on chooses anew, and arrows are the editor's again once the argument begins", () => {
    const down = run(ready(), typed("/"), key("down")).ui;
    expect(chosen(run(down, typed("q")).ui)).toBe("quit");
    const argument = run(ready(), ...line("earlier"), typed("/mode "), key("up")).ui;
    expect(menuOf(argument)).toBeUndefined();
    expect(argument.draft.text).toBe("earlier");
  });
});
