declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Every id below is a UUIDv7 (RFC 9562) in its lower-case hyphenated text form; 16 raw bytes in a session file. */
export type SessionId = Brand<"SessionId">;
export type EntryId = Brand<"EntryId">;
export type SubmissionId = Brand<"SubmissionId">;
export type WorkId = Brand<"WorkId">;
export type RequestId = Brand<"RequestId">;
export type CallId = Brand<"CallId">;
export type EffectId = Brand<"EffectId">;
/** One run of a plugin's handler or command. */
export type InvocationId = Brand<"InvocationId">;

export type AnyId = SessionId | EntryId | SubmissionId | WorkId | RequestId | CallId | EffectId | InvocationId;

/** Makes monotonic ids: each one sorts after the one before, also when the clock steps back. */
export interface IdSource {
  next<Id extends AnyId>(): Id;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * UUIDv7 source: 48 bits of clock, 12 bits of counter, 62 random bits (RFC 9562 section 5.7, method 1).
 * The millisecond never goes back, so ids stay ordered for the life of the source.
 */
export function createIdSource(now: () => number, random: (into: Uint8Array) => void): IdSource {
  const tail = new Uint8Array(8);
  let last = 0;
  let counter = 0;
  return {
    next<Id extends AnyId>(): Id {
      const ms = Math.max(last, now());
      counter = ms === last ? counter + 1 : 0;
      if (counter > 0xfff) {
        last = ms + 1;
        counter = 0;
      } else {
        last = ms;
      }
      random(tail);
      return formatV7(last, counter, tail) as Id;
    },
  };
}

const hex = (value: number, width: number): string => value.toString(16).padStart(width, "0");

function formatV7(ms: number, counter: number, tail: Uint8Array): string {
  const time = hex(ms, 12);
  const variant = hex(0x80 | ((tail[0] ?? 0) & 0x3f), 2) + hex(tail[1] ?? 0, 2);
  let node = "";
  for (let index = 2; index < 8; index += 1) node += hex(tail[index] ?? 0, 2);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(counter, 3)}-${variant}-${node}`;
}

/** The short form shown to people: the last 8 hex digits (the first digits are time and alike). */
export const shortId = (id: AnyId): string => id.slice(-8);
