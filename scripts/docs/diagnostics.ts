import ts from "typescript";
import { diagnosticMakers } from "../../test/architecture/diagnostic-codes.js";
import { readSources } from "../../test/architecture/source.js";

const INTRO = [
  "# Diagnostics",
  "",
  "Everything smith says about a failure, by code. A code is stable; the words around it may change. `‹…›` stands for a value known when it happens.",
];

/** The diagnostics reference as Markdown, read from the makers themselves. */
export function renderDiagnosticsReference(): string {
  const makers = [...diagnosticMakers(readSources("src", "bin"))].sort((a, b) => (a.code < b.code ? -1 : 1));
  const sections = makers.map(({ code, literal }) =>
    [
      `## ${code}`,
      "",
      `- What: ${wordsOf(literal, "what")}`,
      `- Why: ${wordsOf(literal, "why")}`,
      `- Next: ${wordsOf(literal, "next")}`,
    ].join("\n"),
  );
  return `${[INTRO.join("\n"), ...sections].join("\n\n")}\n`;
}

function wordsOf(literal: ts.ObjectLiteralExpression, field: string): string {
  const property = literal.properties.find((candidate) => candidate.name?.getText() === field);
  if (property === undefined || !ts.isPropertyAssignment(property)) return "‹…›";
  const text = words(property.initializer)
    .replaceAll(/(‹…›)+/gu, "‹…›")
    .replaceAll("\n", " ")
    .trim();
  return text === "‹…›" ? "told when it happens" : text;
}

/** The fixed words of an expression; of two branches both. */
function words(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map((span) => `‹…›${span.literal.text}`).join("");
  if (ts.isParenthesizedExpression(node)) return words(node.expression);
  if (ts.isConditionalExpression(node)) return `${words(node.whenTrue)} / ${words(node.whenFalse)}`;
  if (ts.isBinaryExpression(node)) return words(node.left) + words(node.right);
  return "‹…›";
}
