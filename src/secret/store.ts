import { type Clock, err, isJsonObject, ok, parseJson, type Result, utf8Length } from "../base/index.js";
import { createGuardedFile, type FileLock, type GuardedText } from "../guarded-file/index.js";
import type { Diagnostic } from "../schema/index.js";
import { badSecretName, secretNotTaken, secretStoreBroken, secretStoreBusy, secretStoreOpen, secretStoreUnwritten } from "./diagnostics.js";
import { ordinary } from "./value.js";

export interface SecretStoreDeps {
  /** `<data>/secrets.json`, absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly lock: FileLock;
}

export interface StoredSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly warnings: readonly Diagnostic[];
}

/** Secrets a person stored, in a file that is theirs alone. */
export interface SecretStore {
  readonly path: string;
  read(): Promise<Result<StoredSecrets, Diagnostic>>;
  /** Puts a value in, in place of what is there under that name, which is told by `true`. Blanks around it do not belong to it. */
  add(name: string, value: string): Promise<Result<boolean, Diagnostic>>;
  /** False: there was none. */
  remove(name: string): Promise<Result<boolean, Diagnostic>>;
}

const MAX_BYTES = 1024 * 1024;
const FORMAT = 1;
const NAME = /^[A-Za-z_][A-Za-z0-9._-]{0,99}$/u;

export const isSecretStoreName = (name: string): boolean => NAME.test(name);

export function createSecretStore(deps: SecretStoreDeps): SecretStore {
  const { path } = deps;
  const file = createGuardedFile({
    ...deps,
    maxBytes: MAX_BYTES,
    failures: {
      broken: secretStoreBroken,
      unwritten: secretStoreUnwritten,
      busy: secretStoreBusy,
      stopped: () => secretStoreBusy(path, 0),
    },
  });
  const parsed = (content: GuardedText | undefined): Result<ReadonlyMap<string, string>, Diagnostic> => {
    if (content === undefined) return ok(new Map());
    const read = parseStore(content.text);
    return read.ok ? read : err(secretStoreBroken(path, read.error));
  };
  const change = async <Value>(
    make: (before: ReadonlyMap<string, string>) => { readonly after?: ReadonlyMap<string, string>; readonly value: Value },
  ): Promise<Result<Value, Diagnostic>> =>
    await file.update(async (content) => {
      const before = parsed(content);
      if (!before.ok) return before;
      const { after, value } = make(before.value);
      if (after === undefined) return await Promise.resolve(ok({ value }));
      const text = `${JSON.stringify({ format: FORMAT, secrets: Object.fromEntries(after) }, undefined, 2)}\n`;
      if (utf8Length(text) > MAX_BYTES) return err(secretStoreUnwritten(path, `It would have more than ${String(MAX_BYTES)} bytes.`));
      return ok({ text, value });
    });
  return {
    path,
    async read() {
      const content = await file.read();
      if (!content.ok) return content;
      const values = parsed(content.value);
      if (!values.ok) return values;
      const { openMode } = content.value ?? {};
      return ok({ values: values.value, warnings: openMode === undefined ? [] : [secretStoreOpen(path, openMode)] });
    },
    async add(name, given) {
      if (!isSecretStoreName(name)) return err(badSecretName(name));
      const value = given.trim();
      const why = ordinary(value);
      if (why !== undefined) return err(secretNotTaken(name, why));
      return await change((before) => ({ after: new Map([...before, [name, value]]), value: before.has(name) }));
    },
    remove: async (name) =>
      await change((before) =>
        before.has(name) ? { after: new Map([...before].filter(([known]) => known !== name)), value: true } : { value: false },
      ),
  };
}

/** A fault is a sentence that shows no value. */
function parseStore(text: string): Result<ReadonlyMap<string, string>, string> {
  if (text.trim() === "") return err("It is empty.");
  const file = parseJson(text);
  if (!isJsonObject(file)) return err("It is no JSON object.");
  if (file["format"] !== FORMAT) return err(`Its "format" is not ${String(FORMAT)}: another version of smith may have written it.`);
  const { secrets } = file;
  if (!isJsonObject(secrets)) return err('Its "secrets" are no JSON object.');
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(secrets)) {
    if (!isSecretStoreName(name) || typeof value !== "string") return err('One of its "secrets" is no text under a name.');
    values.set(name, value);
  }
  return ok(values);
}
