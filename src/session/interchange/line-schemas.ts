import { z } from "zod";
import type { EntryId, JsonObject, Result, SessionId } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Entry, EntryType } from "../../schema/index.js";
import { FRAME as FRAMES } from "../codec/index.js";
import type { ChangeSpan, UnknownFrame } from "../types.js";
import { type CheckedEntry, ENTRIES } from "./entry-schemas.js";
import { base64, count, id, optional } from "./parts.js";
import type { DumpHeader } from "./header.js";

/** Frames up to this type have a meaning in this version: a dump cannot smuggle one in. */
const NEWEST_FRAME = Math.max(...Object.values(FRAMES));

const EXTRAS = z.object({ change: optional(count.min(1)), committed: optional(count), leaf: optional(id<EntryId>().nullable()) });

const FRAME = z.strictObject({
  type: z.literal("frame"),
  frame: count.max(0xffff).refine((type) => type > NEWEST_FRAME, "is a frame that this version writes itself"),
  flags: count.max(0xffff),
  seq: count,
  tableLen: count.max(0xffff_ffff),
  after: count,
  base64,
});

const GAP = z
  .strictObject({ type: z.literal("gap"), firstSeq: count.min(1), lastSeq: count.min(1), repaired: optional(z.literal(true)) })
  .refine(({ firstSeq, lastSeq }) => firstSeq <= lastSeq, { path: ["lastSeq"], message: "is before firstSeq" });

const HEADER = z.strictObject({
  type: z.literal("session"),
  format: z.number(),
  session: id<SessionId>(),
  created: count,
  epoch: optional(count),
  seq: optional(count),
  origin: optional(z.strictObject({ session: id<SessionId>(), seq: count })),
  leaf: optional(id<EntryId>()),
});

/** An entry with what its line says of its change. */
export interface EntryLine {
  readonly entry: Entry;
  readonly change?: number | undefined;
  readonly committed?: number | undefined;
  /** null: none is selected. Absent: the one that follows from the entries. */
  readonly leaf?: EntryId | null | undefined;
}

/** Reasons are sentences. */
type Read<Value> = Result<Value, string>;

export function readEntryLine(value: JsonObject): Read<EntryLine> {
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(ENTRIES, type)) return err(`There is no type ${JSON.stringify(type ?? null)} of entries.`);
  const extras = EXTRAS.safeParse(value, REPORT);
  if (!extras.success) return err(wordsOf(extras.error));
  const { change: _change, committed: _committed, leaf: _leaf, ...own } = value;
  // `Object.hasOwn` above.
  const schema: z.ZodType = ENTRIES[type as EntryType];
  const read = schema.safeParse(own, REPORT);
  if (!read.success) return err(wordsOf(read.error));
  if (type === "unknown" && own["raw"] === undefined) return err(`"raw" is missing: without it an unknown record cannot be stored.`);
  // Just parsed, and nothing is transformed: the value itself has the type of what came out, with its keys in their order.
  return ok({ entry: own as unknown as CheckedEntry, ...extras.data });
}

export function readFrameLine(value: JsonObject): Read<UnknownFrame> {
  const read = FRAME.safeParse(value, REPORT);
  if (!read.success) return err(wordsOf(read.error));
  const { frame, flags, seq, tableLen, after } = read.data;
  return ok({ type: frame, flags, seq, tableLen, after, body: Buffer.from(read.data.base64, "base64") });
}

/** `repaired`: a repair declared the changes gone, so there is nothing left to repair. */
export interface GapLine extends ChangeSpan {
  readonly repaired?: true | undefined;
}

export function readGapLine(value: JsonObject): Read<GapLine> {
  const read = GAP.safeParse(value, REPORT);
  return read.success ? ok(read.data) : err(wordsOf(read.error));
}

export function readHeaderLine(value: JsonObject): Read<DumpHeader> {
  const read = HEADER.safeParse(value, REPORT);
  if (!read.success) return err(wordsOf(read.error));
  const { session, created, epoch = 0, seq = 0, origin, leaf } = read.data;
  return ok({ session, created, epoch, seq, ...(origin === undefined ? {} : { origin }), ...(leaf === undefined ? {} : { leaf }) });
}

const REPORT = { reportInput: true } as const;
const MAX_ISSUES = 3;

const wordsOf = (failure: z.ZodError): string => failure.issues.slice(0, MAX_ISSUES).map(issueWords).join(" ");

function issueWords(issue: z.core.$ZodIssue): string {
  const field = issue.path
    .map((key) => (typeof key === "number" ? `[${String(key)}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./u, "");
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(", ");
    return `${field === "" ? "It" : JSON.stringify(field)} has a field that is not known: ${keys}.`;
  }
  if (issue.input === undefined && issue.code !== "invalid_union") return `${JSON.stringify(field)} is missing.`;
  return `${JSON.stringify(field)}: ${issue.message}.`;
}
