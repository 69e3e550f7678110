import type { Result } from "../base/index.js";
import { err, ok } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { HeaderReading } from "./codec/index.js";
import { decodeFileHeader, FILE_HEADER_BYTES } from "./codec/index.js";
import { sessionUnreadable, sessionUnsupported } from "./diagnostics.js";
import type { OpenFile } from "./log/index.js";

export type SoundHeader = Extract<HeaderReading, { readonly type: "sound" }>;

/** Reads and checks the 256 bytes every session file begins with. */
export async function readHeader(file: OpenFile, path: string): Promise<Result<SoundHeader, Diagnostic>> {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  const got = await file.read(bytes, 0);
  if (got < FILE_HEADER_BYTES) {
    const why = `It has ${got} bytes; a session file begins with a header of ${FILE_HEADER_BYTES}. Its creation was interrupted, or it was cut.`;
    return err(sessionUnreadable(path, why));
  }
  const reading = decodeFileHeader(bytes);
  switch (reading.type) {
    case "sound":
      return ok(reading);
    case "unsupported":
      return err(sessionUnsupported(path, reading.major));
    case "damaged":
      return err(sessionUnreadable(path, "Both copies of its header fail their checksum."));
  }
}
