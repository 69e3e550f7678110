import type { FrameSize } from "./first-frame.js";
import { type ChromeSurface, createStarterChrome, FrameScheduler, nodeTimers } from "./frame/index.js";
import { Painter } from "./painter.js";
import { type ThemeWanted, type Ui, waitLeft } from "./store/index.js";
import { type Caps, FrameWriter, TerminalSession } from "./terminal/index.js";
import { type CompiledTheme, compileTheme, darkTheme, lightTheme, type Theme, themeOf } from "./theme/index.js";
import type { TranscriptRows, TranscriptStore } from "./transcript/index.js";
import type { TuiOptions } from "./types.js";

const TICK_MS = 100;
const SECOND_MS = 1000;
const LIGHT_LUMINANCE = 0.5;

export interface ScreenParts {
  readonly options: TuiOptions;
  readonly caps: Caps;
  readonly store: TranscriptStore;
  readonly rows: TranscriptRows;
  readonly ui: () => Ui;
  /** After each frame that was painted. */
  readonly painted: () => void;
  readonly fail: (error: unknown) => void;
}

/** The terminal as the interface sees it: entered and left, painted when something changed, silent otherwise. */
export class Screen {
  readonly view: Painter;
  private readonly writer: FrameWriter;
  private readonly scheduler: FrameScheduler;
  private readonly terminal: TerminalSession;
  private readonly parts: ScreenParts;
  private cancelTick: (() => void) | undefined;
  /** When it is to tick, of the monotonic clock. */
  private tickAt = 0;
  /** Nothing is painted while the process is stopped or over. */
  private isAway = false;
  private isLight: boolean;
  private wanted: ThemeWanted;

  constructor(parts: ScreenParts) {
    const { options, caps, store, rows } = parts;
    this.parts = parts;
    this.isLight = caps.lightBackground;
    this.wanted = options.theme === "dark" || options.theme === "light" ? options.theme : undefined;
    this.writer = new FrameWriter(this.compiled(), caps);
    const { version, cwd, clock } = options;
    const home = options.env["HOME"];
    const chrome = createStarterChrome(() => parts.ui().size, { version, cwd, ...(home === undefined ? {} : { home }) });
    this.view = new Painter({ store, rows, writer: this.writer, clock, facts: { version, cwd, home }, chrome });
    const paint = (): void => {
      this.paint();
    };
    this.scheduler = new FrameScheduler({ clock, frameMs: caps.frameMs, timers: nodeTimers, paint });
    this.terminal = new TerminalSession(options.input, options.output, caps);
  }

  get size(): FrameSize {
    const { output } = this.parts.options;
    return { columns: Math.max(1, output.columns ?? 80), rows: Math.max(1, output.rows ?? 24) };
  }

  enter(painted: boolean): void {
    this.terminal.enter(painted);
    this.paint();
  }

  request(cause: "input" | "change"): void {
    this.scheduler.request(cause);
  }

  /** What is on the screen is not known any more. */
  invalidate(): void {
    this.writer.invalidate();
  }

  useChrome(chrome: ChromeSurface): void {
    this.view.useChrome(chrome);
    this.request("change");
  }

  /** The terminal told its background. */
  background(luminance: number): void {
    this.isLight = luminance > LIGHT_LUMINANCE;
    if (this.wanted === undefined) this.restyle();
  }

  /** Everything is painted in it from the next frame on. */
  useTheme(wanted: ThemeWanted): void {
    this.wanted = wanted;
    this.restyle();
  }

  /** Gives the terminal back until `back`. Idempotent and synchronous. */
  away(): void {
    this.isAway = true;
    this.terminal.leave();
  }

  /** The shell has set modes of its own meanwhile: everything is set and painted again. */
  back(): void {
    this.isAway = false;
    this.terminal.leave();
    this.terminal.enter(false);
    this.invalidate();
    this.request("change");
  }

  close(): void {
    this.away();
    this.scheduler.stop();
    this.cancelTick?.();
    this.view.close();
  }

  private restyle(): void {
    this.writer.setTheme(this.compiled());
    this.request("change");
  }

  private compiled(): CompiledTheme {
    return compileTheme(this.theme(), this.parts.caps.color);
  }

  private theme(): Theme {
    const { wanted } = this;
    if (typeof wanted === "object") return themeOf(wanted);
    return (wanted ?? (this.isLight ? "light" : "dark")) === "light" ? lightTheme : darkTheme;
  }

  private paint(): void {
    const { options, ui, painted, fail } = this.parts;
    // What the terminal has not taken yet is not added to: the frame after `drain` shows the newest state anyway.
    if (this.isAway || options.output.writableNeedDrain === true) return;
    try {
      const bytes = this.view.paint(ui());
      if (bytes !== "") options.output.write(bytes);
      painted();
      this.tick();
    } catch (error) {
      fail(error);
    }
  }

  /** The clock of what moves: armed by a frame, only while something does. A countdown moves once a second. */
  private tick(): void {
    const { ui, store, options } = this.parts;
    if (!ui().running && store.runningTools === 0) return;
    const now = options.clock.monotonic();
    const left = store.runningTools > 0 ? 0 : waitLeft(ui(), now);
    const at = now + (left > 0 ? left % SECOND_MS || SECOND_MS : TICK_MS);
    // One that is armed already does, unless it would be late.
    if (this.cancelTick !== undefined && this.tickAt <= at) return;
    this.cancelTick?.();
    this.tickAt = at;
    this.cancelTick = nodeTimers.after(at - now, () => {
      this.cancelTick = undefined;
      this.request("change");
    });
  }
}
