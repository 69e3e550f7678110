import { decodeCbor, isDecodedMap, MalformedError } from "../bytes/index.js";
import { MAX_SUMMARY_BYTES, type SummaryFields } from "./summary.js";

/** Fields of a SUMMARY body; `undefined` when it is not one. Unknown fields are ignored. */
export function decodeSummary(body: Buffer): SummaryFields | undefined {
  if (body.length > MAX_SUMMARY_BYTES) return undefined;
  try {
    const map = decodeCbor(body);
    if (!isDecodedMap(map)) return undefined;
    const text = (key: string): string | undefined => (typeof map[key] === "string" ? map[key] : undefined);
    const fields = {
      name: text("name"),
      cwd: text("cwd"),
      model: text("model"),
      firstPrompt: text("firstPrompt"),
      lastText: text("lastText"),
    };
    const turns = map["turns"];
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(known), ...(typeof turns === "number" ? { turns } : {}) };
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
