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
    const type = asText(detail?.["type"]);
    const field = TEXT_FIELDS[type];
    if (detail === undefined || field === undefined) return [];
    const index = detail["index"];
    const kind = JSON.stringify([type, detail["format"] ?? null, typeof index === "number" ? index : null]);
    const id = asText(detail["id"]);
    const isHidden = field === "data";
    const words = asText(detail[field]);
    const signature = isHidden ? words : asText(detail["signature"]);
    if (words === "" && signature === "") return [];
    return [
      {
        type: "thinking",
        text: isHidden ? "" : words,
        ...(signature === "" ? {} : { signature }),
        // Hidden entries come whole, and several may share an index.
        key: isHidden ? `${kind}#${String(seen + at)}` : kind,
        kind,
        ...(id === "" ? {} : { id }),
      },
    ];
  });
}

/** The detail a part was made from; nothing for thinking that came in another form. */
export function detailOf(part: ThinkingPart): readonly JsonObject[] {
  const [type, format, index] = kindOf(part.kind);
  const field = typeof type === "string" ? TEXT_FIELDS[type] : undefined;
  if (typeof type !== "string" || field === undefined) return [];
  const isHidden = field === "data";
  return [
    {
      type,
      [field]: isHidden ? (part.signature ?? "") : part.text,
      ...(isHidden || part.signature === undefined ? {} : { signature: part.signature }),
      ...(part.id === undefined ? {} : { id: part.id }),
      ...(format === undefined || format === null ? {} : { format }),
      ...(index === undefined || index === null ? {} : { index }),
    },
  ];
}

const kindOf = (kind: string | undefined): readonly JsonValue[] => (kind?.startsWith("[") === true ? asArray(parseJson(kind)) : []);
