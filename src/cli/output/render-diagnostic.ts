import { type Diagnostic, diagnosticPlace } from "../../schema/index.js";
import { type Paint, plain } from "./colour.js";
import { visible, visibleLine } from "./visible.js";

/**
 * A diagnostic as lines for a person: what, where, why, next, then its causes. Ends with a newline. Nothing in it can act on
 * a terminal but the colours of `paint`.
 */
export const renderDiagnostic = (diagnostic: Diagnostic, paint: Paint = plain): string => `${linesOf(diagnostic, paint).join("\n")}\n`;

/** Causes of causes beyond this are left out. */
const MAX_DEPTH = 3;

function linesOf(diagnostic: Diagnostic, paint: Paint, depth = 0): readonly string[] {
  const tint = diagnostic.severity === "error" ? "red" : "yellow";
  const place = diagnosticPlace(diagnostic.source);
  const wait = diagnostic.retry.type === "after" ? ` (earliest in ${String(Math.ceil(diagnostic.retry.delayMs / 1000))} s)` : "";
  const own = [
    `${paint(tint, diagnostic.severity)}${paint("dim", `[${diagnostic.code}]`)} ${paint("bold", indent(diagnostic.what))}`,
    ...(place === undefined ? [] : [`  ${paint("dim", "at:")}   ${visibleLine(place)}`]),
    `  ${paint("dim", "why:")}  ${indent(diagnostic.why)}`,
    `  ${paint("dim", "next:")} ${indent(diagnostic.next)}${wait}`,
  ];
  const causes = depth >= MAX_DEPTH ? [] : (diagnostic.causes ?? []).flatMap((cause) => linesOf(cause, paint, depth + 1));
  return [...own, ...causes.map((line) => `  ${line}`)];
}

/** Later lines of a text stand under its first. */
const indent = (text: string): string => visible(text).replace(/\n+/gu, "\n        ");
