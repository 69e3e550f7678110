import type { RuntimeSession } from "../runtime/index.js";
import type { ExitStatus } from "../schema/index.js";
import { loadChrome } from "./chrome-loader.js";
import { Connection } from "./connection.js";
import { ModelDesk, PluginDesk } from "./desk/index.js";
import { farewell } from "./farewell.js";
import { nodeTimers } from "./frame/index.js";
import { Keyboard } from "./keyboard.js";
import { Highlighter } from "./render/index.js";
import { runCommand } from "./runner.js";
import { Screen } from "./screen.js";
import { State } from "./state.js";
import { initialUi } from "./store/index.js";
import { listen } from "./surroundings.js";
import { Suspension } from "./suspension.js";
import { detectCaps } from "./terminal/index.js";
import { TranscriptRows, TranscriptStore } from "./transcript/index.js";
import type { EarlyEvents, TuiEnd, TuiOptions, TuiSignal } from "./types.js";

const STATUS_OF = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

/** One run of the interface: composes the parts and passes events between them. */
export class App {
  private readonly state: State;
  private readonly store = new TranscriptStore();
  private readonly rows: TranscriptRows;
  private readonly screen: Screen;
  private readonly keyboard: Keyboard;
  private readonly connection: Connection;
  private readonly desk: PluginDesk;
  private readonly models: ModelDesk;
  private readonly suspension: Suspension;
  private unlisten: () => void = () => undefined;
  private finish: (end: TuiEnd) => void = () => undefined;
  private readonly options: TuiOptions;

  constructor(options: TuiOptions) {
    this.options = options;
    const { output, process } = options;
    const caps = detectCaps(options.env);
    const { now, fail, store } = this;
    const highlighter = new Highlighter((work) => nodeTimers.soon(work));
    this.state = new State(initialUi({ columns: output.columns ?? 80, rows: output.rows ?? 24 }, options.theme), {
      now,
      run: (command) => {
        const { screen, suspension, quit, desk, models } = this;
        const session = (): RuntimeSession | undefined => this.connection.session;
        runCommand(command, { session, dispatch, timers: nodeTimers, transcript: store, desk, models, screen, suspension, quit, fail });
      },
      request: (cause) => {
        this.screen.request(cause);
      },
      fail,
    });
    const { dispatch, typed } = this.state;
    this.rows = new TranscriptRows(store, highlighter, () => {
      this.screen.request("change");
    });
    this.screen = new Screen({ options, caps, store, rows: this.rows, ui: () => this.state.value, painted: this.painted, fail });
    this.keyboard = new Keyboard({
      input: options.input,
      timers: nodeTimers,
      now,
      remote: caps.frameMs > 16,
      onEvents: typed,
      onEnd: this.hungUp,
    });
    this.connection = new Connection(store, { now, dispatch, fail });
    this.desk = new PluginDesk({ options, dispatch, fail });
    this.models = new ModelDesk({ port: options.models, dispatch, fail });
    this.suspension = new Suspension({ screen: this.screen, keyboard: this.keyboard, process });
  }

  /** Resolves when the interface is over and the terminal is as it was. */
  async run(early: EarlyEvents): Promise<TuiEnd> {
    const end = new Promise<TuiEnd>((resolve) => {
      this.finish = resolve;
    });
    const { screen, resized, hungUp, signalled, fail } = this;
    this.unlisten = listen(this.options, screen, { resized, hungUp, signalled, broke: fail });
    early.release();
    screen.enter(this.options.painted === true);
    if (this.options.typedAhead !== undefined) this.keyboard.feed(this.options.typedAhead);
    this.keyboard.attach();
    if (early.fatal !== undefined) fail(early.fatal.error);
    else if (early.signal !== undefined) signalled(early.signal);
    this.start().catch(fail);
    return await end;
  }

  private async start(): Promise<void> {
    if (this.state.isOver) return;
    this.screen.useChrome(await loadChrome(this.state.value.size.columns));
    await this.connection.open(this.options);
    this.desk.lookAtProject();
    const { initialPrompt = "" } = this.options;
    if (this.connection.session !== undefined && initialPrompt.trim() !== "")
      this.state.dispatch({ type: "prompted", text: initialPrompt });
  }

  private readonly now = (): number => this.options.clock.monotonic();

  private readonly resized = (): void => {
    this.state.dispatch({ type: "resized", size: this.screen.size });
  };

  private readonly hungUp = (): void => {
    this.quit(STATUS_OF.SIGHUP);
  };

  private readonly signalled = (signal: TuiSignal): void => {
    if (signal !== "SIGCONT") this.quit(STATUS_OF[signal]);
    else if (!this.state.isOver) {
      this.suspension.resume();
      // SIGWINCH was lost meanwhile.
      this.resized();
    }
  };

  private readonly painted = (): void => {
    this.state.shown(this.screen.view.lastTop);
    if (this.screen.view.nearTop) this.connection.older();
  };

  private readonly fail = (error: unknown): void => {
    this.end(70, error);
  };

  private readonly quit = (status: ExitStatus): void => {
    this.end(status, undefined);
  };

  /** Restores the terminal first, at once; then lets the session close, for a bounded time. */
  private end(status: ExitStatus, fatal: unknown): void {
    const { state, store, rows, connection } = this;
    if (state.isOver) return;
    state.isOver = true;
    this.screen.away();
    this.suspension.end();
    this.keyboard.detach();
    this.desk.close();
    const { farewellRows: tailRows = 20 } = this.options;
    const text = farewell({ ui: state.value, store, rows, session: connection.session, tailRows, fatal });
    const over = (): void => {
      this.screen.close();
      this.unlisten();
      this.finish({ status, farewell: text });
    };
    connection.close(fatal === undefined).then(over, over);
  }
}
