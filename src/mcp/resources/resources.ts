import type {
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, isUuid, parseJson, type Result, type SessionId } from "../../base/index.js";
import type { Inspection } from "../../runtime/index.js";
import type { Diagnostic, SessionSummary } from "../../schema/index.js";
import { internal, invalidParams, resourceNotFound } from "../failure.js";
import { createPage, createTail, type Excerpt } from "./excerpt.js";
import { transcriptBlocks } from "./transcript.js";

const SCHEME = "smith://sessions/";
const RECORDS = "application/jsonl";
const MARKDOWN = "text/markdown";

const PAGE = 50;
/** UTF-8 bytes of one read: of a longer session the newest part, or the part that is asked for. */
const MAX_READ = 1024 * 1024;
/** The protocol's own bound. */
const MAX_COMPLETIONS = 100;

export interface ResourcePorts {
  readonly inspection: Pick<Inspection, "list" | "entries" | "dump">;
  /** Only sessions of this folder are shown: the others belong to other work. */
  readonly cwd: string;
}

/** What an address of ours names. */
export interface SessionAddress {
  readonly id: SessionId;
  readonly part: "records" | "transcript";
  /** The first record or part of the conversation that is wanted, from 0; absent: the newest. */
  readonly from?: number;
}

const ADDRESS = /^smith:\/\/sessions\/([^/?#]+)(\/transcript)?(?:\?from=(\d{1,15}))?$/u;

export function addressIn(uri: string): SessionAddress | undefined {
  const [, id = "", transcript, from] = ADDRESS.exec(uri) ?? [];
  if (!isUuid(id)) return undefined;
  const part = transcript === undefined ? "records" : "transcript";
  return { id: id as SessionId, part, ...(from === undefined ? {} : { from: Number(from) }) };
}

/** Newest first. A session that changes between two pages may be missing from the second: it has moved to the front. */
export async function listSessions(
  { inspection, cwd }: ResourcePorts,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const from = cursor === undefined ? undefined : placeIn(cursor);
  const resources: Resource[] = [];
  let last: SessionSummary | undefined;
  let hasMore = false;
  let isPast = from === undefined;
  for await (const summary of inspection.list({ cwd, signal, ...(from === undefined ? {} : { until: from.time }) })) {
    if (!isPast && from !== undefined) {
      isPast = summary.updatedAt < from.time || summary.id === from.id;
      if (summary.id === from.id || !isPast) continue;
    }
    if (resources.length === PAGE) {
      hasMore = true;
      break;
    }
    resources.push(resourceOf(summary));
    last = summary;
  }
  return { resources, ...(hasMore && last !== undefined ? { nextCursor: cursorAt(last) } : {}) };
}

const cursorAt = ({ updatedAt, id }: SessionSummary): string => Buffer.from(JSON.stringify([updatedAt, id])).toString("base64url");

function placeIn(cursor: string): { readonly time: number; readonly id: string } {
  const place = parseJson(Buffer.from(cursor, "base64url").toString("utf8"));
  const [time, id] = Array.isArray(place) ? (place as readonly unknown[]) : [];
  if (typeof time !== "number" || typeof id !== "string") throw invalidParams("The cursor is none that a list of this server gave.");
  return { time, id };
}

function resourceOf({ id, name, firstPrompt, model, turns, updatedAt, state }: SessionSummary): Resource {
  const facts = [
    ...(model === undefined ? [] : [model]),
    ...(turns === undefined ? [] : [`${turns} turns`]),
    ...(state === "sound" ? [] : [state]),
  ];
  return {
    uri: `${SCHEME}${id}`,
    name: id,
    title: oneLine(name ?? firstPrompt ?? id),
    description: [`Session of smith, as recorded: JSON Lines`, ...facts].join(", "),
    mimeType: RECORDS,
    annotations: { lastModified: new Date(updatedAt).toISOString() },
  };
}

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

export const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: `${SCHEME}{id}{?from}`,
      name: "session",
      title: "Session of smith, as recorded",
      description: "The records of a session, one JSON object a line: the newest ones, or those from a number on, counted from 0",
      mimeType: RECORDS,
    },
    {
      uriTemplate: `${SCHEME}{id}/transcript{?from}`,
      name: "transcript",
      title: "Conversation of a session",
      description: "What was said and which tools were called, as Markdown: the newest part, or what is from a number on, counted from 0",
      mimeType: MARKDOWN,
    },
  ],
};

export async function readSession(ports: ResourcePorts, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const address = addressIn(uri);
  if (address === undefined || !(await isOfFolder(ports, address.id, signal))) throw resourceNotFound(uri);
  const excerpt = address.from === undefined ? createTail(MAX_READ) : createPage(address.from, MAX_READ);
  await fill(excerpt, piecesOf(ports, address, signal));
  const base = uri.replace(/\?.*$/u, "");
  const { from, next } = excerpt;
  const places = { "smith/from": from, ...(next === undefined ? {} : { "smith/next": `${base}?from=${next}` }) };
  const isWhole = from === 0 && next === undefined;
  const text = address.part === "records" ? excerpt.text : markdownOf(excerpt, base);
  const mimeType = address.part === "records" ? RECORDS : MARKDOWN;
  return { contents: [{ uri, mimeType, text, ...(isWhole ? {} : { _meta: places }) }] };
}

type Piece = Result<string, Diagnostic>;

function piecesOf({ inspection }: ResourcePorts, { id, part }: SessionAddress, signal: AbortSignal): AsyncIterable<Piece> {
  return part === "records"
    ? inspection.dump(id, { signal })
    : transcriptBlocks(inspection.entries(id, { branch: "selected", signal }), damaged);
}

const damaged = ({ what }: Diagnostic): string => `*Damage: ${what}*\n`;

/** What is damaged is told where it is, and what is around it is given; only where nothing can be read at all it is a failure. */
async function fill(excerpt: Excerpt, pieces: AsyncIterable<Piece>): Promise<void> {
  let problem: Diagnostic | undefined;
  let isEmpty = true;
  for await (const piece of pieces) {
    if (!piece.ok) problem ??= piece.error;
    else {
      isEmpty = false;
      if (!excerpt.push(`${piece.value}\n`)) break;
    }
  }
  if (isEmpty && problem !== undefined) throw internal(problem);
}

/** A reader of the text alone learns how to read on. */
function markdownOf({ text, from, next }: Excerpt, base: string): string {
  const before = from === 0 ? "" : `*${from} earlier parts are left out; they begin at ${base}?from=0*\n\n`;
  return `${before}${text}${next === undefined ? "" : `\n*It goes on at ${base}?from=${next}*\n`}`;
}

const INFO = new Set(["session-info"] as const);

/** By what it says of itself first; what is damaged before that is passed over. What cannot be read is not there. */
export async function isOfFolder({ inspection, cwd }: ResourcePorts, id: SessionId, signal: AbortSignal): Promise<boolean> {
  for await (const entry of inspection.entries(id, { types: INFO, signal })) {
    if (entry.ok && entry.value.type === "session-info" && entry.value.cwd !== undefined) return entry.value.cwd === cwd;
  }
  return false;
}

/** Ids that begin as what was typed. */
export async function completeSession({ inspection, cwd }: ResourcePorts, typed: string, signal: AbortSignal): Promise<CompleteResult> {
  const values: string[] = [];
  for await (const { id } of inspection.list({ cwd, detail: "header", signal })) {
    if (!id.startsWith(typed)) continue;
    if (values.length === MAX_COMPLETIONS) return { completion: { values, hasMore: true } };
    values.push(id);
  }
  return { completion: { values, hasMore: false } };
}

export const isSessionTemplate = (ref: unknown): boolean =>
  isJsonObject(ref) && ref["type"] === "ref/resource" && typeof ref["uri"] === "string" && ref["uri"].startsWith(SCHEME);
