import type { EntryId } from "../base/index.js";
import type { RuntimeSession, SessionStatus } from "../runtime/index.js";
import type { SmithEvent } from "../schema/index.js";
import type { UiEvent } from "./store/index.js";
import type { TranscriptStore } from "./transcript/index.js";

/** Entries of the first page: some screens. Older ones come when they are scrolled to. */
const FIRST_PAGE = 120;
const PAGE = 200;

export interface FeedPorts {
  /** Of the monotonic clock. */
  now(): number;
  dispatch(event: UiEvent): void;
  /** A bug of ours must not reach the session that told the event. */
  fail(error: unknown): void;
}

/** The history that is shown is not the history any more: another one took its place. */
const isAnew = (event: SmithEvent): boolean => event.type === "error" && event.diagnostic.code === "session.history-repaired";

/** Nobody runs anything in it: neither this process nor another one that writes it. */
const isIdle = ({ running, owner }: SessionStatus): boolean => !running && owner === undefined;

/** Brings one session's events to the transcript and the state, in order: the past first, then what happened while it was read, then what happens. */
export class SessionFeed {
  private buffered: SmithEvent[] | undefined = [];
  private next: EntryId | undefined;
  private isLoading = false;
  private unsubscribe: (() => void) | undefined;
  private lastStatus: SessionStatus | undefined;
  private readonly session: RuntimeSession;
  private readonly store: TranscriptStore;
  private readonly ports: FeedPorts;

  constructor(session: RuntimeSession, store: TranscriptStore, ports: FeedPorts) {
    this.session = session;
    this.store = store;
    this.ports = ports;
  }

  async start(): Promise<void> {
    this.unsubscribe = this.session.observe((event) => {
      this.deliver(event);
    });
    const events = await this.page();
    this.ports.dispatch({ type: "history", events });
    this.release();
  }

  /** The newest page, applied. */
  private async page(): Promise<readonly SmithEvent[]> {
    const { events, next } = await this.session.backlog({ limit: FIRST_PAGE });
    this.next = next;
    for (const event of events) this.store.apply(event, this.ports.now());
    // What has no end in the past and is not running did not end.
    this.lastStatus = this.session.status();
    if (isIdle(this.lastStatus)) this.store.settleTools();
    return events;
  }

  private release(): void {
    const waiting = this.buffered ?? [];
    this.buffered = undefined;
    for (const event of waiting) this.deliver(event);
  }

  /** Shows the history from its end again, and then `why`. */
  private async anew(why: SmithEvent): Promise<void> {
    this.store.clear();
    await this.page();
    this.store.apply(why, this.ports.now());
    this.ports.dispatch({ type: "runtime", event: why, at: this.ports.now() });
    this.release();
  }

  private deliver(event: SmithEvent): void {
    if (this.buffered !== undefined) {
      this.buffered.push(event);
      return;
    }
    if (isAnew(event)) {
      this.buffered = [];
      this.anew(event).catch((error: unknown) => {
        this.ports.fail(error);
      });
      return;
    }
    const at = this.ports.now();
    try {
      this.store.apply(event, at);
    } catch (error) {
      this.ports.fail(error);
    }
    this.ports.dispatch({ type: "runtime", event, at });
    // The status is compared by reference, as its contract allows.
    const status = this.session.status();
    if (status === this.lastStatus) return;
    this.lastStatus = status;
    if (status.access === "read" && isIdle(status)) this.store.settleTools();
    this.ports.dispatch({ type: "status", status });
  }

  /** Loads the page before the oldest known entry; nothing when there is none or it is on its way. */
  async older(): Promise<void> {
    if (this.next === undefined || this.isLoading) return;
    this.isLoading = true;
    try {
      const page = await this.session.backlog({ limit: PAGE, before: this.next });
      this.next = page.events.length === 0 ? undefined : page.next;
      this.store.prepend(page.events, this.ports.now());
    } finally {
      this.isLoading = false;
    }
    this.ports.dispatch({ type: "history", events: [] });
  }

  stop(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }
}
