/** Finds the maker of each diagnostic code: an object literal that says code, what, why and next. */
import ts from "typescript";
import type { SourceFile } from "./source.js";
import { walk } from "./source.js";

export interface Maker {
  readonly code: string;
  readonly path: string;
  readonly line: number;
  /** Fields of the diagnostic that the literal does not state. */
  readonly missing: readonly string[];
  readonly literal: ts.ObjectLiteralExpression;
}

const FIELDS = ["what", "why", "next"];

export function diagnosticMakers(files: readonly SourceFile[]): readonly Maker[] {
  return files.flatMap((file) => {
    const makers: Maker[] = [];
    walk(file.tree, (node) => {
      if (!ts.isObjectLiteralExpression(node)) return;
      const code = literalCode(node);
      if (code === undefined) return;
      const names = node.properties.flatMap((property) =>
        property.name !== undefined && ts.isIdentifier(property.name) ? [property.name.text] : [],
      );
      // A literal with a code and nothing else of a diagnostic is some other record that names one.
      if (!FIELDS.some((field) => names.includes(field))) return;
      const line = file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      makers.push({ code, path: file.path, line, missing: FIELDS.filter((field) => !names.includes(field)), literal: node });
    });
    return makers;
  });
}

function literalCode(node: ts.ObjectLiteralExpression): string | undefined {
  for (const property of node.properties) {
    if (ts.isPropertyAssignment(property) && property.name.getText() === "code" && ts.isStringLiteral(property.initializer))
      return property.initializer.text;
  }
  return undefined;
}
