import { err, ok, type Result, type SessionId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { sessionBusy, type SessionReader, SessionStorageError, type SessionStore, type SessionWriter } from "../../session/index.js";
import { notWritable } from "../diagnostics.js";

export const isWriter = (session: SessionReader | SessionWriter): session is SessionWriter => session.access === "write";

/** Runs with a reader of a stored session. What storage refuses is a result. */
export async function withReader<Value>(
  store: SessionStore,
  id: SessionId,
  use: (reader: SessionReader) => Promise<Result<Value, Diagnostic>>,
): Promise<Result<Value, Diagnostic>> {
  const opened = await store.open(id, "read");
  return opened.ok ? await closing(opened.value, async () => await use(opened.value)) : opened;
}

/** Runs as the writer of a stored session; refused with `session.busy` when another process is. */
export async function withWriter<Value>(
  store: SessionStore,
  id: SessionId,
  use: (writer: SessionWriter) => Promise<Result<Value, Diagnostic>>,
): Promise<Result<Value, Diagnostic>> {
  const opened = await store.open(id, "write");
  if (!opened.ok) return opened;
  const session = opened.value;
  return await closing(session, async () => (isWriter(session) ? await use(session) : err(unwritable(session))));
}

/** Why a session that was opened for writing came as a reader. */
export const unwritable = (reader: SessionReader): Diagnostic =>
  reader.owner === undefined ? notWritable(reader.id, reader.damage()) : sessionBusy(reader.id, reader.owner);

/** Items of a reader as results, its damage last. */
export const readingItems = <Item>(
  store: SessionStore,
  id: SessionId,
  items: (reader: SessionReader) => AsyncIterable<Item>,
): AsyncGenerator<Result<Item, Diagnostic>, void, undefined> =>
  readingResults(store, id, async function* (reader) {
    for await (const item of items(reader)) yield ok(item);
    // Known in full only now: damage is met on the way.
    for (const found of reader.damage()) yield err(found);
  });

/** Results that are made from a reader; it is closed at the end, also when the consumer leaves early. */
export async function* readingResults<Item>(
  store: SessionStore,
  id: SessionId,
  results: (reader: SessionReader) => AsyncIterable<Result<Item, Diagnostic>>,
): AsyncGenerator<Result<Item, Diagnostic>, void, undefined> {
  const opened = await store.open(id, "read");
  if (!opened.ok) {
    yield opened;
    return;
  }
  const reader = opened.value;
  try {
    yield* results(reader);
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    yield err(error.diagnostic);
  } finally {
    await reader.close();
  }
}

async function closing<Value>(session: SessionReader, use: () => Promise<Result<Value, Diagnostic>>): Promise<Result<Value, Diagnostic>> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof SessionStorageError) return err(error.diagnostic);
    throw error;
  } finally {
    await session.close();
  }
}
