import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";

/** Largest place in a list that a path may name beyond what is there: a wrong one must not fill memory. */
const MAX_GAP = 1000;

/** Adds pieces of arguments, each a path into them with a value. A text goes on where one is already. */
export function withPieces(args: JsonObject, pieces: JsonValue | undefined): JsonObject {
  let result: JsonValue = args;
  for (const item of asArray(pieces)) {
    const piece = asObject(item);
    const path = pathOf(asText(piece?.["jsonPath"]));
    const value = piece === undefined ? undefined : valueOf(piece);
    if (path.length > 0 && value !== undefined) result = placed(result, path, value);
  }
  return asObject(result) ?? args;
}

function valueOf(piece: JsonObject): JsonValue | undefined {
  if ("nullValue" in piece) return null;
  return piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"];
}

/** `$.a.b[0]['c d']` as steps (RFC 9535, the forms that name one place). */
function pathOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const found of path.replace(/^\$/u, "").matchAll(/\[(\d+)\]|\[(["'])((?:\\.|(?!\2).)*)\2\]|\.?([^.[\]]+)/gu)) {
    const [, index, , quoted, name] = found;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? (name ?? "") : quoted.replace(/\\(.)/gu, "$1"));
  }
  return steps;
}

function placed(target: JsonValue | undefined, path: readonly (string | number)[], value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return typeof target === "string" && typeof value === "string" ? target + value : value;
  if (typeof step === "string") {
    const object = asObject(target) ?? {};
    return { ...object, [step]: placed(Object.hasOwn(object, step) ? object[step] : undefined, rest, value) };
  }
  const list = [...asArray(target)];
  if (step > list.length + MAX_GAP) return list;
  while (list.length < step) list.push(null);
  list[step] = placed(list[step], rest, value);
  return list;
}
