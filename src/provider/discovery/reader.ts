import { isJsonObject, type JsonObject } from "../../base/index.js";
import { isThinkingLevel, type ModelFacts, type ModelInfo, type Price, type Rates } from "../../schema/index.js";
import type { ModelSnapshot, ServerList } from "../catalog/types.js";

/** Bounds of what is kept of one list: nobody has more, and what comes from elsewhere is never kept whole unseen. */
const MAX_MODELS = 5000;
const MAX_NAME = 256;
const MAX_HINTS = 16;

type Taken = { readonly [name: string]: unknown };

/** The models of a list as they may be kept: of one provider, each id once, facts of the right kind alone. Unknown fields are dropped. */
export function readModels(models: unknown, provider: string): readonly ModelInfo[] {
  if (!Array.isArray(models)) return [];
  const byId = new Map<string, ModelInfo>();
  for (const model of models.slice(0, MAX_MODELS) as readonly unknown[]) {
    const ref = isJsonObject(model) ? model["ref"] : undefined;
    const id = isJsonObject(ref) ? ref["model"] : undefined;
    if (!isJsonObject(model) || !isName(id) || byId.has(id)) continue;
    const { title } = model;
    byId.set(id, { ref: { provider, model: id }, ...(isName(title) ? { title } : {}), ...readFacts(model) });
  }
  return [...byId.values()];
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= MAX_NAME && !/[\u0000-\u001f\u007f-\u009f]/u.test(value);

/** Those fields of a value that are facts of a model. What is of another kind is not known. */
function readFacts(from: JsonObject): ModelFacts {
  const levels = from["thinking"];
  return {
    ...pick(from, ["contextTokens", "outputTokens"], isCount),
    ...pick(from, ["images", "tools", "strictTools", "grammarTools", "structuredOutput", "sampling"], isBoolean),
    ...(Array.isArray(levels) && levels.every((level) => typeof level === "string" && isThinkingLevel(level)) ? { thinking: levels } : {}),
    ...pick(from, ["cache"], (value) => value === "none" || value === "automatic" || value === "points"),
    ...given("price", readPrice(from["price"])),
    ...given("hints", readHints(from["hints"])),
  };
}

// The names are those of facts, and the check is that of their kind.
const pick = (from: JsonObject, names: readonly (keyof ModelFacts)[], fits: (value: unknown) => boolean): ModelFacts =>
  Object.fromEntries(names.flatMap((name) => (fits(from[name]) ? [[name, from[name]]] : [])));

const given = (name: keyof ModelFacts, value: unknown): ModelFacts => (value === undefined ? {} : { [name]: value });

const isBoolean = (value: unknown): boolean => typeof value === "boolean";

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value > 0;

const isRate = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

function readPrice(value: unknown): Price | undefined {
  const rates = readRates(value);
  if (rates === undefined || !isJsonObject(value)) return undefined;
  const { long } = value;
  const above = isJsonObject(long) ? long["above"] : undefined;
  const longRates = readRates(long);
  return { ...rates, ...(longRates !== undefined && isRate(above) ? { long: { ...longRates, above } } : {}) };
}

function readRates(value: unknown): Rates | undefined {
  if (!isJsonObject(value)) return undefined;
  const { input, output, cacheRead, cacheWrite } = value;
  if (!isRate(input) || !isRate(output)) return undefined;
  return { input, output, ...(isRate(cacheRead) ? { cacheRead } : {}), ...(isRate(cacheWrite) ? { cacheWrite } : {}) };
}

function readHints(value: unknown): ModelFacts["hints"] {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value)
    .slice(0, MAX_HINTS)
    .filter(([name, held]) => isName(name) && isHint(held));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as ModelFacts["hints"]);
}

const isHint = (value: unknown): boolean => typeof value === "boolean" || isRate(value) || isName(value);

/** A snapshot as it was written; undefined for anything else. */
export function readSnapshot(value: unknown): ModelSnapshot | undefined {
  if (!isJsonObject(value) || !isTime(value["startedAt"]) || !Array.isArray(value["lists"])) return undefined;
  const lists = (value["lists"] as readonly unknown[]).map(readList);
  return lists.every((list) => list !== undefined) ? { startedAt: value["startedAt"], lists } : undefined;
}

function readList(value: unknown): ServerList | undefined {
  if (!isJsonObject(value)) return undefined;
  const { provider, connection, url, takenAt, models }: Taken = value;
  if (!isName(provider) || !isName(connection) || typeof url !== "string" || !isTime(takenAt) || !Array.isArray(models)) return undefined;
  return { provider, connection, url, takenAt, models: readModels(models, provider) };
}

export const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 8.64e15;
