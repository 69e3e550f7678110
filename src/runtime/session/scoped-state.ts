import type { Clock, EntryId, IdSource, JsonValue, Result, WorkId } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic, Position, StateEntry, StateFields } from "../../schema/index.js";
import type { CommitTicket, SessionReader } from "../../session/index.js";
import { stateContract, stateInvalid, stateNeedsWork, stateNoPosition, stateNoSession, stateTooLarge } from "../diagnostics.js";
import { first, recoverable, Refusal } from "./refusal.js";

/** What the owner of a piece of durable state promises about it. Recorded with every change (specification, "Scoped state"). */
export interface StateDeclaration {
  /** `core`, or the id of a plugin. */
  readonly owner: string;
  readonly key: string;
  /** Of the value's format, from 1. */
  readonly version: number;
  /** `branch`: each branch has its own value. `session`: one value, whatever branch is selected. */
  readonly scope: "session" | "branch";
  /** Whether a fork begins with the value as of its fork point. State of a branch is always copied with its branch. */
  readonly fork: "copy" | "fresh";
  /** `work`: the value ends when the work it was put for settles. Only of session scope. */
  readonly retention: "session" | "work";
  /** Bytes of one value as JSON text in UTF-8. The session's own bounds hold besides. */
  readonly maxBytes: number;
}

/** A value as it was recorded: in the format of the version that wrote it, whatever today's code would write. */
export interface StateValue {
  readonly version: number;
  readonly value: JsonValue;
}

/** One piece of state. Writes resolve when they are durable; a refused write changed nothing. */
export interface StateCell {
  get(): Promise<Result<StateValue | undefined, Diagnostic>>;
  /** As of a committed change, of the branch that was selected then. */
  at(position: Position): Promise<Result<StateValue | undefined, Diagnostic>>;
  /** `work` is needed with retention `work`, and must not have settled. */
  put(value: JsonValue, work?: WorkId): Promise<Result<void, Diagnostic>>;
  delete(): Promise<Result<void, Diagnostic>>;
}

export interface ScopedState {
  /** Refused for a key that cannot be stored, and for one that is declared with another contract already. */
  declare(declaration: StateDeclaration): Result<StateCell, Diagnostic>;
}

export interface ScopedStatePorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** False as long as the session has no file. */
  readonly hasFile: () => boolean;
  /** Reads of the file as it is now, opened anew or not; undefined when there is none. */
  readonly read: <Value>(use: (reader: SessionReader) => Promise<Value>) => Promise<Value | undefined>;
  /** Session state lies beside the branches. Throws SessionStorageError when nothing may be written now. */
  readonly commit: (entry: StateEntry) => CommitTicket;
  /** Branch state is an entry of the selected branch: whoever moves the leaf appends it. Resolves when durable. */
  readonly append: (fields: StateFields) => Promise<void>;
}

/** Bytes of an owner or a key in UTF-8. */
export const MAX_STATE_NAME_BYTES = 256;

/** Durable state for the core and for plugins: declared once, bounded, read back from records. */
export function createScopedState(ports: ScopedStatePorts): ScopedState {
  const declared = new Map<string, { readonly contract: string; readonly cell: StateCell }>();
  return {
    declare(declaration) {
      const problem = problemOf(declaration);
      if (problem !== undefined) return err(stateInvalid(declaration.owner, declaration.key, problem));
      const name = `${declaration.owner}\0${declaration.key}`;
      const contract = contractOf(declaration);
      const known = declared.get(name);
      if (known !== undefined && known.contract !== contract) return err(stateContract(declaration.owner, declaration.key));
      const cell = known?.cell ?? new Cell(declaration, ports);
      declared.set(name, { contract, cell });
      return ok(cell);
    },
  };
}

const contractOf = ({ version, scope, fork, retention, maxBytes }: StateDeclaration): string =>
  JSON.stringify([version, scope, fork, retention, maxBytes]);

function problemOf({ owner, key, version, scope, retention, maxBytes }: StateDeclaration): string | undefined {
  for (const [what, text] of [
    ["owner", owner],
    ["key", key],
  ] as const) {
    if (text === "") return `its ${what} is empty`;
    if (text.includes("\0")) return `its ${what} holds a NUL character`;
    if (Buffer.byteLength(text) > MAX_STATE_NAME_BYTES) return `its ${what} is longer than ${String(MAX_STATE_NAME_BYTES)} bytes`;
  }
  if (!Number.isSafeInteger(version) || version < 1) return "its version is not a whole number from 1";
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) return "its bound is not a whole number of bytes";
  return scope === "branch" && retention === "work" ? "state of a branch cannot end with a work" : undefined;
}

class Cell implements StateCell {
  readonly #declaration: StateDeclaration;
  readonly #ports: ScopedStatePorts;

  constructor(declaration: StateDeclaration, ports: ScopedStatePorts) {
    this.#declaration = declaration;
    this.#ports = ports;
  }

  async get(): Promise<Result<StateValue | undefined, Diagnostic>> {
    const { owner, key, scope } = this.#declaration;
    return await this.#read(async (reader) =>
      scope === "session" ? await reader.sessionState(owner, key) : await reader.branchState(owner, key),
    );
  }

  async at(position: Position): Promise<Result<StateValue | undefined, Diagnostic>> {
    const { owner, key, scope } = this.#declaration;
    return await this.#read(async (reader) => {
      if (scope === "session") return await reader.sessionState(owner, key, position);
      const leaf = await leafAt(reader, position);
      return leaf === undefined ? undefined : await reader.branchState(owner, key, leaf);
    });
  }

  async put(value: JsonValue, work?: WorkId): Promise<Result<void, Diagnostic>> {
    const { owner, key, maxBytes, retention } = this.#declaration;
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > maxBytes) return err(stateTooLarge(owner, key, { bytes, maxBytes }));
    if (retention === "work" && work === undefined) return err(stateNeedsWork(owner, key));
    return await this.#write({ operation: "put", value }, retention === "work" ? work : undefined);
  }

  async delete(): Promise<Result<void, Diagnostic>> {
    return await this.#write({ operation: "delete" }, undefined);
  }

  async #write(change: Pick<StateFields, "operation" | "value">, work: WorkId | undefined): Promise<Result<void, Diagnostic>> {
    const { owner, key, version, fork, scope } = this.#declaration;
    if (!this.#ports.hasFile()) return err(stateNoSession(owner, key));
    const fields: StateFields = { owner, key, version, fork, ...change };
    return await recoverable(async () => {
      if (scope === "branch") {
        await this.#ports.append(fields);
        return;
      }
      const { ids, clock } = this.#ports;
      const stamp = { id: ids.next<EntryId>(), time: clock.now(), ...(work === undefined ? {} : { work }) };
      await this.#ports.commit({ type: "state", ...fields, ...stamp }).durable;
    });
  }

  async #read(find: (reader: SessionReader) => Promise<StateFields | undefined>): Promise<Result<StateValue | undefined, Diagnostic>> {
    return await recoverable(async () => {
      const found = await this.#ports.read(find);
      return found?.operation !== "put" || found.value === undefined ? undefined : { version: found.version, value: found.value };
    });
  }
}

/** Leaf as of a change, from the record of that change. */
async function leafAt(reader: SessionReader, position: Position): Promise<EntryId | undefined> {
  // Whether it is a position of this history at all is for the session to say.
  await first(reader.changes({ from: position }));
  if (position.seq <= 0) return undefined;
  const change = await first(reader.changes({ from: { ...position, seq: position.seq - 1 } }));
  if (change?.position.seq === position.seq) return change.leaf;
  throw new Refusal(stateNoPosition(position));
}
