import { type BlockContext, type CodeColors, codeRows, type Highlighter, markdownRows, toolCardRows } from "../render/index.js";
import { EMPTY_ROW, type Row, span, wrapSpans } from "../text/index.js";
import { errorRows, noteRows, unknownEffectRows, userRows } from "./asides.js";
import type { AssistantItem, Item, StreamText } from "./items.js";
import type { TranscriptStore } from "./store.js";
import type { RowSource } from "./viewport.js";

/** What rows depend on besides their item. */
export interface RowView {
  readonly width: number;
  readonly expanded: boolean;
  /** Tenths of seconds; only running tools look at it. */
  readonly tick: number;
  readonly now: number;
}

const INDENT = 3;
/** Text wider than this is hard to read. */
const MAX_TEXT = 110;
/** Rows are dropped, least recently used first, above this many bytes (estimated). */
const MAX_BYTES = 24 * 1024 * 1024;
const ROW_BYTES = 160;

interface Cached {
  key: string;
  rows: readonly Row[];
  readonly body: StreamRows;
}

/** Rows by item, made when looked at and kept while in use. */
export class TranscriptRows implements RowSource {
  private readonly cache = new Map<number, Cached>();
  private bytes = 0;
  private view: RowView = { width: 80, expanded: false, tick: 0, now: 0 };
  private readonly store: TranscriptStore;
  private readonly highlighter: Highlighter | undefined;
  private readonly changed: () => void;

  /** `changed` is called when colours of a code block arrived. */
  constructor(store: TranscriptStore, highlighter: Highlighter | undefined, changed: () => void) {
    this.store = store;
    this.highlighter = highlighter;
    this.changed = changed;
  }

  look(view: RowView): void {
    this.view = view;
  }

  get first(): number {
    return this.store.first;
  }

  get end(): number {
    return this.store.end;
  }

  get width(): number {
    return this.view.width;
  }

  rows(seq: number): readonly Row[] {
    const item = this.store.at(seq);
    if (item === undefined) return [];
    const before = this.store.at(seq - 1);
    const key = this.key(item, before);
    const known = this.cache.get(seq);
    if (known?.key === key) {
      this.cache.delete(seq);
      this.cache.set(seq, known);
      return known.rows;
    }
    const entry: Cached = known ?? { key, rows: [], body: new StreamRows() };
    this.bytes -= entry.rows.length * ROW_BYTES;
    entry.key = key;
    entry.rows = this.build(item, before, entry, seq);
    this.bytes += entry.rows.length * ROW_BYTES;
    this.cache.delete(seq);
    this.cache.set(seq, entry);
    this.evict(seq);
    return entry.rows;
  }

  private evict(keep: number): void {
    for (const [seq, entry] of this.cache) {
      if (this.bytes <= MAX_BYTES || seq === keep) return;
      this.bytes -= entry.rows.length * ROW_BYTES;
      this.cache.delete(seq);
    }
  }

  private key(item: Item, before: Item | undefined): string {
    const { width, expanded, tick } = this.view;
    const moving = item.type === "tool" && item.state === "running" ? tick : 0;
    return `${String(item.revision)} ${String(width)} ${expanded ? "x" : "-"} ${before?.type ?? ""} ${String(moving)}`;
  }

  private build(item: Item, before: Item | undefined, entry: Cached, seq: number): readonly Row[] {
    const made = this.content(item, entry, seq);
    const adjacent = before === undefined || (before.type === "tool" && item.type === "tool");
    return adjacent || made.length === 0 ? made : [EMPTY_ROW, ...made];
  }

  private content(item: Item, entry: Cached, seq: number): readonly Row[] {
    const { width } = this.view;
    switch (item.type) {
      case "user":
        return userRows(item, Math.min(width, MAX_TEXT));
      case "assistant":
        return this.assistant(item, entry, seq);
      case "tool":
        return toolCardRows(item, item.view === undefined ? this.view : { ...this.view, colors: this.colors(item, seq) });
      case "note":
        return noteRows(item, this.view);
      case "error":
        return errorRows(item, width);
      case "unknown-effect":
        return unknownEffectRows(item, width);
    }
  }

  private assistant(item: AssistantItem, entry: Cached, seq: number): readonly Row[] {
    const width = Math.max(8, Math.min(this.view.width - INDENT - 1, MAX_TEXT));
    const body = entry.body.rows(item.body, width, this.colors(item, seq));
    const thinking = this.thinking(item);
    return thinking.length > 0 && body.length > 0 ? [...thinking, EMPTY_ROW, ...body] : [...thinking, ...body];
  }

  private thinking(item: AssistantItem): readonly Row[] {
    const text = item.thinking.text.trim();
    if (text === "") return [];
    const width = Math.min(this.view.width - 1, MAX_TEXT);
    const indent = [span(" ".repeat(INDENT))];
    const lines = text.split("\n");
    if (this.view.expanded) {
      return lines.flatMap((line) => wrapSpans([span(line, "thinking")], { width, first: indent, rest: indent }));
    }
    const newest = item.settled ? "" : (lines.at(-1) ?? "").slice(-(width - 20 - INDENT));
    const note = item.settled
      ? `thought, ${String(lines.length)} ${lines.length === 1 ? "line" : "lines"} · ctrl+o`
      : `thinking  ${newest}`;
    return wrapSpans([span(note, "thinking")], { width, first: indent, rest: indent }).slice(0, 1);
  }

  private colors(item: Item, seq: number): CodeColors | undefined {
    const { highlighter } = this;
    if (highlighter === undefined) return undefined;
    return {
      lines: (info, code) =>
        highlighter.lines(info, code, () => {
          this.cache.get(seq)?.body.forget();
          item.revision += 1;
          this.changed();
        }),
    };
  }
}

/** Rows of a growing text: those of closed blocks are made once, those of an open fence line by line, only the rest again. */
class StreamRows {
  private width = 0;
  private restarts = 0;
  private blocks: (readonly Row[])[] = [];
  private fence: { block: number; done: number; at: number; rows: Row[] } | undefined;

  /** Colours changed: all blocks are made again when they are next looked at. */
  forget(): void {
    this.blocks = [];
  }

  rows(text: StreamText, width: number, colors: CodeColors | undefined): readonly Row[] {
    if (width !== this.width || text.restarts !== this.restarts) {
      this.blocks = [];
      this.fence = undefined;
    }
    this.width = width;
    this.restarts = text.restarts;
    for (let index = this.blocks.length; index < text.blocks.length; index += 1) {
      this.blocks.push(markdownRows(text.blocks[index] ?? "", this.context(index, colors)).map(indented));
    }
    const out: Row[] = [];
    for (const [index, rows] of this.blocks.entries()) out.push(...(index > 0 && rows.length > 0 ? [EMPTY_ROW] : []), ...rows);
    const tail = this.tail(text);
    if (tail.length > 0) out.push(...(out.length > 0 ? [EMPTY_ROW] : []), ...tail);
    return out;
  }

  private context(block: number, colors?: CodeColors): BlockContext {
    return { width: this.width, block, colors };
  }

  private tail(text: StreamText): readonly Row[] {
    const { tail } = text;
    const block = text.blocks.length;
    const open = text.openFence;
    if (open === undefined) {
      this.fence = undefined;
      return tail.trim() === "" ? [] : markdownRows(tail, this.context(block)).map(indented);
    }
    if (this.fence?.block !== block) this.fence = { block, done: open.contentStart, at: 0, rows: [] };
    const { fence } = this;
    const end = tail.lastIndexOf("\n") + 1;
    if (end > fence.done) {
      const made = this.code(tail.slice(fence.done, end - 1), block, fence.at);
      fence.rows.push(...made.rows);
      fence.at = made.at;
      fence.done = end;
    }
    const partial = tail.slice(end);
    return partial === "" || /^ {0,3}[`~]+$/.test(partial) ? fence.rows : [...fence.rows, ...this.code(partial, block, fence.at).rows];
  }

  private code(lines: string, block: number, at: number): { readonly rows: readonly Row[]; readonly at: number } {
    const made = codeRows(
      lines.split("\n").map((line) => [span(line)]),
      this.context(block),
      [],
      at,
    );
    return { rows: made.rows.map(indented), at: made.at };
  }
}

const indented = (line: Row): Row => (line.spans.length === 0 ? line : { ...line, spans: [span(" ".repeat(INDENT)), ...line.spans] });
