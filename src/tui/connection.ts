import type { RuntimeSession } from "../runtime/index.js";
import type { Diagnostic } from "../schema/index.js";
import { SessionFeed, type FeedPorts } from "./feed.js";
import { nodeTimers } from "./frame/index.js";
import type { PluginRuntime } from "./plugins/index.js";
import { sanitizeLine } from "./text/index.js";
import type { TranscriptStore } from "./transcript/index.js";
import type { TuiOptions } from "./types.js";

/** Closing the session may take this long before the process ends anyway; what is durable stays so. */
const CLOSE_MS = 2000;
/** Long enough to be read and acted on; it is told again when the interface is left. */
const PROBLEM_MS = 15_000;

/** The one session of the interface, from its opening to its end. */
export class Connection {
  session: RuntimeSession | undefined;
  private feed: SessionFeed | undefined;
  private readonly unfollows: (() => void)[] = [];
  private isOver = false;
  private readonly store: TranscriptStore;
  private readonly ports: FeedPorts;

  constructor(store: TranscriptStore, ports: FeedPorts) {
    this.store = store;
    this.ports = ports;
  }

  /** Tells `opened`, after the past, or `open-failed`. A session that comes after `close` is closed at once. */
  async open({ open, plugins, problems }: Pick<TuiOptions, "open" | "plugins" | "problems">): Promise<void> {
    if (this.isOver) return;
    const opened = await open();
    if (!opened.ok) {
      this.ports.dispatch({ type: "open-failed", diagnostic: opened.error });
      return;
    }
    const session = opened.value;
    if (this.isOver) {
      await session.close({ clean: true });
      return;
    }
    this.session = session;
    this.feed = new SessionFeed(session, this.store, this.ports);
    await this.feed.start();
    this.follow(plugins?.());
    this.ports.dispatch({ type: "opened", status: session.status() });
    if (problems !== undefined && !this.isOver) this.unfollows.push(problems(this.tellProblem));
  }

  /** What plugins bring, now and whenever it changes. */
  private follow(plugins: PluginRuntime | undefined): void {
    if (plugins === undefined || this.isOver) return;
    const tell = (): void => {
      this.ports.dispatch({ type: "contributions", contributions: plugins.contributions() });
    };
    this.unfollows.push(plugins.observeContributions(tell));
    tell();
  }

  /** What is to be mended in a file stays to be read; what is over already is said for some seconds. */
  private readonly tellProblem = (problem: Diagnostic): void => {
    const { what, next, severity, source } = problem;
    if (source?.type === "file") {
      this.store.problem(problem);
      this.ports.dispatch({ type: "history", events: [] });
      return;
    }
    const tone = severity === "error" ? "error" : "warning";
    this.ports.dispatch({ type: "told", tone, text: sanitizeLine(`${what} ${next}`.trim()), ms: PROBLEM_MS });
  };

  /** Asks for the page before the oldest known entry. */
  older(): void {
    this.feed?.older().catch((error: unknown) => {
      this.ports.fail(error);
    });
  }

  /** Nothing is told from here on. Resolves when the session is closed, could not be, or takes too long. */
  async close(clean: boolean): Promise<void> {
    this.isOver = true;
    this.feed?.stop();
    for (const unfollow of this.unfollows) unfollow();
    if (this.session === undefined) return;
    let cancel = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = nodeTimers.after(CLOSE_MS, resolve);
    });
    // The way out stays open whatever closing comes to.
    await Promise.race([this.session.close({ clean }).catch(() => undefined), patience]);
    cancel();
  }
}
