import type { Resolved } from "../../config/index.js";

/** Where a value of a setting is from, for a person. */
export function sourceOf({ layer, source }: Pick<Resolved<unknown>, "layer" | "source">): string {
  if (source?.type === "file") return [source.path, source.line].filter((part) => part !== undefined).join(":");
  return source?.type === "env" || source?.type === "flag" ? source.name : layer;
}
