import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, err, invariant, isJsonObject, type JsonValue, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { createLocker, type Locker } from "../../session/index.js";
import { valuesBroken, valuesBusy, valuesTooLarge, valuesUnwritten } from "./failures.js";

/** Whose values, and for what: for everything the user does, or for one project (hex digest of its folder). */
export type ValuePlace = { readonly plugin: string } & (
  { readonly scope: "user" } | { readonly scope: "project"; readonly project: string }
);

/** A value in the format of the version that wrote it. */
export interface StoredValue {
  readonly version: number;
  readonly value: JsonValue;
}

export interface ValueFileDeps {
  /** Holds one folder for each plugin; made at the first write. */
  readonly dir: string;
  readonly clock: Clock;
  /** Part of a name that no other file has. */
  readonly unique: () => string;
}

/** Every read is of the file as it is now; every change is made to it under its lock. */
export interface ValueFiles {
  /** Undefined: there is none. */
  get(place: ValuePlace, key: string): Promise<Result<StoredValue | undefined, Diagnostic>>;
  put(place: ValuePlace, key: string, value: StoredValue): Promise<Result<void, Diagnostic>>;
  /** Whether there was one. */
  delete(place: ValuePlace, key: string): Promise<Result<boolean, Diagnostic>>;
}

/** Of one file, as stored. */
export const MAX_VALUE_FILE_BYTES = 1024 * 1024;

const WAIT_MS = 2000;
const RETRY_MS = 10;
const FORMAT = 1;

type Values = Readonly<Record<string, StoredValue>>;

export const createValueFiles = (deps: ValueFileDeps): ValueFiles => new Files(deps);

class Files implements ValueFiles {
  readonly #deps: ValueFileDeps;
  readonly #locker: Locker = createLocker();
  /** The newest change of each file: those of this process go one after the other and do not wait for each other's lock. */
  readonly #changing = new Map<string, Promise<unknown>>();

  constructor(deps: ValueFileDeps) {
    this.#deps = deps;
  }

  async get(place: ValuePlace, key: string): Promise<Result<StoredValue | undefined, Diagnostic>> {
    const values = await readValues(pathOf(this.#deps.dir, place), place.plugin);
    return values.ok ? ok(Object.hasOwn(values.value, key) ? values.value[key] : undefined) : values;
  }

  async put(place: ValuePlace, key: string, value: StoredValue): Promise<Result<void, Diagnostic>> {
    const done = await this.#change(place, (values) => ({ ...withoutKey(values, key), [key]: value }));
    return done.ok ? ok(undefined) : done;
  }

  async delete(place: ValuePlace, key: string): Promise<Result<boolean, Diagnostic>> {
    return await this.#change(place, (values) => (Object.hasOwn(values, key) ? withoutKey(values, key) : undefined));
  }

  /** `change` gives nothing when there is nothing to do. Tells whether there was. */
  async #change(place: ValuePlace, change: (values: Values) => Values | undefined): Promise<Result<boolean, Diagnostic>> {
    const path = pathOf(this.#deps.dir, place);
    const before = this.#changing.get(path);
    const mine = (async () => {
      await before;
      try {
        return await this.#locked(path, place.plugin, async () => await this.#replace(path, place.plugin, change));
      } catch (error) {
        return err(valuesUnwritten(path, place.plugin, wordsOf(error)));
      }
    })();
    this.#changing.set(path, mine);
    try {
      return await mine;
    } finally {
      if (this.#changing.get(path) === mine) this.#changing.delete(path);
    }
  }

  async #locked<Value>(path: string, plugin: string, work: () => Promise<Result<Value, Diagnostic>>): Promise<Result<Value, Diagnostic>> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // The lock is a file of its own, as the one it guards is replaced by every change; it ends with its descriptor.
    const lock = await open(`${path}.lock`, "a", 0o600);
    try {
      return (await this.#take(lock)) ? await work() : err(valuesBusy(path, plugin, WAIT_MS));
    } finally {
      await lock.close();
    }
  }

  async #take(lock: FileHandle): Promise<boolean> {
    const { clock } = this.#deps;
    const until = clock.monotonic() + WAIT_MS;
    while (!this.#locker.tryLock(lock.fd)) {
      if (clock.monotonic() >= until) return false;
      await clock.sleep(RETRY_MS);
    }
    return true;
  }

  async #replace(path: string, plugin: string, change: (values: Values) => Values | undefined): Promise<Result<boolean, Diagnostic>> {
    const before = await readValues(path, plugin);
    if (!before.ok) return before;
    const after = change(before.value);
    if (after === undefined) return ok(false);
    const text = `${JSON.stringify({ format: FORMAT, values: after })}\n`;
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_VALUE_FILE_BYTES) return err(valuesTooLarge(path, plugin, { bytes, maxBytes: MAX_VALUE_FILE_BYTES }));
    await replaceWith(path, text, `${path}.${this.#deps.unique()}.tmp`);
    return ok(true);
  }
}

/** The name of a plugin comes from its manifest and was checked there; a path is made of nothing that was not. */
function pathOf(dir: string, place: ValuePlace): string {
  invariant(/^[a-z0-9][a-z0-9._-]*$/u.test(place.plugin), "the id of a plugin is no name of a folder");
  if (place.scope === "user") return join(dir, place.plugin, "user.json");
  invariant(/^[0-9a-f]+$/u.test(place.project), "a project is named by a digest");
  return join(dir, place.plugin, `project-${place.project}.json`);
}

const withoutKey = (values: Values, key: string): Values => Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));

async function readValues(path: string, plugin: string): Promise<Result<Values, Diagnostic>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return ok({});
    return err(valuesBroken(path, plugin, wordsOf(error)));
  }
  const values = parseValues(text);
  return values === undefined ? err(valuesBroken(path, plugin, "It does not hold values as smith writes them.")) : ok(values);
}

function parseValues(text: string): Values | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(parsed) || parsed["format"] !== FORMAT || !isJsonObject(parsed["values"])) return undefined;
  const entries = Object.entries(parsed["values"]);
  return entries.every(isStored) ? Object.fromEntries(entries) : undefined;
}

const isStored = (entry: [string, JsonValue]): entry is [string, JsonValue & StoredValue] =>
  isJsonObject(entry[1]) && typeof entry[1]["version"] === "number" && entry[1]["value"] !== undefined;

async function replaceWith(path: string, text: string, temp: string): Promise<void> {
  let isThere = false;
  try {
    const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    isThere = true;
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, path);
    isThere = false;
  } finally {
    if (isThere) await unlink(temp).catch(() => undefined);
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
