import type { RuntimeSession } from "../runtime/types.js";
import type { ExitStatus } from "../schema/index.js";
import { loadChrome } from "./chrome-loader.js";
import { farewell } from "./farewell.js";
import { SessionFeed } from "./feed.js";
import type { FrameSize } from "./first-frame.js";
import { createStarterChrome, FrameScheduler, nodeTimers } from "./frame/index.js";
import { Keyboard } from "./keyboard.js";
import { Painter } from "./painter.js";
import { Highlighter } from "./render/index.js";
import { type RunnerPorts, runCommand } from "./runner.js";
import { initialUi, markShown, reduce, type Ui, type UiEvent } from "./store/index.js";
import { type Caps, detectCaps, FrameWriter, TerminalSession } from "./terminal/index.js";
import { compileTheme, darkTheme, lightTheme } from "./theme/index.js";
import { TranscriptRows, TranscriptStore } from "./transcript/index.js";
import type { TuiEnd, TuiOptions, TuiSignal } from "./types.js";

const TICK_MS = 100;
const LIGHT_LUMINANCE = 0.5;
/** Closing the session may take this long before the process ends anyway; what is durable stays so. */
const CLOSE_MS = 2000;
const STATUS_OF = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

const sizeOf = ({ output }: TuiOptions): FrameSize => ({ columns: Math.max(1, output.columns ?? 80), rows: Math.max(1, output.rows ?? 24) });

/** One run of the interface: composes the parts and passes events between them. */
export class App {
  private ui: Ui;
  private session: RuntimeSession | undefined;
  private feed: SessionFeed | undefined;
  private readonly caps: Caps;
  private readonly store = new TranscriptStore();
  private readonly rows: TranscriptRows;
  private readonly writer: FrameWriter;
  private readonly painter: Painter;
  private readonly scheduler: FrameScheduler;
  private readonly terminal: TerminalSession;
  private readonly keyboard: Keyboard;
  private readonly ports: RunnerPorts;
  private readonly cleanups: (() => void)[] = [];
  private cancelTick: (() => void) | undefined;
  private keepAlive: (() => void) | undefined;
  private ended: { readonly status: ExitStatus; readonly fatal: unknown } | undefined;
  private finish: (end: TuiEnd) => void = () => undefined;

  private readonly options: TuiOptions;

  constructor(options: TuiOptions) {
    this.options = options;
    this.ui = initialUi(sizeOf(options));
    this.caps = detectCaps(options.env);
    const soon = (work: () => void): void => {
      nodeTimers.soon(work);
    };
    this.rows = new TranscriptRows(this.store, new Highlighter(soon), () => {
      this.scheduler.request("change");
    });
    this.writer = new FrameWriter(compileTheme(this.caps.lightBackground ? lightTheme : darkTheme, this.caps.color), this.caps);
    const home = options.env["HOME"];
    const facts = { version: options.version, cwd: options.cwd, home };
    const starter = createStarterChrome(() => this.ui.size, { version: options.version, cwd: options.cwd, ...(home === undefined ? {} : { home }) });
    this.painter = new Painter({ store: this.store, rows: this.rows, writer: this.writer, clock: options.clock, facts, chrome: starter });
    this.scheduler = new FrameScheduler({ clock: options.clock, frameMs: this.caps.frameMs, timers: nodeTimers, paint: this.guarded(() => { this.paint(); }) });
    this.terminal = new TerminalSession(options.input, options.output, this.caps);
    this.keyboard = this.createKeyboard();
    this.ports = this.createPorts();
  }

  /** Resolves when the interface is over and the terminal is as it was. */
  async run(early: { readonly signal: TuiSignal | undefined; readonly fatal: { readonly error: unknown } | undefined }): Promise<TuiEnd> {
    const end = new Promise<TuiEnd>((resolve) => {
      this.finish = resolve;
    });
    this.listen();
    this.terminal.enter(this.options.painted === true);
    this.paint();
    if (this.options.typedAhead !== undefined) this.keyboard.feed(this.options.typedAhead);
    this.keyboard.attach();
    if (early.fatal !== undefined) this.fail(early.fatal.error);
    else if (early.signal !== undefined && early.signal !== "SIGCONT") this.quit(STATUS_OF[early.signal]);
    this.start().catch((error: unknown) => {
      this.fail(error);
    });
    return await end;
  }

  private async start(): Promise<void> {
    if (this.ended !== undefined) return;
    this.painter.useChrome(await loadChrome(this.ui.size.columns));
    this.scheduler.request("change");
    const opened = await this.options.open();
    if (!opened.ok) {
      this.dispatch({ type: "open-failed", diagnostic: opened.error });
      return;
    }
    if (this.isOver()) {
      await opened.value.close({ clean: true });
      return;
    }
    this.session = opened.value;
    this.feed = this.createFeed(opened.value);
    await this.feed.start();
    this.dispatch({ type: "opened", status: opened.value.status() });
    const { initialPrompt } = this.options;
    if (initialPrompt !== undefined && initialPrompt.trim() !== "") this.dispatch({ type: "prompted", text: initialPrompt });
  }

  private isOver(): boolean {
    return this.ended !== undefined;
  }

  private createFeed(session: RuntimeSession): SessionFeed {
    return new SessionFeed(session, {
      event: this.guarded((event) => {
        this.store.apply(event, this.now());
        this.dispatch({ type: "runtime", event, at: this.now() });
      }),
      history: (events, which) => {
        if (which === "older") this.store.prepend(events, this.now());
        else for (const event of events) this.store.apply(event, this.now());
        if (which === "first" && !session.status().running) this.store.settleTools();
        if (which === "first") this.dispatch({ type: "history", events });
        this.scheduler.request("change");
      },
      status: (status) => {
        this.dispatch({ type: "status", status });
      },
    });
  }

  private createKeyboard(): Keyboard {
    return new Keyboard({
      input: this.options.input,
      timers: nodeTimers,
      now: () => this.now(),
      remote: this.caps.frameMs > 16,
      onEvents: this.guarded((events) => {
        for (const input of events) this.reduce({ type: "input", input, at: this.now() });
        this.scheduler.request("input");
      }),
      onEnd: () => {
        this.quit(STATUS_OF.SIGHUP);
      },
    });
  }

  private createPorts(): RunnerPorts {
    return {
      session: () => this.session,
      dispatch: (event) => {
        this.dispatch(event);
      },
      timers: nodeTimers,
      view: this.painter,
      repaint: () => {
        this.writer.invalidate();
      },
      suspend: () => {
        this.suspend();
      },
      background: (luminance) => {
        this.writer.setTheme(compileTheme(luminance > LIGHT_LUMINANCE ? lightTheme : darkTheme, this.caps.color));
      },
      quit: (status) => {
        this.quit(status);
      },
      fail: (error) => {
        this.fail(error);
      },
    };
  }

  private listen(): void {
    const { output, process } = this.options;
    const onResize = this.guarded(() => {
      // Terminals cut, move and rewrap on their own, also when the size came back to what it was.
      this.writer.invalidate();
      this.dispatch({ type: "resized", size: sizeOf(this.options) });
    });
    const onDrain = (): void => {
      this.scheduler.request("change");
    };
    const onError = (): void => {
      this.quit(STATUS_OF.SIGHUP);
    };
    output.on("resize", onResize);
    output.on("drain", onDrain);
    output.on("error", onError);
    this.cleanups.push(
      () => output.off("resize", onResize),
      () => output.off("drain", onDrain),
      process.onExitRestore(() => {
        this.terminal.leave();
      }),
      process.onFatal((error) => {
        this.fail(error);
      }),
      process.onSignal((signal) => {
        if (signal === "SIGCONT") this.resume();
        else this.quit(STATUS_OF[signal]);
      }),
    );
  }

  private now(): number {
    return this.options.clock.monotonic();
  }

  private dispatch(event: UiEvent): void {
    this.reduce(event);
    this.scheduler.request("change");
  }

  private reduce(event: UiEvent): void {
    if (this.ended !== undefined) return;
    const { ui, commands } = reduce(this.ui, event);
    this.ui = ui;
    for (const command of commands) runCommand(command, this.ports);
  }

  private paint(): void {
    if (this.ended !== undefined || this.keepAlive !== undefined) return;
    // What the terminal has not taken yet is not added to: the next frame shows the newest state anyway.
    if (this.options.output.writableNeedDrain === true) return;
    const bytes = this.painter.paint(this.ui);
    if (bytes !== "") this.options.output.write(bytes);
    this.ui = markShown(this.ui, this.now());
    if (this.painter.atTop && this.feed?.hasOlder === true) {
      this.feed.older().catch((error: unknown) => {
        this.fail(error);
      });
    }
    this.tick();
  }

  /** The spinner's clock: armed by a frame only while something runs. */
  private tick(): void {
    const wanted = this.ui.running || this.store.runningTools > 0;
    if (!wanted || this.cancelTick !== undefined) return;
    this.cancelTick = nodeTimers.after(TICK_MS, () => {
      this.cancelTick = undefined;
      this.scheduler.request("change");
    });
  }

  private suspend(): void {
    if (this.keepAlive !== undefined) return;
    this.keyboard.detach();
    this.terminal.leave();
    // With the input paused nothing would keep the process alive between SIGCONT and its handler.
    this.keepAlive = nodeTimers.after(2 ** 30, () => undefined);
    this.options.process.stop();
  }

  /** After `fg`, also when something else stopped the process: the shell has set its own modes meanwhile, and SIGWINCH was lost. */
  private resume(): void {
    this.keepAlive?.();
    this.keepAlive = undefined;
    this.terminal.leave();
    this.terminal.enter(false);
    this.keyboard.attach();
    this.writer.invalidate();
    this.dispatch({ type: "resized", size: sizeOf(this.options) });
  }

  private guarded<Args extends readonly unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  private fail(error: unknown): void {
    this.end(70, error);
  }

  private quit(status: ExitStatus): void {
    this.end(status, undefined);
  }

  /** Restores the terminal first, at once; then lets the session close, for a bounded time. */
  private end(status: ExitStatus, fatal: unknown): void {
    if (this.ended !== undefined) return;
    this.ended = { status, fatal };
    this.terminal.leave();
    this.scheduler.stop();
    this.cancelTick?.();
    this.keepAlive?.();
    this.keyboard.detach();
    this.feed?.stop();
    const { session } = this;
    const text = farewell({ ui: this.ui, store: this.store, rows: this.rows, session, tailRows: this.options.farewellRows ?? 20, fatal });
    let cancel = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = nodeTimers.after(CLOSE_MS, resolve);
    });
    const closing = session === undefined ? Promise.resolve() : session.close({ clean: fatal === undefined }).catch(() => undefined);
    void Promise.race([closing, patience]).then(() => {
      cancel();
      this.painter.close();
      for (const cleanup of this.cleanups) cleanup();
      this.finish({ status, farewell: text });
    });
  }
}
