import type { JsonObject, JsonValue } from "../../base/index.js";
import { isJsonObject } from "../../base/index.js";
import { cleanLine, cleanText } from "./clean.js";
import { count, flag, json, jsonWithin, list, object, oneOf, type Reader, text, within, wrong } from "./shape.js";

/** A tool as a set words it: names and bounds are looked at one by one, so that one bad tool takes no other along. */
export interface WordedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly readOnly?: boolean;
  readonly offer?: "search";
  readonly timeoutMs?: number;
  readonly summaryKeys?: readonly string[];
  readonly target: JsonValue;
}

export interface WordedCommand {
  readonly name: string;
  readonly description: string;
  readonly usage?: string;
  readonly target: JsonValue;
}

export interface WordedOffer {
  readonly tools: readonly WordedTool[];
  readonly commands?: readonly WordedCommand[];
  readonly notes?: readonly string[];
  readonly prompt?: string;
}

const MAX_NOTE_UNITS = 1_000;
const MAX_PROMPT_UNITS = 16 * 1024;
const LINE_UNITS = 200;

const note: Reader<string> = (value, path) => cleanLine(text(value, path)).slice(0, MAX_NOTE_UNITS);
const line: Reader<string> = (value, path) => cleanLine(text(value, path)).slice(0, LINE_UNITS);
const words: Reader<string> = (value, path) => cleanText(text(value, path));

/** Schemas of others that write everything out nest deeper than data: each object within another takes two levels, a choice two more. */
const schema = jsonWithin(96);

const parameters: Reader<JsonObject> = (value, path) => {
  const read = schema(value, path);
  return isJsonObject(read) ? read : wrong(path, "an object", value);
};

const tool: Reader<WordedTool> = object(
  { name: text, description: words, parameters, target: json },
  { readOnly: flag, offer: oneOf("search"), timeoutMs: count, summaryKeys: list(text, { atMost: 8 }) },
);

const command: Reader<WordedCommand> = object({ name: text, description: line, target: json }, { usage: line });

/** What a tool set offers. */
export const toolSetOffer: Reader<WordedOffer> = object(
  { tools: list(tool, { atMost: 2_048 }) },
  { commands: list(command, { atMost: 1_024 }), notes: list(note, { atMost: 512 }), prompt: within(MAX_PROMPT_UNITS) },
);
