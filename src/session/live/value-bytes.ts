import type { JsonValue } from "../../base/index.js";
import { BoundError, CborEncoder } from "../bytes/index.js";

/** Bytes of a state's value as canonical CBOR; 0 without one, and for a value no commit would take anyway. */
export function valueBytes(value: JsonValue | undefined): number {
  if (value === undefined) return 0;
  const cbor = new CborEncoder();
  try {
    cbor.encode(value);
    return cbor.run.length;
  } catch (error) {
    if (error instanceof BoundError) return 0;
    throw error;
  }
}
