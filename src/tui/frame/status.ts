import { STARTING } from "../first-frame.js";
import { money, roleStyle, tokens } from "../render/index.js";
import { isAsked, isObserver, menuOf, type Ui, waitLeft } from "../store/index.js";
import { ellipsize, sanitizeLine, textWidth } from "../text/index.js";
import type { Piece } from "./chrome-view.js";
import { isLong, TONES } from "./toasts.js";

/** The last row: what the keys do now, or what was just said; what plugins keep there; which model, how full, how free. */
export interface StatusPieces {
  readonly left: readonly Piece[];
  readonly right: readonly Piece[];
}

/** Cells between the two sides of the last row, and after it. */
const MARGIN = 3;

export function statusPieces(ui: Ui, { activityWidth, now }: StatusFacts): StatusPieces {
  const { columns } = ui.size;
  const left = waitLeft(ui, now);
  if (left > 0 && !isAsked(ui) && (ui.toast === undefined || isLong(ui))) return waitPieces(ui, left);
  const hasRight = ui.toast === undefined || isLong(ui) || textWidth(ui.toast.text) < columns / 2 - 4;
  const facts = hasRight ? fitFacts(ui, columns * FACTS_SHARE) : [];
  const hints = statusLeft(ui);
  const room = columns - activityWidth - MARGIN - widthOf(facts);
  // Items of plugins give way to the first hint, and the other hints to them.
  const items = hasRight ? fitItems(ui, Math.min(room - widthOf(hints[0] ?? []), Math.floor(columns * ITEM_SHARE))) : [];
  return { left: fitGroups(hints, room - widthOf(items)), right: [...items, ...facts] };
}

export interface StatusFacts {
  readonly activityWidth: number;
  /** Of the monotonic clock. */
  readonly now: number;
}

const piece = (text: string, style: Piece["style"]): Piece => ({ text, style });

const widthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + textWidth(text), 0);

/** Pieces that are read together: shown whole or left out. */
type Group = readonly Piece[];

const hints = (...pairs: readonly (readonly [string, string])[]): readonly Group[] =>
  pairs.map(([keys, what], index) => [piece(index === 0 ? " " : " · ", "hint"), piece(keys, "key"), piece(` ${what}`, "hint")]);

/** The first stays in any case; of the others those that there is room for. */
function fitGroups([first = [], ...others]: readonly Group[], room: number): readonly Piece[] {
  return others.reduce((kept, group) => (widthOf(kept) + widthOf(group) <= room ? [...kept, ...group] : kept), first);
}

function statusLeft(ui: Ui): readonly Group[] {
  if (ui.toast !== undefined && !isLong(ui)) return [[piece(` ${sanitizeLine(ui.toast.text)}`, TONES[ui.toast.tone])]];
  if (ui.phase === "failed") return hints(["Ctrl-D", "quit"]);
  const asked = askedHints(ui);
  if (asked !== undefined) return asked;
  if (isObserver(ui)) return hints(["?", "keys"], ["q", "leave"]);
  const menu = menuOf(ui);
  if (menu !== undefined) return hints(["↑ ↓", "choose"], ["Enter", menu.isWhole ? "run" : "complete"]);
  if (ui.phase === "starting") return [[piece(` ${STARTING}`, "hint")], ...hints(["Enter", "sends when ready"])];
  return ui.running ? turnHints(ui) : hints(["Enter", "send"], ["Shift+Enter", "newline"], ["/", "command"], ["?", "keys"]);
}

/** A dialog says its own keys; here are those for who looks here, and the way out of it all. */
function askedHints({ approvals: [call], reason, asked, running }: Ui): readonly Group[] | undefined {
  const stop: readonly (readonly [string, string])[] = running ? [["Ctrl-C", "stop"]] : [];
  if (call !== undefined && reason !== undefined) return hints(["Enter", "no"], ["Esc", "back"], ["Ctrl-C", "stop"]);
  if (call !== undefined)
    return hints(
      ["y", "once"],
      ["s", "session"],
      ...(call.rule === undefined ? [] : [["p", "project"] as const]),
      ["n", "no"],
      ["Ctrl-C", "stop"],
    );
  if (asked === undefined) return undefined;
  return hints(["Esc", "no answer"], ...stop);
}

function turnHints(ui: Ui): readonly Group[] {
  if (ui.stopping) return [[piece(" stopping …", "warning")]];
  return hints(["Esc", "stop"], ["Enter", "steer"], ["Tab", "queue"]);
}

/** A wait for the same model: until when, and the key that ends it, whatever the width. What else is known gives way to it. */
function waitPieces(ui: Ui, leftMs: number): StatusPieces {
  const { columns } = ui.size;
  const { why = "", attempt = 0, max = 0 } = ui.retry ?? {};
  const seconds = `${String(Math.ceil(leftMs / 1000))} s`;
  const again = `again in ${seconds}`;
  const of = `(${String(attempt)} of ${String(max)})`;
  const key = [piece(" · ", "hint"), piece("Esc", "key"), piece(" stops", "hint")];
  const wordings = [`${why}, asking ${again} ${of}`, `${why}, ${again} ${of}`, `${why}, ${again}`, `${why}, ${seconds}`, again];
  const room = columns - widthOf(key) - 2;
  const text = wordings.find((wording) => textWidth(wording) <= room) ?? again;
  const left = [piece(` ${text}`, "warning"), ...key];
  const rest = columns - widthOf(left) - MARGIN;
  const facts = fitFacts(ui, Math.min(rest, columns * FACTS_SHARE));
  return { left, right: widthOf(facts) <= rest ? facts : [] };
}

/** Of the last row, for what is known of the session. */
const FACTS_SHARE = 0.55;
const MAX_MODEL = 28;

/** Model, context, cost and mode in less and less room: the mode stays whatever the width, the model goes last of the others. */
function factWordings({ status }: Ui): readonly (readonly string[])[] {
  if (status === undefined) return [[]];
  const { mode } = status;
  const names = modelWordings(status);
  const [short = "", answering = short] = names.slice(-2);
  const [context, brief] = contextWordings(status);
  const cost = money(status) ?? "";
  return [
    ...names.slice(0, -1).map((name) => [name, context, cost, mode]),
    [short, brief, cost, mode],
    [short, cost, mode],
    [short, mode],
    [answering, mode],
    [mode],
  ];
}

type Status = NonNullable<Ui["status"]>;

/** Who answers: with what was chosen and the provider, without the provider, alone. The level of thinking stays. */
function modelWordings({ selection, model, thinking }: Status): readonly string[] {
  const level = thinking === undefined || model.model === "" ? "" : `:${thinking}`;
  const named = (name: string): string => (name === "" ? "" : `${ellipsize(sanitizeLine(name), MAX_MODEL)}${level}`);
  const answering = named(model.model);
  if (selection === undefined) return [answering, answering];
  const chosen = ellipsize(sanitizeLine(selection), MAX_MODEL / 2);
  return [`${chosen} → ${named(`${model.provider}/${model.model}`)}`, `${chosen} → ${answering}`, answering];
}

/** How full the model's window is, and the same in less room. */
function contextWordings({ contextTokens, contextLimit }: Status): readonly [string, string] {
  if (contextLimit === undefined) return [contextTokens === undefined || contextTokens === 0 ? "" : `${tokens(contextTokens)} tokens`, ""];
  if (contextTokens === undefined) return [`?% of ${tokens(contextLimit)}`, ""];
  const share = `${String(Math.round((contextTokens / contextLimit) * 100))}%`;
  return [`${share} of ${tokens(contextLimit)}`, share];
}

/** As much as fits; the last wording in any case. */
function fitFacts(ui: Ui, most: number): readonly Piece[] {
  const wordings = factWordings(ui).map((parts) => parts.filter((part) => part !== ""));
  const width = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + textWidth(part) + 2, 0);
  const kept = wordings.find((parts) => width(parts) <= most) ?? wordings.at(-1) ?? [];
  return kept.map((part, index) => piece(index === kept.length - 1 ? part : `${part}  `, index === kept.length - 1 ? "muted" : "hint"));
}

/** What plugins may take of the last row. */
const ITEM_SHARE = 0.4;
const MAX_ITEM = 28;
const MIN_ITEM = 6;

/** As many items as fit, the last one shortened; how many others there are. */
function fitItems(ui: Ui, room: number): readonly Piece[] {
  const items = (ui.status?.statusItems ?? []).filter(({ text }) => text.trim() !== "");
  const out: Piece[] = [];
  let left = room;
  for (const [index, { text, role }] of items.entries()) {
    const others = items.length - index - 1;
    const more = others === 0 ? 0 : ` +${String(others)}  `.length;
    const shown = ellipsize(sanitizeLine(text).trim(), Math.min(MAX_ITEM, left - more - 2));
    if (textWidth(shown) < Math.min(MIN_ITEM, textWidth(text))) {
      if (left >= 5) out.push(piece(`+${String(items.length - index)}  `, "hint"));
      break;
    }
    out.push(piece(shown, role === undefined || role === "plain" ? "muted" : roleStyle(role)), piece("  ", "hint"));
    left -= textWidth(shown) + 2;
  }
  return out;
}
