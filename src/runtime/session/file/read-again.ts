import type { SessionReader } from "../../../session/index.js";

/** Reads with the reader of the moment; again with its successor when it was let go of under us. */
export async function readAgain<Value>(
  current: () => Promise<SessionReader | undefined>,
  use: (reader: SessionReader) => Promise<Value>,
): Promise<Value | undefined> {
  for (;;) {
    const reader = await current();
    if (reader === undefined) return undefined;
    try {
      return await use(reader);
    } catch (error) {
      // A reader that was closed meanwhile fails in its own way; the one that still counts fails for a reason.
      if ((await current()) === reader) throw error;
    }
  }
}
