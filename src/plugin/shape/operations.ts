import type { JsonObject, JsonValue } from "../../base/index.js";
import { isJsonObject } from "../../base/index.js";
import type { ProcessInput, QuestionOption, SdkOperation, SdkOperations } from "../../schema/index.js";
import { cleanLine, cleanText } from "./clean.js";
import { count, flag, json, list, object, oneOf, type Reader, record, text, within, wrong } from "./shape.js";

/** As a guest words them: the scope of its state is not the guest's to say, the host adds it from the manifest. */
export type GuestInput<Op extends SdkOperation> = Op extends "state.get" | "state.delete"
  ? { readonly key: string }
  : Op extends "state.put"
    ? { readonly key: string; readonly value: JsonValue }
    : SdkOperations[Op]["input"];

const MAX_QUESTION_UNITS = 4_096;
const MAX_INITIAL_UNITS = 65_536;
const MAX_OPTION_UNITS = 500;
const MAX_OPTIONS = 200;

/** Shown to a person: control characters are replaced. */
const shown =
  (clean: (value: string) => string, units: number): Reader<string> =>
  (value, path) =>
    clean(within(units)(value, path));

const question = shown(cleanText, MAX_QUESTION_UNITS);
const label = shown(cleanLine, MAX_OPTION_UNITS);
const option: Reader<QuestionOption> = object({ value: within(MAX_OPTION_UNITS), label }, { hint: label });

const processOptions = { cwd: text, timeoutMs: count, env: record(text), stdin: text, pty: flag };
const shellLine = object({ command: text }, processOptions);
const program = object({ program: text }, { args: list(text), ...processOptions });
const processInput: Reader<ProcessInput> = (value, path) =>
  isJsonObject(value) && Object.hasOwn(value, "program") ? program(value, path) : shellLine(value, path);

/** Whose words are: any object of JSON. */
const anyObject: Reader<JsonObject> = (value, path) => {
  const read = json(value, path);
  return isJsonObject(read) ? read : wrong(path, "an object", value);
};

const place = object({}, { path: text });

/** Inputs of the host operations as a guest may word them. What they are allowed to reach is the gateway's business. */
export const OPERATION_INPUTS: { readonly [Op in SdkOperation]: Reader<GuestInput<Op>> } = {
  "fs.read": object({ path: text }, { offset: count, limit: count, lineCharacters: count }),
  "fs.write": object({ path: text, content: text }),
  "fs.edit": object({ path: text, edits: list(object({ old: text, new: text }, { all: flag })) }),
  "fs.patch": object({ patch: text }, { form: oneOf("auto", "unified", "begin-patch") }),
  "fs.list": object({}, { path: text, depth: count, limit: count, includeIgnored: flag }),
  "fs.stat": object({ path: text }),
  "search.find": object(
    { pattern: text },
    { path: text, limit: count, includeIgnored: flag, includeHidden: flag, kind: oneOf("file", "directory", "any") },
  ),
  "search.grep": object(
    { pattern: text },
    {
      ...{ literal: flag, ignoreCase: flag, path: text, glob: text, context: count, limit: count, includeIgnored: flag },
      ...{ includeHidden: flag, fileType: text, multiline: flag, word: flag, mode: oneOf("lines", "files", "count") },
    },
  ),
  "process.run": processInput,
  "process.start": shellLine,
  "process.jobs": object({}),
  "process.output": object({ job: text }, { waitMs: count, from: oneOf("new", "start") }),
  "process.kill": object({ job: text }),
  "net.fetch": object(
    { url: text },
    { method: text, headers: record(text), body: text, timeoutMs: count, maxBytes: count, as: oneOf("text", "base64") },
  ),
  "evaluate.run": object({ source: text }, { input: json, timeoutMs: count }),
  "vcs.status": place,
  "vcs.diff": place,
  "state.get": object({ key: text }),
  "state.put": object({ key: text, value: json }),
  "state.delete": object({ key: text }),
  "ui.ask": object({ text: question }, { placeholder: label, initial: shown(cleanText, MAX_INITIAL_UNITS), multiline: flag }),
  "ui.choose": object({ text: question, options: list(option, { atLeast: 1, atMost: MAX_OPTIONS }) }, { many: flag }),
  "ui.confirm": object({ text: question }, { yes: label, no: label }),
  "resource.read": object({ kind: text, name: text }, { path: text }),
  "secrets.keep": object({ name: text, value: text }),
  "clock.sleep": object({ ms: count }),
  "clock.now": object({}),
  "entropy.bytes": object({ count }),
  "text.diff": object({ before: text, after: text }, { path: text }),
  "text.markdown": object({ html: text }, { url: text }),
  "mcp.servers": object({}),
  "mcp.call": object({ server: text, tool: text, args: anyObject }),
  "mcp.read": object({ server: text, uri: text }),
  "mcp.resources": object({ server: text }),
  "mcp.prompt": object({ server: text, prompt: text }, { args: record(text) }),
  "mcp.reconnect": object({ server: text }),
  "tools.searchable": object({}),
  "agent.run": object({ prompt: text }, { system: text, title: label, tools: list(text), readOnly: flag, model: text, maxRounds: count }),
};

/** What a guest says of an error it threw. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Present when it is a rejected host operation that the guest let through. */
  readonly code?: string;
  readonly what?: string;
  readonly why?: string;
  readonly next?: string;
}

export const guestError: Reader<GuestError> = object(
  { name: text, message: text, stack: text },
  { code: text, what: text, why: text, next: text },
);

/** Words of a rejected host operation, as the guest gets them. */
export const hostErrorWords = (words: {
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly next: string;
}): JsonObject => ({
  code: words.code,
  what: words.what,
  why: words.why,
  next: words.next,
});
