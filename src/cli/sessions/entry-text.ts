import { plural, type SessionId, shortId } from "../../base/index.js";
import { type Entry, type HistoryEntry, isHistoryEntry, type LostEntry } from "../../schema/index.js";
import { entryTypeOfKind } from "../../runtime/index.js";
import { type Paint, plain } from "../output/colour.js";
import { imageWords } from "../output/image.js";
import { localMinute } from "../output/time.js";
import { visible, visibleLine } from "../output/visible.js";

interface EntryText {
  /** What the entry is, in a few words. */
  readonly head: string;
  /** Content on lines of its own. */
  readonly body?: string;
}

/** Places of an entry, from 1. */
export interface EntryNumbers {
  readonly entry: number;
  /** Among the requests, of one. */
  readonly request: number;
  readonly session: SessionId;
}

/** An entry for people: one line with number, short id, time and kind, then its text. Ends with a newline. */
export function renderEntry(entry: Entry, number: EntryNumbers, paint: Paint = plain): string {
  const { head, body = "" } = isHistoryEntry(entry) ? describeHistory(entry) : describeRecord(entry, number);
  const place = paint("dim", `#${String(number.entry)} ${shortId(entry.id)} ${localMinute(entry.time)}`);
  const line = `${place} ${paint("bold", visibleLine(head))}${entry.inherited === true ? paint("dim", " (inherited)") : ""}`;
  const text = visible(body).replace(/\n+$/u, "");
  return text === "" ? `${line}\n` : `${line}\n${text}\n\n`;
}

function describeHistory(entry: HistoryEntry): EntryText {
  switch (entry.type) {
    case "user-message":
      return {
        head:
          entry.source === "prompt" ? "user" : `user (${[entry.source, ...(entry.plugin === undefined ? [] : [entry.plugin])].join(", ")})`,
        body: withImages(entry),
      };
    case "assistant":
      return {
        head: `assistant ${entry.dispatch.provider}/${entry.dispatch.model}${entry.stop === "stop" ? "" : ` (${entry.stop})`}`,
        body: assistantBody(entry),
      };
    case "tool-call":
      return { head: `tool call ${entry.name} ${entry.argsText}` };
    case "tool-result":
      return { head: `tool result ${entry.name}${resultNotes(entry)}`, body: withImages(entry) };
    case "prompt":
      return { head: `prompt of ${plural(entry.system.length, "character")}, ${plural(entry.tools.length, "tool")}` };
    case "session-info":
      return {
        head: ["session", entry.name, entry.cwd === undefined ? undefined : `in ${entry.cwd}`]
          .filter((part) => part !== undefined)
          .join(" "),
      };
    case "compaction":
      return { head: `compaction of ${String(entry.tokensBefore)} tokens`, body: entry.summary };
    case "context-edit":
      return {
        head: `context edit: ${entry.operation} ${shortId(entry.target)}`,
        ...(entry.text === undefined ? {} : { body: entry.text }),
      };
    case "branch-state":
      return stateText(entry, "branch state");
    case "lost":
      return { head: lostWords(entry) };
  }
}

/** Images are told by kind and size. */
const withImages = ({ text, images = [] }: Pick<Extract<Entry, { type: "user-message" }>, "text" | "images">): string =>
  [...(text === "" ? [] : [text.replace(/\n+$/u, "")]), ...images.map((image) => `[image ${imageWords(image)}]`)].join("\n");

/** What is left to say of an entry whose content is gone. */
export function lostWords({ kind }: Pick<LostEntry, "kind">): string {
  const type = entryTypeOfKind(kind);
  return type === "unknown" ? "an entry that was lost to damage" : `an entry (${type}) that was lost to damage`;
}

const stateText = (entry: Extract<Entry, { type: "branch-state" | "state" }>, what: string): EntryText => ({
  head: `${what} ${entry.owner}/${entry.key} (version ${String(entry.version)}): ${entry.operation}`,
  ...(entry.value === undefined ? {} : { body: JSON.stringify(entry.value) }),
});

function assistantBody(entry: Extract<Entry, { type: "assistant" }>): string {
  const thinking = entry.thinking.map(({ text }) => text).filter((text) => text !== "");
  return [...thinking.map((text) => `(thinking) ${text}\n`), entry.text, ...(entry.error === undefined ? [] : [`(${entry.error.what})`])]
    .join("\n")
    .trim();
}

function resultNotes(entry: Extract<Entry, { type: "tool-result" }>): string {
  const notes = [
    ...(entry.isError ? ["failed"] : []),
    ...(entry.mutation === "not-applied" ? [] : [entry.mutation === "applied" ? "changed something" : "outcome unknown"]),
    ...(entry.omittedBytes > 0 ? [`${String(entry.omittedBytes)} bytes left out`] : []),
  ];
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

const triggerWords = (trigger: Extract<Entry, { type: "invocation" }>["trigger"]): string =>
  trigger.type === "event"
    ? `at ${trigger.event}`
    : `for ${trigger.type === "command" ? "/" : "the tool "}${trigger.name}${trigger.args === "" ? "" : ` ${trigger.args}`}`;

function actionsText({ trigger, accepted, refused }: Extract<Entry, { type: "actions" }>): EntryText {
  const lines = [
    ...accepted.map(({ plugin, action }) => `${plugin}: ${JSON.stringify(action)}`),
    ...refused.map(({ plugin, error }) => `${plugin}, refused: ${error.what}`),
  ];
  const counts = `${String(accepted.length)} carried out${refused.length === 0 ? "" : `, ${String(refused.length)} refused`}`;
  return { head: `actions of plugins at ${trigger}: ${counts}`, body: lines.join("\n") };
}

function describeRecord(entry: Exclude<Entry, HistoryEntry>, { request, session }: EntryNumbers): EntryText {
  switch (entry.type) {
    case "state":
      return stateText(entry, "state");
    case "leaf":
      return { head: `selected leaf: ${entry.to === undefined ? "before the first entry" : shortId(entry.to)}` };
    case "origin":
      return {
        head: `${entry.how === "fork" ? "forked" : "imported"}${entry.session === session ? "" : ` from session ${shortId(entry.session)}`}, up to its change ${String(entry.seq)}`,
      };
    case "submission":
      return { head: `submission (${entry.delivery})` };
    case "queue":
      return { head: `queue: ${entry.operation} ${shortId(entry.submission)}` };
    case "work":
      return { head: `work ${shortId(entry.work)} ${entry.state}` };
    case "receipt":
      return { head: `receipt: ${entry.status} (${entry.reason})`, ...(entry.error === undefined ? {} : { body: entry.error.what }) };
    case "effect-intent":
      return { head: `effect ${shortId(entry.effect)} begins: ${entry.operation} for ${entry.plugin}` };
    case "effect-done":
      return { head: `effect ${shortId(entry.effect)} ended: ${entry.outcome}` };
    case "invocation":
      return { head: `plugin ${entry.plugin} ran ${shortId(entry.invocation)} ${triggerWords(entry.trigger)}` };
    case "actions":
      return actionsText(entry);
    case "reconciled":
      return { head: `effect ${shortId(entry.effect)} reconciled: ${entry.outcome}${entry.note === undefined ? "" : `, ${entry.note}`}` };
    case "request":
      return {
        head: `request ${String(request)} (${shortId(entry.request)}) to ${entry.dispatch.provider}/${entry.dispatch.model}, attempt ${String(entry.attempt)}, ${plural(entry.messageCount, "message")}`,
      };
    case "unknown":
      return { head: `record of the unknown kind ${String(entry.kind)}` };
  }
}
