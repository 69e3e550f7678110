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
      if (this.buffered === undefined) this.deliver(event);
      else this.buffered.push(event);
    });
    const page = await this.session.backlog({ limit: FIRST_PAGE });
    this.next = page.next;
    for (const event of page.events) this.store.apply(event, this.ports.now());
    // What has no end in the past and is not running did not end.
    this.lastStatus = this.session.status();
    if (isIdle(this.lastStatus)) this.store.settleTools();
    this.ports.dispatch({ type: "history", events: page.events });
    const waiting = this.buffered ?? [];
    this.buffered = undefined;
    for (const event of waiting) this.deliver(event);
  }

  private deliver(event: SmithEvent): void {
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
