import type { AnyId, EntryId } from "../../base/index.js";
import type { CborFields } from "../bytes/index.js";

/** Record flags of format v1. */
export const FLAG = { history: 1, context: 2, live: 8, projectionCritical: 4, source: 16 } as const;

/** Payload roles. `value` is one canonical CBOR map with everything that has no field or text of its own. */
export const ROLE = { text: 1, thinking: 2, args: 3, output: 4, image: 5, value: 6, key: 7, diff: 8 } as const;
export const ENCODING = { bytes: 0, utf8: 1, cbor: 2 } as const;

/** Payload content on its way into a commit: text as UTF-8, bytes as they are, fields as one CBOR map. */
export interface PayloadDraft {
  readonly role: number;
  readonly encoding: number;
  readonly data: string | Uint8Array | CborFields;
}

/** A record on its way into a commit. Times and distances are the writer's to fill in. */
export interface RecordDraft {
  readonly id: EntryId;
  readonly parent: EntryId | undefined;
  readonly pairing: AnyId | undefined;
  readonly owner: AnyId | undefined;
  readonly time: number;
  readonly kind: number;
  readonly flags: number;
  readonly sub: number;
  readonly aux: number;
  readonly payloads: readonly PayloadDraft[];
}

/** A payload as a reader has it: verified, decompressed bytes. */
export interface PayloadView {
  readonly role: number;
  readonly encoding: number;
  readonly bytes: Buffer;
}

/** The fixed metadata of one record, decoded from the commit table. */
export interface RecordView {
  readonly id: EntryId;
  readonly parent: EntryId | undefined;
  readonly pairing: AnyId | undefined;
  readonly owner: AnyId | undefined;
  readonly time: number;
  readonly kind: number;
  readonly flags: number;
  readonly sub: number;
  readonly aux: number;
  readonly parentBack: number;
  readonly firstDescriptor: number;
  readonly descriptorCount: number;
}
