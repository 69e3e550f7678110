import { type EntryId, type CallId, isJsonObject, isUuid, type JsonObject, type SubmissionId } from "../../base/index.js";
import { type Action, type ActionType, BATCH_LIMITS, type ContextTransform } from "../../schema/index.js";
import { cleanLine, cleanText } from "./clean.js";
import { flag, json, list, object, oneOf, type Reader, text, within, wrong } from "./shape.js";
import { textRole } from "./view.js";

const MAX_NAME_UNITS = 256;
const MAX_NOTICE_UNITS = 4_096;
const name = within(MAX_NAME_UNITS);

/** Shown to a person, some time: control characters are replaced. */
const notice: Reader<string> = (value, path) => cleanText(within(MAX_NOTICE_UNITS)(value, path));
const line: Reader<string> = (value, path) => cleanLine(within(MAX_NOTICE_UNITS)(value, path));

/** Whether there is such a thing is asked later; here it only has to look like an id. */
const uuid: Reader<string> = (value, path) => {
  const read = text(value, path);
  return isUuid(read) ? read : wrong(path, "an id as an event gave it", value);
};
// Ids are texts of that form; which kind of thing they name is known by the field.
const entry = uuid as Reader<EntryId>;
const submission = uuid as Reader<SubmissionId>;
// Calls get their ids from us too, but a test or an older record may name them otherwise.
const call = name as Reader<CallId>;

const jsonObject: Reader<JsonObject> = (value, path) => {
  const read = json(value, path);
  return isJsonObject(read) ? read : wrong(path, "an object", value);
};

const TRANSFORMS: { readonly [Operation in ContextTransform["operation"]]: Reader<ContextTransform> } = {
  omit: object({ operation: oneOf("omit"), target: entry }),
  replace: object({ operation: oneOf("replace"), target: entry, text }),
  append: object({ operation: oneOf("append"), text }),
};

const transform: Reader<ContextTransform> = (value, path) => {
  const operation = oneOf("omit", "replace", "append")(isJsonObject(value) ? value["operation"] : undefined, `${path}.operation`);
  return TRANSFORMS[operation](value, path);
};

type ActionOf<Type extends ActionType> = Extract<Action, { readonly type: Type }>;

const contextEdit: Reader<ActionOf<"edit-context">> = (value, path) => {
  const read = object({ type: oneOf("edit-context"), target: entry, operation: oneOf("omit", "replace", "restore") }, { text })(
    value,
    path,
  );
  if ((read.operation === "replace") === (read.text !== undefined)) return read;
  return wrong(`${path}.text`, read.operation === "replace" ? "present, for a replacement" : "absent, except for a replacement", read.text);
};

const order: Reader<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : wrong(path, "a whole number", value);

/** Where a value is taken away, `null` says so; the field itself must be there. */
const ACTIONS: { readonly [Type in ActionType]: Reader<ActionOf<Type>> } = {
  "add-message": object({ type: oneOf("add-message"), text }),
  "transform-context": object({ type: oneOf("transform-context"), transforms: list(transform, { atLeast: 1, atMost: 1_000 }) }),
  "edit-context": contextEdit,
  "allow-tool": object({ type: oneOf("allow-tool"), call }),
  "ask-tool": object({ type: oneOf("ask-tool"), call }, { why: line, rule: line }),
  "deny-tool": object({ type: oneOf("deny-tool"), call, why: notice }),
  "rewrite-tool": object({ type: oneOf("rewrite-tool"), call, args: jsonObject }),
  "replace-result": object({ type: oneOf("replace-result"), call, text }, { isError: flag }),
  "append-result": object({ type: oneOf("append-result"), call, text }),
  "set-model": object({ type: oneOf("set-model"), model: name }),
  "set-thinking": object({ type: oneOf("set-thinking"), level: name }),
  "set-tools": object({ type: oneOf("set-tools") }, { enable: list(name), disable: list(name) }),
  "set-prompt": object({ type: oneOf("set-prompt"), section: name, text }, { order }),
  enqueue: object({ type: oneOf("enqueue"), text }, { delivery: oneOf("steer", "follow-up") }),
  withdraw: object({ type: oneOf("withdraw"), submission }),
  deliver: object({ type: oneOf("deliver"), submissions: list(submission) }),
  compact: object({ type: oneOf("compact"), firstKept: entry, summary: text }),
  "keep-context": object({ type: oneOf("keep-context"), why: notice }),
  "set-state": object({ type: oneOf("set-state"), scope: oneOf("session", "branch", "project", "user"), key: name, value: json }),
  "set-config": object({ type: oneOf("set-config"), option: name, value: json }),
  notify: object({ type: oneOf("notify"), text: notice }, { role: textRole }),
  "set-status": object({ type: oneOf("set-status"), key: name, text: line }, { role: textRole }),
  "stop-turn": object({ type: oneOf("stop-turn"), why: notice }),
};

// The table has every type as a key of its own.
const actionType = oneOf(...(Object.keys(ACTIONS) as ActionType[]));

const action: Reader<Action> = (value, path) => {
  const type = actionType(isJsonObject(value) ? value["type"] : undefined, `${path}.type`);
  return ACTIONS[type](value, path);
};

/** What a handler or command wants, as one batch. Which actions an event may have is asked later; here each must be whole. */
export const actions: Reader<readonly Action[]> = list(action, { atLeast: 0, atMost: BATCH_LIMITS.actions });

/** UTF-16 units of a batch's JSON over the bound; undefined when it fits. */
export const oversized = (batch: string): number | undefined => (batch.length > BATCH_LIMITS.units ? batch.length : undefined);
