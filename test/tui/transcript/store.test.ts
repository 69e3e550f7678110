import { describe, expect, test } from "vitest";

import type { CallId, EffectId, EntryId, SubmissionId } from "../../../src/base/index.js";
import { usedForRun } from "../../../src/plugin/store/discovery/diagnostics.js";
import { rowText, spansWidth } from "../../../src/tui/text/index.js";
import { TranscriptRows, TranscriptStore } from "../../../src/tui/transcript/index.js";
import { exchange, FakeSession, fakeId, type BareEvent } from "../../support/fake-session.js";

const session = new FakeSession();

function apply(store: TranscriptStore, ...events: readonly BareEvent[]): void {
  const stop = session.observe((event) => {
    store.apply(event, 0);
  });
  session.emit(...events);
  stop();
}

function texts(store: TranscriptStore, width = 60, expanded = false): readonly string[] {
  const rows = new TranscriptRows(store, undefined, () => undefined);
  rows.look({ width, expanded, tick: 0, now: 0 });
  const out: string[] = [];
  for (let seq = store.first; seq < store.end; seq += 1) out.push(...rows.rows(seq).map((line) => rowText(line).trimEnd()));
  return out;
}

const model = { provider: "fake", model: "m" };
const assistant = (text: string, thinking?: string): BareEvent => ({
  type: "assistant",
  entry: fakeId<EntryId>(),
  text,
  stop: "stop",
  model,
  ...(thinking === undefined ? {} : { thinking }),
});

describe("transcript store", () => {
  test("deltas and the authoritative end give one item", () => {
    const store = new TranscriptStore();
    apply(
      store,
      { type: "assistant_start", request: "r", model },
      { type: "assistant_delta", text: "Hel" },
      { type: "assistant_delta", text: "lo" },
      assistant("Hello"),
    );
    expect(texts(store)).toEqual(["   Hello"]);
  });

  test("the end wins over what was streamed", () => {
    const store = new TranscriptStore();
    apply(store, { type: "assistant_delta", text: "wrong" }, assistant("right"));
    expect(texts(store)).toEqual(["   right"]);
  });

  test("what a plugin said for a person is not shown as theirs: it is named", () => {
    const store = new TranscriptStore();
    const said = (text: string, plugin?: string): BareEvent => ({
      type: "user",
      entry: fakeId<EntryId>(),
      text,
      source: "steer",
      ...(plugin === undefined ? {} : { plugin }),
    });
    apply(store, said("mine"), said("Explain it.", "acme.explain\x1b[8m"), {
      ...said("Use tabs.", "acme.rules"),
      source: "notice",
    } as BareEvent);
    expect(texts(store).filter((line) => line !== "")).toEqual([
      " › steer: mine",
      " › acme.explain: Explain it.",
      "   · acme.rules told the model: Use tabs.",
    ]);
  });

  test("the same entry twice is one item", () => {
    const store = new TranscriptStore();
    const event = assistant("once");
    apply(store, event, event);
    expect(texts(store)).toEqual(["   once"]);
  });

  test("thinking is folded to a row and unfolds", () => {
    const store = new TranscriptStore();
    apply(store, { type: "thinking_delta", text: "one\ntwo" }, assistant("done", "one\ntwo"));
    expect(texts(store)).toEqual(["   thought, 2 lines · ctrl+o", "", "   done"]);
    expect(texts(store, 60, true)).toEqual(["   one", "   two", "", "   done"]);
  });

  test("thinking that was cleared is gone", () => {
    const store = new TranscriptStore();
    apply(store, { type: "thinking_delta", text: "hm" }, { type: "thinking_cleared" }, { type: "assistant_delta", text: "so" });
    expect(texts(store)).toEqual(["   so"]);
  });

  test("an unknown effect says what, since when, and that nothing was run again", () => {
    const store = new TranscriptStore();
    apply(store, {
      type: "unknown_effect",
      effect: fakeId(),
      operation: "shell",
      summary: "./migrate.sh --prod",
      startedAt: Date.UTC(2023, 10, 14, 22, 13, 20),
    });
    const shown = texts(store, 120).join("\n");
    expect(shown).toContain("⚠ smith ended while this was running; its outcome is unknown:");
    expect(shown).toContain("shell  ./migrate.sh --prod");
    expect(shown).toContain("no completion recorded; nothing was run again.");
    expect(shown).toContain("applied|not-applied");
  });

  test("one failure told by two events is shown once", () => {
    const store = new TranscriptStore();
    const error = {
      code: "provider.transport",
      what: "no answer",
      why: "refused",
      next: "start the server",
      severity: "error",
      retry: { type: "never" },
    } as const;
    apply(
      store,
      { type: "assistant", entry: fakeId<EntryId>(), text: "", stop: "failed", model, error },
      { type: "run_end", status: "error", reason: "provider", reply: "", receipt: fakeId<SubmissionId>(), error },
    );
    expect(texts(store)).toEqual(["   ✗ no answer", "     refused", "   → start the server"]);
  });

  test("failures of one kind that are not the same are all shown; a warning has its own mark, and a place in a file is named", () => {
    const store = new TranscriptStore();
    const problem = { code: "a.b", why: "", next: "", severity: "warning", retry: { type: "never" } } as const;
    apply(
      store,
      { type: "error", diagnostic: { ...problem, what: "one", source: { type: "file", path: "/p/a.ts", line: 12, column: 3 } } },
      { type: "error", diagnostic: { ...problem, what: "two", source: { type: "plugin", id: "acme.lint" } } },
      { type: "error", diagnostic: { ...problem, what: "two", source: { type: "plugin", id: "acme.lint" } } },
    );
    expect(texts(store)).toEqual(["   ⚠ one", "     /p/a.ts:12:3", "", "   ⚠ two"]);
  });

  test("the note of a plugin named for the run is a warning, what it may do in its first line, and no failure", () => {
    const store = new TranscriptStore();
    apply(store, {
      type: "error",
      diagnostic: usedForRun("acme.lint", "/p/lint", [{ facility: "vcs", words: "read git", isStrong: false }]),
    });
    expect(texts(store)).toEqual([
      "   ⚠ The plugin acme.lint is used in this run. It may read",
      "     git.",
      "     It was named by --plugin, which approves that: /p/lint",
      "   → Nothing is to be done. To have it in every run: smith",
      "     plugins install /p/lint",
    ]);
  });

  test("a call that waits for a person says so, and their time is not its own", () => {
    const store = new TranscriptStore();
    const id = fakeId<CallId>();
    apply(
      store,
      { type: "tool_start", id, name: "shell", args: {}, argsSummary: "x" },
      { type: "approval", id, name: "shell", argsSummary: "x", args: {} },
    );
    expect(texts(store)[0]).toMatch(/\? shell x +waiting for you$/);
    apply(store, { type: "approval_settled", id, allowed: true });
    expect(texts(store)[0]).toMatch(/shell x +running 0 s$/);
  });

  test("an unknown effect that is told twice is shown once", () => {
    const store = new TranscriptStore();
    const told: BareEvent = { type: "unknown_effect", effect: fakeId(), operation: "shell", summary: "x", startedAt: 0 };
    apply(store, told, told);
    expect(store.end - store.first).toBe(1);
  });

  test("an unknown effect shows a person's word on it", () => {
    const store = new TranscriptStore();
    const effect = fakeId<EffectId>();
    apply(store, { type: "unknown_effect", effect, operation: "shell", summary: "x", startedAt: 0 });
    expect(texts(store).join("\n")).toContain("/reconcile");
    store.reconciled(effect, "not applied");
    expect(texts(store).join("\n")).toContain("You said: not applied.");
    expect(texts(store).join("\n")).not.toContain("/reconcile");
  });

  test("what is shown anew is known anew, and numbers are not used again", () => {
    const store = new TranscriptStore();
    const events = exchange(session, "kept", "answer");
    for (const event of [...exchange(session, "lost", "reply"), ...events]) store.apply(event, 0);
    const { end } = store;
    store.clear();
    expect(store.isEmpty).toBe(true);
    for (const event of events) store.apply(event, 0);
    expect(texts(store)).toEqual([" › kept", "", "   answer"]);
    expect(store.first).toBe(end);
  });

  test("a tool that has no end when the run ends has an unknown outcome", () => {
    const store = new TranscriptStore();
    apply(
      store,
      { type: "tool_start", id: fakeId<CallId>(), name: "shell", args: {}, argsSummary: "x" },
      { type: "run_end", status: "ok", reason: "done", reply: "", receipt: fakeId<SubmissionId>() },
    );
    expect(texts(store)[0]).toContain("outcome unknown");
  });

  test("older pages come before, without changing the numbers of what is there", () => {
    const store = new TranscriptStore();
    for (const event of exchange(session, "new", "answer")) store.apply(event, 0);
    const [first] = [store.first];
    store.prepend(exchange(session, "old", "reply"), 0);
    expect(store.first).toBe(first - 2);
    expect(texts(store)).toEqual([" › old", "", "   reply", "", " › new", "", "   answer"]);
  });

  test("a call that the page border cut is one card", () => {
    const store = new TranscriptStore();
    const id = fakeId<CallId>();
    apply(store, {
      type: "tool_end",
      id,
      name: "grep",
      result: "",
      isError: false,
      resultSummary: "3 matches",
      mutation: "not-applied",
      durationMs: 1,
    });
    store.prepend([{ session: session.id, time: 0, type: "tool_start", id, name: "grep", args: {}, argsSummary: "total" }], 0);
    expect(texts(store)).toEqual([expect.stringMatching(/^ {3}✓ grep total +3 matches · 1 ms$/)]);
  });
});

describe("rows of a streamed answer", () => {
  const source =
    "# Plan 漢字\n\nA paragraph with **bold** that is long enough to wrap at sixty cells, twice at least.\n\n- one\n- two\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.";

  test("equal those of the settled answer, however it was cut", () => {
    const settled = new TranscriptStore();
    apply(settled, assistant(source));
    for (const step of [1, 3, 7, 50]) {
      const store = new TranscriptStore();
      const rows = new TranscriptRows(store, undefined, () => undefined);
      rows.look({ width: 60, expanded: false, tick: 0, now: 0 });
      for (let at = 0; at < source.length; at += step) {
        apply(store, { type: "assistant_delta", text: source.slice(at, at + step) });
        for (const line of rows.rows(0)) expect(spansWidth(line.spans)).toBeLessThanOrEqual(60);
      }
      apply(store, assistant(source));
      expect(rows.rows(0).map((line) => rowText(line).trimEnd())).toEqual(texts(settled));
    }
  });

  test("rows of closed blocks are the same objects from frame to frame", () => {
    const store = new TranscriptStore();
    const rows = new TranscriptRows(store, undefined, () => undefined);
    rows.look({ width: 60, expanded: false, tick: 0, now: 0 });
    apply(store, { type: "assistant_delta", text: "first block\n\nsecond line\nthird" });
    const [first] = rows.rows(0);
    apply(store, { type: "assistant_delta", text: " grows" });
    expect(rows.rows(0)[0]).toBe(first);
  });

  test("escape codes cut between two deltas do not get through", () => {
    const store = new TranscriptStore();
    for (const piece of ["a\x1b", "]52;c;ZXZp", "bA==\x07b\x1b[3", "1mc"]) apply(store, { type: "assistant_delta", text: piece });
    expect(texts(store)).toEqual(["   abc"]);
  });
});
