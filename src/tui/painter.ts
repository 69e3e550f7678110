import type { Clock } from "../base/index.js";
import { frameShape } from "./first-frame.js";
import {
  activityText,
  bodyHeight,
  type ChromeLines,
  type ChromeSurface,
  chromeView,
  compose,
  dialogOf,
  markerRow,
  type Page,
  pageOf,
  pageView,
  welcomeRows,
} from "./frame/index.js";
import type { Ui } from "./store/index.js";
import type { Frame, FrameWriter } from "./terminal/index.js";
import { EMPTY_ROW, type Row } from "./text/index.js";
import {
  FOLLOW,
  look,
  MAX_COUNTED,
  scroll,
  scrollTo,
  topSeq,
  type TranscriptRows,
  type TranscriptStore,
  type Viewport,
} from "./transcript/index.js";

export interface PainterParts {
  readonly store: TranscriptStore;
  readonly rows: TranscriptRows;
  readonly writer: FrameWriter;
  readonly clock: Clock;
  readonly facts: { readonly version: string; readonly cwd: string; readonly home: string | undefined };
  readonly chrome: ChromeSurface;
}

const TICK_MS = 100;
/** Some screens: older items are asked for before a key would find none. */
const NEAR_ITEMS = 60;

/** Holds the window onto the transcript and makes frames of the state. */
export class Painter {
  private viewport: Viewport = FOLLOW;
  /** Rows a person wanted to go up where nothing earlier was known yet. */
  private owed = 0;
  private firstKnown = 0;
  private height = 1;
  private chrome: ChromeSurface;
  private readonly parts: PainterParts;
  /** The oldest known row was visible in the last frame, or who reads back will see it soon. */
  nearTop = false;
  /** The last row that the text of the page or dialog can begin at. */
  lastTop = 0;

  constructor(parts: PainterParts) {
    this.parts = parts;
    this.chrome = parts.chrome;
  }

  useChrome(chrome: ChromeSurface): void {
    this.chrome.close();
    this.chrome = chrome;
  }

  get following(): boolean {
    return this.viewport.follow;
  }

  /** The bytes of the next frame; empty when the screen is right already. */
  paint(ui: Ui): string {
    return this.parts.writer.encode(this.frame(ui));
  }

  frame(ui: Ui): Frame {
    const now = this.parts.clock.monotonic();
    const tick = Math.floor(now / TICK_MS);
    const { size } = ui;
    const dialog = dialogOf(ui, Math.max(4, size.columns - 4));
    const activity = activityText(tick, now, ui.runStartedAt);
    const chrome = this.chrome.draw(chromeView(ui, { ...this.parts.facts, following: this.following, activity, dialog, now }));
    const hasGap = frameShape(size).gap;
    this.height = bodyHeight(size.rows, chrome, hasGap);
    const { body, newRows } = this.body(ui, { now, tick });
    const gap = this.following ? EMPTY_ROW : markerRow(size, newRows, MAX_COUNTED);
    const { frame, lastTop } = compose({ ui, chrome, body, gap: hasGap ? gap : undefined, dialog, activity, page: this.page(ui) });
    this.lastTop = lastTop;
    return frame;
  }

  private page(ui: Ui): { readonly lines: ChromeLines; readonly content: Page } | undefined {
    const content = pageOf(ui);
    return content === undefined ? undefined : { lines: this.chrome.drawPage(pageView(ui, content)), content };
  }

  private body(ui: Ui, time: { readonly now: number; readonly tick: number }): { readonly body: readonly Row[]; readonly newRows: number } {
    const { rows, store } = this.parts;
    rows.look({ width: ui.size.columns, expanded: ui.expanded, ...time });
    // Earlier items have come: what was asked for before they were there is done now.
    if (store.first < this.firstKnown && this.owed !== 0) this.scroll(this.owed);
    this.firstKnown = store.first;
    const window = look(rows, this.viewport, this.height);
    this.viewport = window.viewport;
    this.nearTop = window.atTop || (!this.following && window.above < NEAR_ITEMS);
    if (store.isEmpty) return { body: welcomeRows(ui).slice(0, this.height), newRows: 0 };
    // The first item keeps the distance from the header that the welcome had.
    const lead = window.atTop && window.rows.length < this.height ? [EMPTY_ROW] : [];
    return { body: [...lead, ...window.rows], newRows: window.newRows };
  }

  scroll(by: number): void {
    const before = this.viewport;
    this.viewport = scroll(this.parts.rows, before, this.height, by);
    this.owed = by < 0 && isSamePlace(before, this.viewport) ? by : 0;
  }

  scrollPages(pages: number): void {
    this.scroll(pages * Math.max(1, this.height - 2));
  }

  latest(): void {
    this.viewport = FOLLOW;
    this.owed = 0;
  }

  top(): void {
    if (!this.parts.store.isEmpty) this.viewport = scrollTo(this.parts.rows, this.viewport, this.height, this.parts.store.first);
  }

  /** To the prompt before (-1) or after the top of the window. */
  prompt(by: -1 | 1): void {
    const { store, rows } = this.parts;
    for (let seq = topSeq(rows, this.viewport, this.height) + by; seq >= store.first && seq < store.end; seq += by) {
      if (store.at(seq)?.type !== "user") continue;
      this.viewport = scrollTo(rows, this.viewport, this.height, seq);
      return;
    }
    if (by > 0) this.latest();
  }

  close(): void {
    this.chrome.close();
  }
}

const isSamePlace = (before: Viewport, after: Viewport): boolean =>
  !before.follow && !after.follow && before.anchor.seq === after.anchor.seq && before.anchor.row === after.anchor.row;
