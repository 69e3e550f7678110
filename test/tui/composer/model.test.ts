import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  browse,
  type Draft,
  edit,
  type EditAction,
  EMPTY_DRAFT,
  EMPTY_HISTORY,
  expand,
  insert,
  layoutDraft,
  paste,
  remember,
} from "../../../src/tui/composer/index.js";
import { resolveChord } from "../../../src/tui/focus/index.js";
import { textWidth } from "../../../src/tui/text/index.js";

const WIDTH = 20;
const NAMES: Readonly<Record<string, string>> = { C: "ctrl+", A: "alt+", S: "shift+" };

/** `<C-w>` as the chord `ctrl+w`. */
const chordOf = (token: string): string => token.replace(/([CAS])-(?=.)/g, (_whole, mod: string) => NAMES[mod] ?? "");

function press(draft: Draft, keys: string): Draft {
  return [...keys.matchAll(/<([^>]+)>|([^<]+)/g)].reduce((state, [, token, text]) => {
    if (token === undefined) return insert(state, text ?? "");
    const action = resolveChord(chordOf(token), ["editor", "text", "global"]);
    if (action?.type !== "edit") throw new Error(`<${token}> is not an editing key`);
    return edit(state, action.edit, WIDTH);
  }, draft);
}

/** `|` is the caret. */
function draftOf(marked: string): Draft {
  const cursor = marked.indexOf("|");
  return { ...EMPTY_DRAFT, text: marked.replace("|", ""), cursor };
}

const shown = ({ text, cursor }: Draft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe("editor keys", () => {
  test.each([
    ["hel|lo", "<C-w>", "|lo"],
    ["one two|", "<C-w>", "one |"],
    ["one two  |", "<C-w>", "one |"],
    ["a/b.c|", "<C-w>", "|"],
    ["a/b.c|", "<A-backspace>", "a/b.|"],
    ["a\n|b", "<C-w>", "a|b"],
    ["hel|lo", "<C-u>", "|lo"],
    ["a\nhel|lo", "<C-u>", "a\n|lo"],
    ["a\n|b", "<C-u>", "a|b"],
    ["hel|lo\nx", "<C-k>", "hel|\nx"],
    ["hello|\nx", "<C-k>", "hello|x"],
    ["one |two three", "<A-d>", "one | three"],
    ["one two|", "<C-left>", "one |two"],
    ["one, |two", "<A-b>", "|one, two"],
    ["|one two", "<A-f>", "one| two"],
    ["one| two", "<C-right>", "one two|"],
    ["ab|c", "<left>x", "ax|bc"],
    ["a\nb|c", "<home>", "a\n|bc"],
    ["a\n|bc\nd", "<end>", "a\nbc|\nd"],
    ["a|b\ncd", "<down>", "ab\nc|d"],
    ["abcd\ne|\nfghi", "<up><end><down><down>", "abcd\ne\nfghi|"],
    ["hello wo|rld", "<C-w><C-y><C-y>", "hello wowo|rld"],
    ["a b c|", "<C-w><C-w><C-y>", "a b c|"],
    ["one two|", "<C-w><left><C-k><C-y><A-y>", "onetwo|"],
    ["ab|", "<C-t>", "ba|"],
    ["|", "one two<C-_>", "|"],
    ["|", "one<C-j>two<C-_><C-_>", "one|"],
    ["|", "one<C-_><A-z>", "one|"],
    ["a|", "<S-enter>b", "a\nb|"],
    ["漢字|かな", "<backspace>", "漢|かな"],
    ["👩‍👩‍👧x|", "<backspace><backspace>", "|"],
    ["🇩🇪|x", "<backspace>", "|x"],
    ["e\u0301|", "<backspace>", "|"],
    ["☀️|x", "<left>", "|☀️x"],
    ["กำ|", "<backspace><backspace>", "|"],
    ["|ｱﾊﾞ", "<right><right>", "ｱﾊﾞ|"],
  ])("%s %s gives %s", (before, keys, after) => {
    expect(shown(press(draftOf(before), keys))).toBe(after);
  });

  test("a word typed by characters is one undo step", () => {
    let draft = EMPTY_DRAFT;
    for (const char of "say hello") draft = insert(draft, char);
    expect(shown(edit(draft, "undo", WIDTH))).toBe("say |");
  });

  test("undo and redo are inverse", () => {
    const actions: readonly EditAction[] = [
      "delete-left",
      "delete-right",
      "kill-word-left",
      "kill-to-end",
      "yank",
      "newline",
      "left",
      "right",
      "up",
      "down",
      "word-left",
      "line-end",
      "transpose",
    ];
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(...actions),
            fc.constantFrom("a", " ", "漢", "👩‍👩‍👧", "\n").map((text) => ({ text })),
          ),
          { maxLength: 30 },
        ),
        (steps) => {
          let draft = EMPTY_DRAFT;
          for (const step of steps) draft = typeof step === "string" ? edit(draft, step, WIDTH) : insert(draft, step.text);
          const { text } = draft;
          let undone = draft;
          for (let count = draft.undo.length; count > 0; count -= 1) undone = edit(undone, "undo", WIDTH);
          expect(undone.text).toBe("");
          for (let count = draft.undo.length; count > 0; count -= 1) undone = edit(undone, "redo", WIDTH);
          expect(undone.text).toBe(text);
          expect(draft.cursor).toBeGreaterThanOrEqual(0);
          expect(draft.cursor).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});

describe("large pastes", () => {
  const big = Array.from({ length: 200 }, (_, index) => `line ${String(index)}`).join("\r\n");

  test("a large one is folded to a label and opened again when sent", () => {
    const draft = insert(paste(insert(EMPTY_DRAFT, "look: "), big), " ok");
    expect(draft.text).toBe("look: [paste 1: 200 lines] ok");
    expect(expand(draft)).toBe(`look: ${big.replaceAll("\r\n", "\n")} ok`);
  });

  test("the label is one character for motions and deletion", () => {
    const draft = paste(insert(EMPTY_DRAFT, "a"), big);
    expect(shown(edit(draft, "left", WIDTH))).toBe("a|[paste 1: 200 lines]");
    expect(shown(edit(draft, "delete-left", WIDTH))).toBe("a|");
    expect(shown(edit(draft, "kill-word-left", WIDTH))).toBe("a|");
  });

  test("a small one stays text, CR and CRLF become line breaks, tabs stay, codes go", () => {
    expect(paste(EMPTY_DRAFT, "a\r\nb\rc\td\x1b[31me\x1b]0;t\x07").text).toBe("a\nb\nc\tde");
  });

  test("two pastes have two labels", () => {
    const draft = paste(paste(EMPTY_DRAFT, big), big.toUpperCase());
    expect(draft.text).toBe("[paste 1: 200 lines][paste 2: 200 lines]");
    expect(expand(draft)).toBe((big + big.toUpperCase()).replaceAll("\r\n", "\n"));
  });
});

describe("prompt history", () => {
  const history = ["one", "two"].reduce(remember, EMPTY_HISTORY);

  test("up goes back, down returns to the unsent draft", () => {
    const first = browse(history, insert(EMPTY_DRAFT, "unsent"), -1);
    expect(first.draft.text).toBe("two");
    const second = browse(first.history, first.draft, -1);
    expect(second.draft.text).toBe("one");
    expect(browse(second.history, second.draft, -1).draft).toBe(second.draft);
    const back = browse(second.history, second.draft, 1);
    const end = browse(back.history, back.draft, 1);
    expect(end.draft.text).toBe("unsent");
    expect(end.history.browsing).toBeUndefined();
  });

  test("a repeated prompt is remembered once", () => {
    expect(remember(history, "two").entries).toEqual(["one", "two"]);
  });
});

describe("soft wrap", () => {
  test("no row is wider than asked and nothing is lost", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "漢", "👍", "\n", "\t", "e\u0301"), maxLength: 80 }),
        fc.integer({ min: 4, max: 30 }),
        fc.nat(80),
        (text, width, at) => {
          const cursor = Math.min(at, text.length);
          const layout = layoutDraft(text, cursor, width);
          for (const { text: line } of layout.rows) expect(textWidth(line)).toBeLessThanOrEqual(width);
          const covered = layout.rows.map(({ from, to }) => text.slice(from, to)).join("");
          expect(covered).toBe(text.replaceAll("\n", ""));
          expect(layout.caretColumn).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test("the caret's column is the sum of widths", () => {
    expect(layoutDraft("漢字a", 2, 20)).toMatchObject({ caretRow: 0, caretColumn: 4 });
    expect(layoutDraft("漢字a", 3, 20)).toMatchObject({ caretRow: 0, caretColumn: 5 });
  });
});
