import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { unsetVariable } from "./failures.js";

export interface VariableSources {
  readonly server: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secret: (name: string) => string | undefined;
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\{secret:([A-Za-z_][A-Za-z0-9._-]*)\}/gu;

/** A text of a setting with its references filled in: `${NAME}`, `${NAME:-default}`, `{secret:NAME}`. `where` names it for the failure. */
export function expand(text: string, where: string, { server, env, secret }: VariableSources): Result<string, Diagnostic> {
  let missing: string | undefined;
  const expanded = text.replace(
    REFERENCE,
    (_, variable: string | undefined, fallback: string | undefined, secretName: string | undefined) => {
      const found = secretName === undefined ? env[variable ?? ""] : secret(secretName);
      // As a shell has it: what is empty counts as unset where there is a default.
      const value = fallback !== undefined && (found === undefined || found === "") ? fallback : found;
      if (value === undefined) missing ??= secretName ?? variable;
      return value ?? "";
    },
  );
  return missing === undefined ? ok(expanded) : err(unsetVariable(server, where, missing));
}

/** The same for every value of a table. */
export function expandAll(
  table: Readonly<Record<string, string>>,
  where: string,
  sources: VariableSources,
): Result<Readonly<Record<string, string>>, Diagnostic> {
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(table)) {
    const value = expand(text, `${where} ${name}`, sources);
    if (!value.ok) return value;
    filled[name] = value.value;
  }
  return ok(filled);
}
