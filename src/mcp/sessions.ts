import { err, isUuid, ok, orAborted, type Result, type SessionId } from "../base/index.js";
import type { OpenOptions, Runtime, RuntimeSession } from "../runtime/index.js";
import type { Diagnostic } from "../schema/index.js";
import { noSuchSession } from "./failure.js";

export interface SessionsPorts {
  readonly runtime: Pick<Runtime, "create" | "open" | "resolve">;
  /** Whether a session is of the folder this server works in: those of others are none of a client's business. */
  readonly isOwn: (id: SessionId) => Promise<boolean>;
  /** Of every session; asked when one is opened, since only then it is known what the client can do. */
  readonly options: () => OpenOptions;
  /** Who asks, as the session of direct calls is named after it. */
  readonly client: () => string;
  /** Of each session that is opened, until the returned function is called at its end. */
  readonly attend: (session: RuntimeSession) => () => void;
  /** There is a session that was not there, or one is another than it was. */
  readonly onChanged: () => void;
}

/** A session for as long as somebody works in it. */
export interface Seat {
  readonly session: RuntimeSession;
  /** Does it when nothing else that was begun this way goes on in the session. Undefined: `signal` aborted before. */
  alone<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value | undefined>;
  release(): Promise<void>;
}

interface Held {
  readonly session: RuntimeSession;
  readonly unattend: () => void;
  uses: number;
  /** Resolves when what was begun alone is over. */
  last: Promise<unknown>;
}

/** The sessions this server has open: one for direct calls, and those that prompts run in. */
export class Sessions {
  readonly #ports: SessionsPorts;
  readonly #held = new Map<SessionId, Held>();
  readonly #opening = new Map<SessionId, Promise<Result<Held, Diagnostic>>>();
  #isTold = false;
  #direct: Promise<Result<RuntimeSession, Diagnostic>> | undefined;

  constructor(ports: SessionsPorts) {
    this.#ports = ports;
  }

  /** The one for calls of tools, made at the first of them and kept to the end. A failure is not kept. */
  async direct(): Promise<Result<RuntimeSession, Diagnostic>> {
    const asked = (this.#direct ??= this.#create(`mcp ${this.#ports.client()}`));
    const made = await asked;
    if (!made.ok && this.#direct === asked) this.#direct = undefined;
    return made;
  }

  /** A new one, or the one of this folder that is named by its whole id: an end of one can be guessed. */
  async seat(name: string | undefined): Promise<Result<Seat, Diagnostic>> {
    const held = name === undefined ? await this.#fresh() : await this.#named(name);
    if (!held.ok) return held;
    const one = held.value;
    one.uses += 1;
    return ok({
      session: one.session,
      alone: async (signal, work) => await alone(one, signal, work),
      release: async () => {
        one.uses -= 1;
        if (one.uses > 0) return;
        this.#held.delete(one.session.id);
        one.unattend();
        await one.session.close();
        this.#ports.onChanged();
      },
    });
  }

  /** The first call of a tool made the file of its session. */
  called(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#ports.onChanged();
  }

  /** The first prompt made the file of a session. */
  begun(): void {
    this.#ports.onChanged();
  }

  /** Ends what runs in them and closes them. */
  async close(): Promise<void> {
    const open = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(
      open.map(async ({ session, unattend }) => {
        unattend();
        await session.close();
      }),
    );
  }

  async #create(name: string | undefined): Promise<Result<RuntimeSession, Diagnostic>> {
    const held = await this.#fresh(name);
    if (!held.ok) return held;
    held.value.uses += 1;
    const { session } = held.value;
    return ok(session);
  }

  async #fresh(name?: string): Promise<Result<Held, Diagnostic>> {
    const { runtime, options } = this.#ports;
    const made = await runtime.create({ ...options(), ...(name === undefined ? {} : { name }) });
    return made.ok ? ok(this.#hold(made.value)) : made;
  }

  async #named(name: string): Promise<Result<Held, Diagnostic>> {
    const id = await this.#idOf(name);
    if (!id.ok) return id;
    const held = this.#held.get(id.value);
    if (held !== undefined) return ok(held);
    const opening = this.#opening.get(id.value) ?? this.#open(id.value);
    this.#opening.set(id.value, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(id.value);
    }
  }

  /** Those that are open here need not have a file yet. */
  async #idOf(name: string): Promise<Result<SessionId, Diagnostic>> {
    const open = [...this.#held.keys()].find((id) => id === name);
    if (open !== undefined) return ok(open);
    if (!isUuid(name)) return err(noSuchSession(name));
    const found = await this.#ports.runtime.resolve(name);
    return found.ok && (await this.#ports.isOwn(found.value)) ? found : err(noSuchSession(name));
  }

  async #open(id: SessionId): Promise<Result<Held, Diagnostic>> {
    const opened = await this.#ports.runtime.open(id, { ...this.#ports.options(), want: "write" });
    return opened.ok ? ok(this.#hold(opened.value)) : err(opened.error);
  }

  #hold(session: RuntimeSession): Held {
    const held = { session, unattend: this.#ports.attend(session), uses: 0, last: Promise.resolve() };
    this.#held.set(session.id, held);
    return held;
  }
}

async function alone<Value>(held: Held, signal: AbortSignal, work: () => Promise<Value>): Promise<Value | undefined> {
  const before = held.last;
  let end = (): void => undefined;
  const own = new Promise<void>((resolve) => {
    end = resolve;
  });
  held.last = before.then(async () => {
    await own;
  });
  try {
    await orAborted(before, signal);
    return signal.aborted ? undefined : await work();
  } finally {
    end();
  }
}
