import type { EntryId } from "../../base/index.js";
import { type AgentState, createDriver, type Driver, type DriverEvent, type DriverPorts } from "../../agent/index.js";
import { sessionClosed, SessionStorageError } from "../../session/index.js";
import type { SessionParts } from "./session-parts.js";

export interface TurnsPorts extends Pick<DriverPorts, "mode" | "approve" | "lifecycle"> {
  readonly onStarted: (state: AgentState) => void;
  readonly onEvent: (event: DriverEvent, driver: Driver) => void;
}

/** A driver with where it began: the prelude may have moved the leaf since somebody last saw it. */
export interface Seat {
  readonly driver: Driver;
  /** Leaf before and after the prelude. */
  readonly before: EntryId | undefined;
  readonly after: EntryId | undefined;
}

/**
 * The driver of a live session: started at the first need, given up when storage failed, started anew over what the file
 * holds once it can be written again. A driver that was given up commits and tells nothing any more.
 */
export class Turns {
  readonly #parts: SessionParts;
  readonly #ports: TurnsPorts;
  #starting: Promise<Seat> | undefined;
  #seat: Seat | undefined;
  #isSealed = false;
  #recovering: Promise<void> | undefined;

  constructor(parts: SessionParts, ports: TurnsPorts) {
    this.#parts = parts;
    this.#ports = ports;
  }

  /** The driver at work, or the one that was sealed last. */
  running(): Driver | undefined {
    return this.#seat?.driver;
  }

  /** Whether a driver was started or is being. */
  hasBegun(): boolean {
    return this.#starting !== undefined;
  }

  /** After storage failed: tries once to get the file back. Throws SessionStorageError when nothing can be written. */
  async usable(): Promise<void> {
    if (this.#recovering === undefined && !this.#isSealed && !this.#parts.file.hasFailed()) return;
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
    await this.#recovering;
  }

  /** The driver, started if need be; `firstText` names a session that nobody named. Throws SessionStorageError, Refusal. */
  async seat(firstText = ""): Promise<Seat> {
    await this.usable();
    this.#starting ??= this.#start(firstText);
    const starting = this.#starting;
    try {
      return await starting;
    } catch (error) {
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
  }

  async #recover(): Promise<void> {
    const { file } = this.#parts;
    await this.#starting?.catch(() => undefined);
    // The failure may have met somebody else's change: who waits for the turn must hear of it, and its request must end.
    const failure = await file.failure();
    if (failure !== undefined) this.#seat?.driver.giveUp(failure);
    this.#seat = undefined;
    this.#starting = undefined;
    // Late effects of the given-up turn end first: they must not be recorded behind what recovery says of them.
    await this.#parts.quiesce();
    const recovered = await file.recover();
    if (!recovered.ok) throw new SessionStorageError(recovered.error);
    this.#isSealed = false;
    this.#parts.forget();
  }

  async #start(firstText: string): Promise<Seat> {
    const { file, id, driverPorts } = this.#parts;
    const before = file.reader()?.leaf();
    const state = await this.#parts.prelude(firstText);
    const isCurrent = (): boolean => this.#seat?.driver === driver;
    const driver: Driver = createDriver(state, {
      ...driverPorts,
      mode: this.#ports.mode,
      approve: this.#ports.approve,
      lifecycle: this.#ports.lifecycle,
      // Not async: a refusal has to be thrown at once, before anything is built on the change.
      commit: (entries, leaf) => {
        if (!isCurrent()) throw new SessionStorageError(sessionClosed(id));
        return driverPorts.commit(entries, leaf);
      },
      emit: (event) => {
        if (!isCurrent()) return;
        if (event.type === "sealed") this.#isSealed = true;
        this.#ports.onEvent(event, driver);
      },
    });
    this.#seat = { driver, before, after: state.leaf };
    this.#ports.onStarted(state);
    return this.#seat;
  }
}
