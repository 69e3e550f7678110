import type { Layer, Resolved } from "../../config/index.js";

const DEFAULTS: ReadonlySet<Layer> = new Set(["built-in-plugin", "plugin"]);

/** Where a value of a setting is from, for a person. What the program or a manifest says is a default. */
export function sourceOf({ layer, source }: Pick<Resolved<unknown>, "layer" | "source">): string {
  if (source?.type === "file") return [source.path, source.line].filter((part) => part !== undefined).join(":");
  return source?.type === "env" || source?.type === "flag" ? source.name : DEFAULTS.has(layer) ? "default" : layer;
}
