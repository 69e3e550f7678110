import { clipText, graphemes, isAscii, textWidth } from "./width.js";
import { type Row, type Span, spansWidth } from "./spans.js";

export interface WrapOptions {
  readonly width: number;
  /** Put before the first row and before every later one; their cells count against `width`. */
  readonly first?: readonly Span[];
  readonly rest?: readonly Span[];
  /** Break anywhere instead of at spaces: for code and for output. */
  readonly anywhere?: boolean;
  readonly block?: number;
  /** Offset of the first character, for {@link Row.at}. */
  readonly at?: number;
}

interface Word {
  readonly spans: readonly Span[];
  readonly width: number;
  readonly length: number;
  readonly blank: boolean;
}

/** Splits spans at the edges of blanks; a word may run through several styles. */
function words(spans: readonly Span[]): readonly Word[] {
  const out: Word[] = [];
  let open: Span[] = [];
  let openWidth = 0;
  let openLength = 0;
  const close = (): void => {
    if (open.length > 0) out.push({ spans: open, width: openWidth, length: openLength, blank: false });
    open = [];
    openWidth = 0;
    openLength = 0;
  };
  for (const { text, style } of spans) {
    for (const part of text.split(/( +)/)) {
      if (part === "") continue;
      if (part.startsWith(" ")) {
        close();
        out.push({ spans: [{ text: part, style }], width: part.length, length: part.length, blank: true });
        continue;
      }
      for (const piece of cjkPieces(part)) {
        if (piece.breakable) close();
        open.push({ text: piece.text, style });
        openWidth += textWidth(piece.text);
        openLength += piece.text.length;
        if (piece.breakable) close();
      }
    }
  }
  close();
  return out;
}

const IDEOGRAPH = /[\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60\u{20000}-\u{3fffd}]/u;

/** Ideographic text may break between any two characters. */
function cjkPieces(word: string): readonly { readonly text: string; readonly breakable: boolean }[] {
  if (isAscii(word) || !IDEOGRAPH.test(word)) return [{ text: word, breakable: false }];
  const out: { text: string; breakable: boolean }[] = [];
  for (const cluster of graphemes(word)) {
    const breakable = IDEOGRAPH.test(cluster);
    const last = out.at(-1);
    if (!breakable && last !== undefined && !last.breakable) last.text += cluster;
    else out.push({ text: cluster, breakable });
  }
  return out;
}

/** Fills rows one after the other. */
class RowFiller {
  readonly rows: Row[] = [];
  private spans: Span[];
  private used: number;
  private consumed: number;
  private rowAt: number;
  private empty = true;
  private readonly options: WrapOptions;
  private readonly restWidth: number;

  constructor(options: WrapOptions) {
    this.options = options;
    this.spans = [...(options.first ?? [])];
    this.used = spansWidth(this.spans);
    this.restWidth = spansWidth(options.rest ?? []);
    this.consumed = options.at ?? 0;
    this.rowAt = this.consumed;
  }

  word(word: Word): void {
    const fits = this.used + word.width <= this.options.width;
    const leadsRow = this.empty && this.rows.length > 0;
    if (word.blank && (leadsRow || !fits)) this.skip(word, !fits && !leadsRow);
    else if (fits) this.append(word.spans, word.width, word.length);
    else this.tooWide(word);
  }

  /** A blank at the edge of a row is not drawn. */
  private skip(word: Word, breaks: boolean): void {
    this.consumed += word.length;
    if (breaks) this.breakRow();
    else this.rowAt = this.consumed;
  }

  private tooWide(word: Word): void {
    const { width } = this.options;
    const atSpaces = this.options.anywhere !== true && !this.empty;
    const fitsAlone = this.restWidth + word.width <= width;
    // A word that must be cut anyway starts on this row, unless little of it is left.
    if (atSpaces && (fitsAlone || this.used > (this.restWidth + width) / 2)) this.breakRow();
    if (fitsAlone && this.used + word.width <= width) this.append(word.spans, word.width, word.length);
    else this.chop(word);
  }

  /** A word wider than a row is cut by cells. */
  private chop(word: Word): void {
    for (const { text, style } of word.spans) {
      let left = text;
      while (left !== "") {
        const room = this.options.width - this.used;
        let part = clipText(left, room);
        if (part === "") {
          if (!this.empty) {
            this.breakRow();
            continue;
          }
          const [cluster = left] = graphemes(left);
          part = cluster;
          this.append([{ text: "…", style }], 1, part.length);
        } else {
          this.append([{ text: part, style }], textWidth(part), part.length);
        }
        left = left.slice(part.length);
      }
    }
  }

  private append(spans: readonly Span[], width: number, length: number): void {
    for (const item of spans) {
      const last = this.spans.at(-1);
      if (last !== undefined && last.style === item.style && !this.empty)
        this.spans[this.spans.length - 1] = { text: last.text + item.text, style: item.style };
      else this.spans.push(item);
      this.empty = false;
    }
    this.used += width;
    this.consumed += length;
  }

  private breakRow(): void {
    this.push();
    this.spans = [...(this.options.rest ?? [])];
    this.used = this.restWidth;
    this.rowAt = this.consumed;
    this.empty = true;
  }

  private push(): void {
    const { block } = this.options;
    this.rows.push({ spans: this.spans, at: this.rowAt, ...(block === undefined ? {} : { block }) });
  }

  end(): Row[] {
    if (!this.empty || this.rows.length === 0) this.push();
    return this.rows;
  }
}

/** One line of spans as rows of at most `width` cells: at spaces, between ideographs, or inside of a word wider than a row. Never returns none. */
export function wrapSpans(line: readonly Span[], options: WrapOptions): Row[] {
  const filler = new RowFiller({ ...options, width: Math.max(1, options.width) });
  if (options.anywhere === true) {
    for (const item of line)
      if (item.text !== "") filler.word({ spans: [item], width: textWidth(item.text), length: item.text.length, blank: false });
  } else {
    for (const word of words(line)) filler.word(word);
  }
  return filler.end();
}
