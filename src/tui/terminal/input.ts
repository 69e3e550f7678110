import { controlEvent, csiEvent, type InputEvent, key, oscReply, ss3Event } from "./keys.js";

const ESC = 0x1b;
const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** A paste longer than this is handed over in parts. */
const MAX_PASTE = 8 * 1024 * 1024;
/** Nothing we understand is longer; what is, is garbage and is dropped. */
const MAX_SEQUENCE = 1024;

/**
 * Bytes from the terminal to events. Total: any cut of the bytes over calls of `push` yields the same events, provided that
 * `flush` is called only after a silence. Malformed sequences are swallowed, never shown as text.
 */
export class InputDecoder {
  private readonly utf8 = new TextDecoder("utf-8");
  private buffer = "";
  private paste: string[] | undefined;
  private pasteHeld = "";

  /** Events that are complete. */
  push(bytes: Uint8Array): readonly InputEvent[] {
    this.buffer += this.utf8.decode(bytes, { stream: true });
    const out: InputEvent[] = [];
    while (this.buffer !== "" && this.step(out));
    return out;
  }

  /** Whether something waits for more bytes: the caller flushes after a silence (25 ms for a lone ESC, longer for a paste). */
  get pending(): "none" | "escape" | "paste" {
    if (this.paste !== undefined) return "paste";
    return this.buffer === "" ? "none" : "escape";
  }

  /** Nothing more came: a lone ESC is the Escape key; a paste whose end never came is handed over as it is. */
  flush(): readonly InputEvent[] {
    const out: InputEvent[] = [];
    if (this.paste !== undefined) {
      this.endPaste(out, this.pasteHeld);
      return out;
    }
    const waiting = this.buffer;
    this.buffer = "";
    if (waiting === "\x1b") out.push({ type: "key", key: key("escape") });
    else if (waiting === "\x1b\x1b") out.push({ type: "key", key: key("escape") }, { type: "key", key: key("escape") });
    else if (/^\x1b[[O]$/.test(waiting))
      out.push({ type: "key", key: key(waiting.charAt(1).toLowerCase(), { alt: true, shift: waiting.charAt(1) === "O" }) });
    else if (/^\x1b\][^;]*$/.test(waiting) && waiting.length <= 2) out.push({ type: "key", key: key("]", { alt: true }) });
    return out;
  }

  /** Consumes one item of the buffer; `false` when the rest is incomplete. */
  private step(out: InputEvent[]): boolean {
    if (this.paste !== undefined) return this.stepPaste(out);
    const first = this.buffer.charCodeAt(0);
    if (first === ESC) return this.stepEscape(out);
    if (first < 32 || first === 127) {
      this.take(1);
      out.push(first === 10 ? { type: "key", key: key("j", { ctrl: true }) } : controlEvent(first));
      return true;
    }
    const run = /^[^\x00-\x1f\x7f]+/.exec(this.buffer)?.[0] ?? "";
    this.take(run.length);
    const text = run.replace(/[\x80-\x9f]/g, "");
    const last = out.at(-1);
    if (last?.type === "text") out[out.length - 1] = { type: "text", text: last.text + text };
    else if (text !== "") out.push({ type: "text", text });
    return true;
  }

  private stepEscape(out: InputEvent[]): boolean {
    const text = this.buffer;
    if (text.length === 1) return false;
    const second = text.charAt(1);
    if (second === "[") return this.stepCsi(out);
    if (second === "O") {
      if (text.length < 3) return false;
      this.take(3);
      this.emit(out, ss3Event(text.charAt(2)));
      return true;
    }
    if (second === "]" || second === "P" || second === "_" || second === "^") return this.stepString(out, second);
    if (second === "\x1b") {
      // Alt with a sequence (rxvt), or Escape pressed before something else.
      if (text.length === 2) return false;
      this.take(1);
      out.push({ type: "key", key: key("escape") });
      return true;
    }
    const point = String.fromCodePoint(text.codePointAt(1) ?? 0);
    this.take(1 + point.length);
    this.emit(out, altEvent(point));
    return true;
  }

  private stepCsi(out: InputEvent[]): boolean {
    const text = this.buffer;
    // The Linux console's function keys (`CSI [ A`) have one more byte than the grammar says.
    if (text === "\x1b[[") return false;
    const match = /^\x1b\[(\[?)([0-?]*)([ -/]*)([@-~])/.exec(text);
    if (match === null) {
      const partial = /^\x1b\[\[?[0-?]*[ -/]*$/.test(text) && text.length < MAX_SEQUENCE;
      if (partial) return false;
      this.take(/^\x1b\[\[?[0-?]*[ -/]*/.exec(text)?.[0].length ?? 2);
      return true;
    }
    this.take(match[0].length);
    if (match[0] === PASTE_START) this.paste = [];
    else if (match[0] !== PASTE_END && match[1] === "") this.emit(out, csiEvent(match[2] ?? "", match[4] ?? ""));
    return true;
  }

  /** OSC, DCS, APC, PM: replies. They end at BEL or ST. */
  private stepString(out: InputEvent[], kind: string): boolean {
    const match = /^\x1b[\]P_^]([^\x07\x1b]*)(\x07|\x1b\\)/.exec(this.buffer);
    if (match !== null) {
      this.take(match[0].length);
      out.push({ type: "reply", reply: kind === "]" ? oscReply(match[1] ?? "") : { type: "other" } });
      return true;
    }
    if (this.buffer.length < MAX_SEQUENCE && /^\x1b[\]P_^][^\x07\x1b]*\x1b?$/.test(this.buffer)) return false;
    this.take(2);
    return true;
  }

  private stepPaste(out: InputEvent[]): boolean {
    const text = this.pasteHeld + this.buffer;
    this.buffer = "";
    this.pasteHeld = "";
    const end = text.indexOf(PASTE_END);
    if (end >= 0) {
      this.buffer = text.slice(end + PASTE_END.length);
      this.endPaste(out, text.slice(0, end));
      return true;
    }
    const hold = heldBack(text);
    this.pasteHeld = text.slice(text.length - hold);
    this.paste?.push(text.slice(0, text.length - hold));
    if (this.pasteLength() > MAX_PASTE) {
      this.endPaste(out, "");
      this.paste = [];
    }
    return false;
  }

  private pasteLength(): number {
    return (this.paste ?? []).reduce((sum, part) => sum + part.length, 0);
  }

  private endPaste(out: InputEvent[], rest: string): void {
    const text = (this.paste ?? []).join("") + rest;
    this.paste = undefined;
    this.pasteHeld = "";
    if (text !== "") out.push({ type: "paste", text });
  }

  private take(count: number): void {
    this.buffer = this.buffer.slice(count);
  }

  private emit(out: InputEvent[], event: InputEvent | undefined): void {
    if (event !== undefined) out.push(event);
  }
}

/** How many characters at the end may be the beginning of the end marker. */
function heldBack(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length -= 1)
    if (PASTE_END.startsWith(text.slice(-length))) return length;
  return 0;
}

function altEvent(char: string): InputEvent {
  const code = char.charCodeAt(0);
  if (code < 32 || code === 127) {
    const event = controlEvent(code);
    return event.type === "key" ? { type: "key", key: { ...event.key, alt: true } } : event;
  }
  const lower = char.toLowerCase();
  return { type: "key", key: key(char === " " ? "space" : lower, { alt: true, shift: lower !== char }) };
}
