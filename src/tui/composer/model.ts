import { sanitize } from "../text/index.js";
import { layoutDraft, positionAt } from "./layout.js";
import { blankWordLeft, type Chips, lineEnd, lineStart, unitLeft, unitRight, wordLeft, wordRight } from "./motion.js";

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

/** The editor's draft. `cursor` is a UTF-16 offset on the edge of a grapheme. */
export interface Draft extends Snapshot {
  /** Cell column that vertical motion tries to keep. */
  readonly goal?: number;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** Newest last. */
  readonly kills: readonly string[];
  /** Kind of the last change: equal kinds in a row make one undo step or one kill. */
  readonly last: "none" | "insert" | "delete" | "kill" | "yank";
  /** Length of what the last yank put before the cursor, and which kill it was. */
  readonly yanked?: { readonly length: number; readonly index: number };
  readonly chips: Chips;
  readonly pasteCount: number;
}

export type EditAction =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "draft-start"
  | "draft-end"
  | "up"
  | "down"
  | "delete-left"
  | "delete-right"
  | "kill-word-left"
  | "kill-blank-word-left"
  | "kill-word-right"
  | "kill-to-start"
  | "kill-to-end"
  | "yank"
  | "yank-cycle"
  | "undo"
  | "redo"
  | "newline"
  | "transpose";

export const EMPTY_DRAFT: Draft = { text: "", cursor: 0, undo: [], redo: [], kills: [], last: "none", chips: new Map(), pasteCount: 0 };

const MAX_UNDO = 200;
const MAX_KILLS = 20;
/** Pastes above either bound are folded to one label. */
const FOLD_LINES = 10;
const FOLD_CHARS = 2000;

const move = (draft: Draft, cursor: number): Draft => {
  const { goal: _goal, yanked: _yanked, ...rest } = draft;
  return { ...rest, cursor, last: "none" };
};

/** What a change was, for joining it to the one before; `grouped` joins it to that undo step. */
interface ChangeKind {
  readonly last: Draft["last"];
  readonly grouped?: boolean;
}

function replace(draft: Draft, [from, to]: readonly [number, number], text: string, { last, grouped }: ChangeKind): Draft {
  const { goal: _goal, yanked: _yanked, ...rest } = draft;
  const undo = grouped === true ? draft.undo : [...draft.undo, { text: draft.text, cursor: draft.cursor }].slice(-MAX_UNDO);
  return { ...rest, text: draft.text.slice(0, from) + text + draft.text.slice(to), cursor: from + text.length, undo, redo: [], last };
}

function kill(draft: Draft, from: number, to: number): Draft {
  if (from === to) return draft;
  const cut = draft.text.slice(from, to);
  const before = draft.last === "kill" ? draft.kills.at(-1) : undefined;
  const joined = before === undefined ? cut : from < draft.cursor ? cut + before : before + cut;
  const kills = before === undefined ? [...draft.kills, joined].slice(-MAX_KILLS) : [...draft.kills.slice(0, -1), joined];
  return { ...replace(draft, [from, to], "", { last: "kill" }), kills };
}

function yank(draft: Draft): Draft {
  const text = draft.kills.at(-1);
  if (text === undefined) return draft;
  return {
    ...replace(draft, [draft.cursor, draft.cursor], text, { last: "yank" }),
    yanked: { length: text.length, index: draft.kills.length - 1 },
  };
}

function yankCycle(draft: Draft): Draft {
  const { yanked, kills } = draft;
  if (draft.last !== "yank" || yanked === undefined || kills.length < 2) return draft;
  const index = (yanked.index + kills.length - 1) % kills.length;
  const text = kills[index] ?? "";
  return {
    ...replace(draft, [draft.cursor - yanked.length, draft.cursor], text, { last: "yank", grouped: true }),
    yanked: { length: text.length, index },
  };
}

function travel(draft: Draft, from: "undo" | "redo"): Draft {
  const target = draft[from].at(-1);
  if (target === undefined) return draft;
  const here: Snapshot = { text: draft.text, cursor: draft.cursor };
  const rest = draft[from].slice(0, -1);
  const { goal: _goal, yanked: _yanked, ...kept } = draft;
  return {
    ...kept,
    ...target,
    last: "none",
    ...(from === "undo" ? { undo: rest, redo: [...draft.redo, here] } : { redo: rest, undo: [...draft.undo, here] }),
  };
}

function transpose(draft: Draft): Draft {
  const at = draft.cursor === draft.text.length ? unitLeft(draft.text, draft.cursor, draft.chips) : draft.cursor;
  const left = unitLeft(draft.text, at, draft.chips);
  const right = unitRight(draft.text, at, draft.chips);
  if (left === at || draft.text.slice(left, right).includes("\n")) return draft;
  return replace(draft, [left, right], draft.text.slice(at, right) + draft.text.slice(left, at), { last: "none" });
}

/** One row up or down at `width` cells; the same draft when there is no such row. */
function vertical(draft: Draft, by: -1 | 1, width: number): Draft {
  const layout = layoutDraft(draft.text, draft.cursor, width);
  const row = layout.caretRow + by;
  if (row < 0 || row >= layout.rows.length) return draft;
  const goal = draft.goal ?? layout.caretColumn;
  return { ...move(draft, snap(draft, positionAt(layout, draft.text, row, goal))), goal };
}

/** A position inside of a folded paste goes to its start. */
function snap(draft: Draft, at: number): number {
  for (const label of draft.chips.keys()) {
    const start = draft.text.lastIndexOf(label, at);
    if (start >= 0 && start < at && at < start + label.length) return start;
  }
  return at;
}

type MoveAction = "left" | "right" | "word-left" | "word-right" | "line-start" | "line-end" | "draft-start" | "draft-end" | "up" | "down";
type ChangeAction = Exclude<EditAction, MoveAction>;

const MOVES: ReadonlySet<EditAction> = new Set<MoveAction>([
  "left",
  "right",
  "word-left",
  "word-right",
  "line-start",
  "line-end",
  "draft-start",
  "draft-end",
  "up",
  "down",
]);

const isMove = (action: EditAction): action is MoveAction => MOVES.has(action);

/** Pure: the draft after one editing action. `width` is that of the editor's text in cells. */
export const edit = (draft: Draft, action: EditAction, width: number): Draft =>
  isMove(action) ? moved(draft, action, width) : change(draft, action);

function moved(draft: Draft, action: MoveAction, width: number): Draft {
  const { text, cursor, chips } = draft;
  switch (action) {
    case "left":
      return move(draft, unitLeft(text, cursor, chips));
    case "right":
      return move(draft, unitRight(text, cursor, chips));
    case "word-left":
      return move(draft, wordLeft(text, cursor, chips));
    case "word-right":
      return move(draft, wordRight(text, cursor, chips));
    case "line-start":
      return move(draft, lineStart(text, cursor));
    case "line-end":
      return move(draft, lineEnd(text, cursor));
    case "draft-start":
      return move(draft, 0);
    case "draft-end":
      return move(draft, text.length);
    case "up":
      return vertical(draft, -1, width);
    case "down":
      return vertical(draft, 1, width);
  }
}

function change(draft: Draft, action: ChangeAction): Draft {
  const { text, cursor, chips } = draft;
  switch (action) {
    case "delete-left":
      return remove(draft, unitLeft(text, cursor, chips), cursor);
    case "delete-right":
      return remove(draft, cursor, unitRight(text, cursor, chips));
    case "kill-word-left":
      return kill(draft, wordLeft(text, cursor, chips), cursor);
    case "kill-blank-word-left":
      return kill(draft, blankWordLeft(text, cursor, chips), cursor);
    case "kill-word-right":
      return kill(draft, cursor, wordRight(text, cursor, chips));
    case "kill-to-start":
      return kill(draft, cursor === lineStart(text, cursor) ? Math.max(0, cursor - 1) : lineStart(text, cursor), cursor);
    case "kill-to-end":
      return kill(draft, cursor, cursor === lineEnd(text, cursor) ? Math.min(text.length, cursor + 1) : lineEnd(text, cursor));
    case "yank":
      return yank(draft);
    case "yank-cycle":
      return yankCycle(draft);
    case "undo":
      return travel(draft, "undo");
    case "redo":
      return travel(draft, "redo");
    case "transpose":
      return transpose(draft);
    case "newline":
      return insert(draft, "\n");
  }
}

const remove = (draft: Draft, from: number, to: number): Draft =>
  from === to ? draft : replace(draft, [from, to], "", { last: "delete", grouped: draft.last === "delete" });

/** Text without control codes; line ends become LF, tabs stay. */
export const cleanDraft = (text: string): string => text.split("\t").map(sanitize).join("\t");

/** Typed text. Runs of one word make one undo step. */
export function insert(draft: Draft, typed: string): Draft {
  const text = cleanDraft(typed);
  if (text === "") return draft;
  const before = draft.text.charAt(draft.cursor - 1);
  const grouped = draft.last === "insert" && !/\s/.test(text) && !/\s/.test(before);
  return replace(draft, [draft.cursor, draft.cursor], text, { last: "insert", grouped });
}

/** Pasted text: one undo step; a large one is folded to a label that {@link expand} opens again. */
export function paste(draft: Draft, pasted: string): Draft {
  const text = cleanDraft(pasted);
  const lines = text.split("\n").length;
  if (lines <= FOLD_LINES && text.length <= FOLD_CHARS)
    return text === "" ? draft : replace(draft, [draft.cursor, draft.cursor], text, { last: "none" });
  const pasteCount = draft.pasteCount + 1;
  // The newline that ends the last line begins no other.
  const told = text.endsWith("\n") ? lines - 1 : lines;
  const size = told > 1 ? `${String(told)} lines` : `${String(text.length)} characters`;
  const label = `[paste ${String(pasteCount)}: ${size}]`;
  return {
    ...replace(draft, [draft.cursor, draft.cursor], label, { last: "none" }),
    pasteCount,
    chips: new Map([...draft.chips, [label, text]]),
  };
}

/** What is sent: the draft with every folded paste opened. */
export function expand(draft: Draft): string {
  if (draft.chips.size === 0) return draft.text;
  const labels = [...draft.chips.keys()].map((label) => label.replace(/[[\]]/g, "\\$&"));
  return draft.text.replace(new RegExp(labels.join("|"), "g"), (label) => draft.chips.get(label) ?? label);
}

/** An empty draft that keeps the kill ring, and can be undone to the one before. */
export const cleared = (draft: Draft): Draft => (draft.text === "" ? draft : replace(draft, [0, draft.text.length], "", { last: "none" }));

/** After sending: nothing to undo to. */
export const sent = (draft: Draft): Draft => ({ ...EMPTY_DRAFT, kills: draft.kills, pasteCount: draft.pasteCount });

/** `text` put in place of the whole draft, as one undo step. */
export const withText = (draft: Draft, text: string): Draft => replace(draft, [0, draft.text.length], cleanDraft(text), { last: "none" });
