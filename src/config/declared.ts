import type { JsonValue } from "../base/index.js";
import { boolean, choice, integer, type Kind, number, text, texts } from "./kinds.js";

/** A setting that a plugin declares, as its manifest says it. Its key in files and on the command line is `name`. */
export interface DeclaredOption {
  /** `group.name`; the group is none of the core's. */
  readonly name: string;
  readonly plugin: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "string[]";
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  /** Bounds of a number, of a string's length, of how many a list has. */
  readonly min?: number;
  readonly max?: number;
  readonly help: string;
  readonly secret: boolean;
}

/** The variable of a key: `lint.max-findings` is `SMITH_LINT_MAX_FINDINGS`. */
export const variableOf = (key: string): string => `SMITH_${key.replaceAll(/[.-]/gu, "_").toUpperCase()}`;

/** How values of a declared option are read: the same words for people as for the core's own options. */
export function kindOf(option: DeclaredOption): Kind<JsonValue> {
  switch (option.type) {
    case "string":
      return stringKind(option);
    case "integer":
      return integer({ ...option, example: exampleOf(option) });
    case "number":
      return number({ ...option, example: exampleOf(option) });
    case "boolean":
      return boolean();
    case "string[]":
      return texts(option);
  }
}

/** A number inside of the bounds. */
const exampleOf = ({ min, max = 1 }: DeclaredOption): number => min ?? Math.min(1, max);

function stringKind({ enum: words = [], default: usual, min, max }: DeclaredOption): Kind<string> {
  const [first, ...others] = words;
  return first === undefined
    ? text({ constraint: lengthWords(min, max), example: typeof usual === "string" ? usual : "text", allowEmpty: true, min, max })
    : choice([first, ...others]);
}

function lengthWords(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return "a text";
  if (max === undefined) return `a text of ${String(min)} characters or more`;
  return min === undefined ? `a text of up to ${String(max)} characters` : `a text of ${String(min)} to ${String(max)} characters`;
}
