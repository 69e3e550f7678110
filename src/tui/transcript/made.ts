import { type Diagnostic, diagnosticPlace, type SmithEvent } from "../../schema/index.js";
import { roleStyle, safeView } from "../render/index.js";
import { sanitize, sanitizeLine } from "../text/index.js";
import type { ErrorItem, Item, ToolItem } from "./items.js";

type Event<Type extends SmithEvent["type"]> = Extract<SmithEvent, { readonly type: Type }>;

export const userItem = ({ entry, text, source, plugin }: Event<"user">): Item => ({
  type: "user",
  revision: 0,
  entry,
  text: sanitize(text),
  source,
  ...(plugin === undefined ? {} : { plugin: sanitizeLine(plugin) }),
});

/** What a model is not asked for, or is not known of it, is no failure. */
const isCalm = ({ code, severity }: Diagnostic): boolean => severity === "warning" && code.startsWith("route.");

const calmItem = ({ what, why, next }: Diagnostic): Item => ({
  type: "note",
  revision: 0,
  tone: "warning",
  text: sanitizeLine(what),
  more: [why, next].filter((line) => line !== "").map((line) => sanitizeLine(line)),
});

export const unknownEffect = (event: Event<"unknown_effect">): Item => ({
  type: "unknown-effect",
  revision: 0,
  effect: sanitizeLine(event.effect),
  operation: sanitizeLine(event.operation),
  summary: sanitizeLine(event.summary),
  startedAt: event.startedAt,
  word: undefined,
});

export function endTool(item: ToolItem, event: Event<"tool_end">): void {
  item.state = "done";
  item.result = sanitize(event.result);
  item.resultSummary = sanitizeLine(event.resultSummary);
  item.isError = event.isError;
  item.mutation = event.mutation;
  item.durationMs = event.durationMs;
  item.diff = event.diff === undefined ? undefined : sanitize(event.diff);
  item.view = event.view === undefined ? undefined : safeView(event.view);
  item.progress = "";
}

export const noticeItem = ({ text, plugin, role }: Event<"notice">): Item => ({
  type: "note",
  revision: 0,
  tone: role === "warning" || role === "error" ? "warning" : "info",
  text: sanitize(text),
  ...(plugin === undefined ? {} : { plugin: sanitizeLine(plugin) }),
  ...(role === undefined || role === "plain" ? {} : { style: roleStyle(role) }),
});

/** Something that went wrong, or only is to be known. */
export function problemItem(diagnostic: Diagnostic): Item {
  return isCalm(diagnostic) ? calmItem(diagnostic) : errorItem(diagnostic);
}

function errorItem({ code, severity, what, why, next, source }: Diagnostic): ErrorItem {
  // Other sources are named by the words.
  const place = source?.type === "file" ? diagnosticPlace(source) : undefined;
  return {
    type: "error",
    revision: 0,
    diagnostic: { code, severity, what: sanitize(what), why: sanitize(why), next: sanitize(next) },
    ...(place === undefined ? {} : { place: sanitizeLine(place) }),
  };
}
