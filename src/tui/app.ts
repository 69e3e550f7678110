import type { RuntimeSession } from "../runtime/index.js";
import type { ExitStatus } from "../schema/index.js";
import { loadChrome } from "./chrome-loader.js";
import { farewell } from "./farewell.js";
import { SessionFeed } from "./feed.js";
import { nodeTimers } from "./frame/index.js";
import { Keyboard } from "./keyboard.js";
import { Highlighter } from "./render/index.js";
import { type RunnerPorts, runCommand } from "./runner.js";
import { Screen } from "./screen.js";
import { initialUi, markShown, reduce, type Ui, type UiEvent } from "./store/index.js";
import { detectCaps } from "./terminal/index.js";
import { TranscriptRows, TranscriptStore } from "./transcript/index.js";
import type { TuiEnd, TuiOptions, TuiSignal } from "./types.js";

/** Closing the session may take this long before the process ends anyway; what is durable stays so. */
const CLOSE_MS = 2000;
const STATUS_OF = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

/** What happened while the interface was being loaded. */
export interface EarlyEvents {
  readonly signal: TuiSignal | undefined;
  readonly fatal: { readonly error: unknown } | undefined;
  /** Ends the listening for them; called once the interface listens by itself. */
  release(): void;
}

/** One run of the interface: composes the parts and passes events between them. */
export class App {
  private ui: Ui;
  private session: RuntimeSession | undefined;
  private feed: SessionFeed | undefined;
  private readonly store = new TranscriptStore();
  private readonly rows: TranscriptRows;
  private readonly screen: Screen;
  private readonly keyboard: Keyboard;
  private readonly ports: RunnerPorts;
  private readonly cleanups: (() => unknown)[] = [];
  /** Set while the process is stopped. */
  private keepAlive: (() => void) | undefined;
  private isOver = false;
  private finish: (end: TuiEnd) => void = () => undefined;
  private readonly options: TuiOptions;

  constructor(options: TuiOptions) {
    this.options = options;
    const caps = detectCaps(options.env);
    const highlighter = new Highlighter((work) => nodeTimers.soon(work));
    this.rows = new TranscriptRows(this.store, highlighter, () => {
      this.screen.request("change");
    });
    this.ui = initialUi({ columns: options.output.columns ?? 80, rows: options.output.rows ?? 24 });
    this.screen = new Screen({
      options,
      caps,
      store: this.store,
      rows: this.rows,
      ui: () => this.ui,
      painted: this.painted,
      fail: this.fail,
    });
    this.keyboard = new Keyboard({
      input: options.input,
      timers: nodeTimers,
      now: this.now,
      remote: caps.frameMs > 16,
      onEvents: this.guarded((events) => {
        for (const input of events) this.reduce({ type: "input", input, at: this.now() });
        this.screen.request("input");
      }),
      onEnd: () => {
        this.quit(STATUS_OF.SIGHUP);
      },
    });
    this.ports = this.createPorts();
  }

  /** Resolves when the interface is over and the terminal is as it was. */
  async run(early: EarlyEvents): Promise<TuiEnd> {
    const end = new Promise<TuiEnd>((resolve) => {
      this.finish = resolve;
    });
    this.listen();
    early.release();
    this.screen.enter(this.options.painted === true);
    if (this.options.typedAhead !== undefined) this.keyboard.feed(this.options.typedAhead);
    this.keyboard.attach();
    if (early.fatal !== undefined) this.fail(early.fatal.error);
    else if (early.signal !== undefined) this.signalled(early.signal);
    this.start().catch(this.fail);
    return await end;
  }

  private async start(): Promise<void> {
    if (this.isOver) return;
    this.screen.useChrome(await loadChrome(this.ui.size.columns));
    const opened = await this.options.open();
    if (!opened.ok) {
      this.dispatch({ type: "open-failed", diagnostic: opened.error });
      return;
    }
    await this.opened(opened.value);
  }

  private async opened(session: RuntimeSession): Promise<void> {
    if (this.isOver) {
      await session.close({ clean: true });
      return;
    }
    this.session = session;
    this.feed = new SessionFeed(session, this.store, { now: this.now, dispatch: this.dispatch, fail: this.fail });
    await this.feed.start();
    this.dispatch({ type: "opened", status: session.status() });
    const { initialPrompt = "" } = this.options;
    if (initialPrompt.trim() !== "") this.dispatch({ type: "prompted", text: initialPrompt });
  }

  private createPorts(): RunnerPorts {
    return {
      session: () => this.session,
      dispatch: this.dispatch,
      timers: nodeTimers,
      view: this.screen.view,
      repaint: () => {
        this.screen.invalidate();
      },
      background: (luminance) => {
        this.screen.background(luminance);
      },
      suspend: this.suspend,
      quit: this.quit,
      fail: this.fail,
    };
  }

  private listen(): void {
    const { output, process } = this.options;
    const onResize = (): void => {
      // Terminals cut, move and rewrap on their own, also when the size came back to what it was.
      this.screen.invalidate();
      this.dispatch({ type: "resized", size: this.screen.size });
    };
    const onDrain = (): void => {
      this.screen.request("change");
    };
    output.on("resize", onResize);
    output.on("drain", onDrain);
    // Stays: a terminal that is gone may say so after the end.
    output.on("error", () => {
      this.quit(STATUS_OF.SIGHUP);
    });
    this.cleanups.push(
      () => output.off("resize", onResize),
      () => output.off("drain", onDrain),
      process.onExitRestore(() => {
        this.screen.away();
      }),
      process.onFatal(this.fail),
      process.onSignal(this.signalled),
    );
  }

  private readonly now = (): number => this.options.clock.monotonic();

  private readonly signalled = (signal: TuiSignal): void => {
    if (signal === "SIGCONT") this.resume();
    else this.quit(STATUS_OF[signal]);
  };

  private readonly dispatch = (event: UiEvent): void => {
    this.guarded(() => {
      this.reduce(event);
      this.screen.request("change");
    })();
  };

  private reduce(event: UiEvent): void {
    if (this.isOver) return;
    const { ui, commands } = reduce(this.ui, event);
    this.ui = ui;
    for (const command of commands) runCommand(command, this.ports);
  }

  private readonly painted = (): void => {
    this.ui = markShown(this.ui, this.now());
    if (this.screen.view.atTop) this.feed?.older().catch(this.fail);
  };

  private readonly suspend = (): void => {
    if (this.keepAlive !== undefined) return;
    this.keyboard.detach();
    this.screen.away();
    // With the input paused nothing would keep the process alive between SIGCONT and its handler.
    this.keepAlive = nodeTimers.after(2 ** 30, () => undefined);
    this.options.process.stop();
  };

  /** After `fg`, also when something else stopped the process. SIGWINCH was lost meanwhile. */
  private resume(): void {
    if (this.isOver) return;
    this.keepAlive?.();
    this.keepAlive = undefined;
    this.screen.back();
    this.keyboard.attach();
    this.dispatch({ type: "resized", size: this.screen.size });
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

  private readonly fail = (error: unknown): void => {
    this.end(70, error);
  };

  private readonly quit = (status: ExitStatus): void => {
    this.end(status, undefined);
  };

  /** Restores the terminal first, at once; then lets the session close, for a bounded time. */
  private end(status: ExitStatus, fatal: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.screen.away();
    this.keepAlive?.();
    this.keyboard.detach();
    this.feed?.stop();
    const { ui, store, rows, session } = this;
    const text = farewell({ ui, store, rows, session, tailRows: this.options.farewellRows ?? 20, fatal });
    const over = (): void => {
      this.screen.close();
      for (const cleanup of this.cleanups) cleanup();
      this.finish({ status, farewell: text });
    };
    closed(session, fatal === undefined).then(over, over);
  }
}

/** Resolves when the session is closed, or when that takes too long. */
async function closed(session: RuntimeSession | undefined, clean: boolean): Promise<void> {
  if (session === undefined) return;
  let cancel = (): void => undefined;
  const patience = new Promise<void>((resolve) => {
    cancel = nodeTimers.after(CLOSE_MS, resolve);
  });
  try {
    await Promise.race([session.close({ clean }), patience]);
  } finally {
    cancel();
  }
}
