import { isJsonObject, type JsonObject, type JsonValue } from "../base/index.js";
import type { ToolDefinition } from "../schema/index.js";

const MAX_SUMMARY = 120;

const MAX_ITEMS = 20;

/** One line that names what a call works on: the values of the definition's summary keys, or of the first that are no lists or objects. */
export function summarizeArguments(tool: ToolDefinition | undefined, args: JsonObject | undefined): string {
  if (args === undefined) return "";
  const keys = tool !== undefined && tool.summaryKeys.length > 0 ? tool.summaryKeys : plainKeys(args).slice(0, 2);
  const parts = keys.map((key) => args[key]).flatMap((value) => (value === undefined || value === null ? [] : [word(value)]));
  return clip(parts.join(" ").replace(/\s+/gu, " ").trim());
}

const plainKeys = (args: JsonObject): readonly string[] => Object.keys(args).filter((key) => typeof args[key] !== "object");

/** Default words for a result whose tool gave none. */
export function summarizeResult(text: string, isError: boolean): string {
  if (isError) return clip(text.split("\n", 1)[0] ?? "");
  const lines = text === "" ? 0 : text.split("\n").length;
  return lines === 1 ? clip(text) : `${String(lines)} lines`;
}

/** The words a tool's definition has for its results, with values of the result's data. Undefined when a value it names is not there. */
export function summarizeData(tool: ToolDefinition | undefined, data: JsonValue | undefined): string | undefined {
  if (tool?.resultSummary === undefined || !isJsonObject(data)) return undefined;
  let isWhole = true;
  const text = tool.resultSummary.replace(/\{\{([^{}]+)\}\}/gu, (_, key: string) => {
    const value = Object.hasOwn(data, key.trim()) ? data[key.trim()] : undefined;
    if (value === undefined || value === null || typeof value === "object") isWhole = false;
    return value === undefined ? "" : word(value);
  });
  return isWhole ? clip(text.replace(/\s+/gu, " ").trim()) : undefined;
}

/** Of a list its items, of an object the first text in it. */
function word(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(word).join(", ");
  const text = isJsonObject(value) ? Object.values(value).find((one) => typeof one === "string") : undefined;
  return text ?? JSON.stringify(value);
}

const clip = (text: string): string => (text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`);
