import type { JsonObject, JsonValue } from "smith-agent/plugin";
import { isList, isObject } from "../json.js";

/** What a reference within the same schema names, where it names a schema: `#`, `#/$defs/x`, `#anchor`. Nothing is ever fetched. */
export function resolveLocal(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#")) return undefined;
  const path = decoded(reference.slice(1));
  if (path === undefined) return undefined;
  if (path !== "" && !path.startsWith("/")) return anchored(root, path);
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let found: JsonValue | undefined = root;
  for (const step of steps) found = member(found, step);
  return found === true ? {} : isObject(found) ? found : undefined;
}

function member(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (isList(value)) return /^\d{1,6}$/u.test(step) ? value[Number(step)] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function anchored(root: JsonObject, name: string): JsonObject | undefined {
  let open: readonly JsonValue[] = [root];
  while (open.length > 0) {
    const found = open.find((one) => isObject(one) && one["$anchor"] === name);
    if (isObject(found)) return found;
    open = open.flatMap((one) => (isList(one) ? one : isObject(one) ? Object.values(one) : []));
  }
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
