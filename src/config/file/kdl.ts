import type * as kdl from "@bgotink/kdl";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { isKdlV1, syntaxError } from "../diagnostics.js";
import type { KdlNode } from "./node.js";

type Parser = typeof kdl;

/** Parses KDL 2. All errors of the text come back together. Loads the parser, so callers look into the cache first. */
export async function parseKdl(path: string, text: string): Promise<Result<readonly KdlNode[], readonly Diagnostic[]>> {
  const parser = await import("@bgotink/kdl");
  try {
    return ok(toNodes(parser, parser.parse(text, { storeLocations: true })));
  } catch (error) {
    if (!(error instanceof parser.InvalidKdlError)) throw error;
    const found = [...error.flat()].map((one) => ({ place: { path, ...one.start }, reason: reasonOf(one.message) }));
    const [first] = found;
    if (first !== undefined && (await parsesAsV1(text))) return err([isKdlV1(placeOf(first.place), first.reason)]);
    return err(found.map(({ place, reason }) => syntaxError(placeOf(place), reason)));
  }
}

const placeOf = (place: { readonly path: string; readonly line?: number; readonly column?: number }) => ({
  path: place.path,
  ...(place.line === undefined ? {} : { line: place.line }),
  ...(place.column === undefined ? {} : { column: place.column }),
});

/** The parser's words without the place, which is reported on its own. */
const reasonOf = (message: string): string => {
  const reason = message.replace(/ at \d+:\d+$/u, "");
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;
};

async function parsesAsV1(text: string): Promise<boolean> {
  const [{ InvalidKdlError }, { parse }] = await Promise.all([import("@bgotink/kdl"), import("@bgotink/kdl/v1-compat")]);
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidKdlError) return false;
    throw error;
  }
}

function toNodes(parser: Parser, document: kdl.Document): readonly KdlNode[] {
  return document.nodes.map((node) => ({
    name: node.getName(),
    ...startOf(parser, node),
    entries: node.entries.map((entry) => {
      const name = entry.getName();
      return { value: entry.getValue(), ...(name === null ? {} : { name }), ...startOf(parser, entry) };
    }),
    children: node.children === null ? [] : toNodes(parser, node.children),
  }));
}

function startOf(parser: Parser, element: Parameters<Parser["getLocation"]>[0]): { readonly line: number; readonly column: number } {
  const start = parser.getLocation(element)?.start;
  return { line: start?.line ?? 1, column: start?.column ?? 1 };
}
