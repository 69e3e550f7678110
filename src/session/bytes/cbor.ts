/** Bounds and tags shared by both directions of the canonical CBOR codec. */
export const MAX_DEPTH = 128;
export const MAX_ITEMS = 1_000_000;
/** Bytes of one string or value. */
export const MAX_VALUE_BYTES = 96 * 1024 * 1024;
/** Private tag over `[k0, v0, k1, v1 …]`: an object whose key order is significant because it is not the canonical one. */
export const ORDERED_TAG = 21_325;

/** JSON data plus byte strings (ids). Numbers have one kind, as in JSON: integral ones in ±(2^53-1) are integers. */
export type CborValue =
  null | boolean | number | string | Uint8Array | readonly CborValue[] | { readonly [key: string]: CborValue | undefined };

export type CborFields = { readonly [key: string]: CborValue | undefined };

/** A value or commit that breaks a bound of the format. Internal: `commit` turns it into a diagnostic. */
export class BoundError extends Error {
  override readonly name = "BoundError";
}
