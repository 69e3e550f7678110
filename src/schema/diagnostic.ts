/** Everything smith says about a failure, as data. Rendered per surface; told apart by `code`, never by text. */
export interface Diagnostic {
  /** Stable, `area.reason`, e.g. `config.unknown-key`. */
  readonly code: string;
  /** What happened, with the offending value (redacted). */
  readonly what: string;
  /** Why it happened, naming the surface that supplied the value. */
  readonly why: string;
  /** What to do next: an action, a command, an example. */
  readonly next: string;
  readonly source?: DiagnosticSource;
  readonly severity: "error" | "warning";
  /** Whether trying again can help. `after` carries the earliest delay. */
  readonly retry: { readonly type: "never" } | { readonly type: "now" } | { readonly type: "after"; readonly delayMs: number };
  readonly causes?: readonly Diagnostic[];
  /** Exit status a command ends with when this is what stopped it; 1 when absent. Product page section 4. */
  readonly exit?: ExitStatus;
}

export type DiagnosticSource =
  | { readonly type: "file"; readonly path: string; readonly line?: number; readonly column?: number; readonly key?: string }
  | { readonly type: "flag"; readonly name: string }
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "plugin"; readonly id: string; readonly file?: string; readonly line?: number }
  | { readonly type: "provider"; readonly id: string; readonly url?: string; readonly status?: number }
  | { readonly type: "session"; readonly id: string; readonly offset?: number };

/** 0 done, 1 failed, 2 usage or configuration, 3 authentication, 4 session owned elsewhere, 70 a bug of ours, 124 deadline, 129 HUP, 130 INT, 143 TERM. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 70 | 124 | 129 | 130 | 143;

/** Fills the fields most makers leave at their default. */
export const diagnostic = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next"> & Partial<Diagnostic>): Diagnostic => ({
  severity: "error",
  retry: { type: "never" },
  ...fields,
});

/** Where it is, as people write places: `file:line:column`. Nothing for what the words name already. */
export function diagnosticPlace(source: DiagnosticSource | undefined): string | undefined {
  switch (source?.type) {
    case undefined:
    case "flag":
    case "env":
      return undefined;
    case "file":
      return [source.path, source.line, source.column].filter((part) => part !== undefined).join(":");
    case "plugin":
      return [`plugin ${source.id}`, source.file, source.line].filter((part) => part !== undefined).join(":");
    case "provider":
      return `provider ${source.id}${source.url === undefined ? "" : `, ${source.url}`}${source.status === undefined ? "" : `, status ${String(source.status)}`}`;
    case "session":
      return `session ${source.id}${source.offset === undefined ? "" : `, byte ${String(source.offset)}`}`;
  }
}
