import type { EntryId } from "../base/index.js";
import type { RuntimeSession, SessionStatus } from "../runtime/types.js";
import type { SmithEvent } from "../schema/index.js";

/** Entries of the first page: some screens. Older ones come when they are scrolled to. */
const FIRST_PAGE = 120;
const PAGE = 200;

export interface FeedSink {
  event(event: SmithEvent): void;
  history(events: readonly SmithEvent[], which: "first" | "older"): void;
  status(status: SessionStatus): void;
}

/** One session's events in order: the past first, then what happened while it was read, then what happens. */
export class SessionFeed {
  private buffered: SmithEvent[] | undefined = [];
  private next: EntryId | undefined;
  private loading = false;
  private unsubscribe: (() => void) | undefined;
  private lastStatus: SessionStatus | undefined;
  private readonly session: RuntimeSession;
  private readonly sink: FeedSink;

  constructor(session: RuntimeSession, sink: FeedSink) {
    this.session = session;
    this.sink = sink;
  }

  async start(): Promise<void> {
    this.unsubscribe = this.session.observe((event) => {
      if (this.buffered === undefined) this.deliver(event);
      else this.buffered.push(event);
    });
    const page = await this.session.backlog({ limit: FIRST_PAGE });
    this.next = page.next;
    this.sink.history(page.events, "first");
    const waiting = this.buffered ?? [];
    this.buffered = undefined;
    for (const event of waiting) this.deliver(event);
  }

  private deliver(event: SmithEvent): void {
    this.sink.event(event);
    this.checkStatus();
  }

  /** The status is compared by reference, as its contract allows. */
  checkStatus(): void {
    const status = this.session.status();
    if (status === this.lastStatus) return;
    this.lastStatus = status;
    this.sink.status(status);
  }

  /** Loads the page before the oldest known entry; nothing when there is none or it is on its way. */
  async older(): Promise<void> {
    if (this.next === undefined || this.loading) return;
    this.loading = true;
    try {
      const page = await this.session.backlog({ limit: PAGE, before: this.next });
      this.next = page.events.length === 0 ? undefined : page.next;
      this.sink.history(page.events, "older");
    } finally {
      this.loading = false;
    }
  }

  get hasOlder(): boolean {
    return this.next !== undefined && !this.loading;
  }

  stop(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }
}
