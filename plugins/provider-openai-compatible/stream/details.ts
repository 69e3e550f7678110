import type { JsonObject, JsonValue, ProviderDelta, ThinkingPart } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";

/** Entries of `reasoning_details`, the form in which routers hand on thinking of every vendor. */
const TEXT_FIELDS: { readonly [type: string]: "text" | "summary" | "data" } = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
  "reasoning.encrypted": "data",
};

/**
 * One piece of thinking for each detail that has something. A part's `kind` is the detail's type, format and index in this order,
 * each as it came; hidden data is the signature of a part without text.
 */
export function detailDeltas(details: readonly JsonValue[], seen: number): readonly ProviderDelta[] {
  return details.flatMap((value, at): readonly ProviderDelta[] => {
    const detail = asObject(value);
    const piece = detail === undefined ? undefined : pieceOf(detail);
    if (detail === undefined || piece === undefined) return [];
    const kind = JSON.stringify([detail["type"], detail["format"] ?? null, detail["index"] ?? null]);
    const id = asText(detail["id"]);
    return [
      {
        type: "thinking",
        ...piece,
        // Hidden entries come whole, and several may share an index.
        key: detail["type"] === "reasoning.encrypted" ? `${kind}#${String(seen + at)}` : kind,
        kind,
        ...(id === "" ? {} : { id }),
      },
    ];
  });
}

/** Text and signature of a detail; nothing when it has neither, or is of a type nobody knows. */
function pieceOf(detail: JsonObject): { readonly text: string; readonly signature?: string } | undefined {
  const field = TEXT_FIELDS[asText(detail["type"])];
  const words = field === undefined ? "" : asText(detail[field]);
  const signature = field === "data" ? words : asText(detail["signature"]);
  if (words === "" && signature === "") return undefined;
  return { text: field === "data" ? "" : words, ...(signature === "" ? {} : { signature }) };
}

/** The detail a part was made from; nothing for thinking that came in another form. */
export function detailOf({ kind, text, signature, id }: ThinkingPart): readonly JsonObject[] {
  const [type, format, index] = kindOf(kind);
  const field = TEXT_FIELDS[asText(type)];
  if (type === undefined || field === undefined) return [];
  const words: JsonObject = field === "data" ? { data: signature ?? "" } : { [field]: text, ...known("signature", signature) };
  return [{ type, ...words, ...known("id", id), ...known("format", format), ...known("index", index) }];
}

const known = (name: string, value: JsonValue | undefined): JsonObject => (value === undefined || value === null ? {} : { [name]: value });

const kindOf = (kind: string | undefined): readonly JsonValue[] => (kind?.startsWith("[") === true ? asArray(parseJson(kind)) : []);
