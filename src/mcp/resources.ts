import type {
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, isUuid, parseJson, type SessionId } from "../base/index.js";
import type { Inspection } from "../runtime/index.js";
import type { SessionSummary } from "../schema/index.js";
import { internal, invalidParams, resourceNotFound } from "./failure.js";
import { Tail } from "./tail.js";
import { transcriptBlocks } from "./transcript.js";

const SCHEME = "smith://sessions/";
const RECORDS = "application/jsonl";
const MARKDOWN = "text/markdown";

const PAGE = 50;
/** UTF-8 bytes of one read; of a longer session the newest part is given. */
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
}

export function addressIn(uri: string): SessionAddress | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const [id = "", part, ...rest] = uri.slice(SCHEME.length).split("/");
  if (!isUuid(id) || rest.length > 0 || (part !== undefined && part !== "transcript")) return undefined;
  return { id: id as SessionId, part: part === undefined ? "records" : "transcript" };
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
      uriTemplate: `${SCHEME}{id}`,
      name: "session",
      title: "Session of smith, as recorded",
      description: "Every record of a session, one JSON object a line",
      mimeType: RECORDS,
    },
    {
      uriTemplate: `${SCHEME}{id}/transcript`,
      name: "transcript",
      title: "Conversation of a session",
      description: "What was said and which tools were called, as Markdown",
      mimeType: MARKDOWN,
    },
  ],
};

export async function readSession(ports: ResourcePorts, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const address = addressIn(uri);
  if (address === undefined || !(await isOfFolder(ports, address.id, signal))) throw resourceNotFound(uri);
  const tail = new Tail(MAX_READ);
  const isText = address.part === "transcript";
  const blocks = isText
    ? transcriptBlocks(ports.inspection.entries(address.id, { branch: "selected", signal }))
    : ports.inspection.dump(address.id, { signal });
  for await (const block of blocks) {
    if (!block.ok) throw internal(block.error);
    tail.push(`${block.value}\n`);
  }
  const { text, omitted } = tail;
  const about = omitted === 0 ? {} : { _meta: { "smith/omitted": omitted } };
  const note = isText && omitted > 0 ? `*${omitted} earlier parts are left out.*\n\n` : "";
  return { contents: [{ uri, mimeType: isText ? MARKDOWN : RECORDS, text: `${note}${text}`, ...about }] };
}

const INFO = new Set(["session-info"] as const);

/** By what it says of itself first. What cannot be read is not there. */
export async function isOfFolder({ inspection, cwd }: ResourcePorts, id: SessionId, signal: AbortSignal): Promise<boolean> {
  for await (const entry of inspection.entries(id, { types: INFO, signal })) {
    if (!entry.ok) return false;
    if (entry.value.type === "session-info" && entry.value.cwd !== undefined) return entry.value.cwd === cwd;
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
