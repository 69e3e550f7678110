import type { SessionId } from "../../base/index.js";
import { type SessionReader, SessionStorageError, type SessionStore, type SessionWriter } from "../../session/index.js";

/** A session to be made, or one that is there. */
export type SessionTarget =
  | {
      readonly type: "new";
      readonly id: SessionId;
      readonly store: SessionStore;
      readonly path: string;
      /** Removed at a clean end. */
      readonly temporary: boolean;
      readonly name: string | undefined;
    }
  | { readonly type: "resumed"; readonly writer: SessionWriter };

export interface SessionFile {
  /** Makes the file at the first call. Throws SessionStorageError when that fails. */
  writer(): Promise<SessionWriter>;
  /** The writer once it is there; only called after `writer`. */
  current(): SessionWriter;
  reader(): SessionReader | undefined;
  close(clean: boolean): Promise<void>;
}

export function openSession(target: SessionTarget): SessionFile {
  let writer = target.type === "resumed" ? target.writer : undefined;
  let creating: Promise<SessionWriter> | undefined;
  const create = async (): Promise<SessionWriter> => {
    if (target.type === "resumed") return target.writer;
    const created = await target.store.create({ id: target.id });
    if (!created.ok) throw new SessionStorageError(created.error);
    writer = created.value;
    return writer;
  };
  return {
    async writer() {
      if (writer !== undefined) return writer;
      creating ??= create().finally(() => {
        creating = undefined;
      });
      return await creating;
    },
    current: () => current(writer),
    reader: () => writer,
    async close(clean) {
      // A file that is just being made would keep its lock for ever.
      await creating?.catch(() => undefined);
      await writer?.close();
      if (writer !== undefined && target.type === "new" && target.temporary && clean) await target.store.remove(target.id);
    },
  };
}

function current(writer: SessionWriter | undefined): SessionWriter {
  if (writer === undefined) throw new TypeError("the session file is used before it was made");
  return writer;
}
