import type { JsonObject } from "smith-agent/plugin";

/** What a person asked for, as far as the rules go. */
export type Intent =
  | { readonly type: "list"; readonly path?: string }
  | Reading
  | { readonly type: "outline"; readonly path: string }
  | { readonly type: "find"; readonly pattern: string; readonly path?: string }
  | Search
  | Replacement
  | { readonly type: "create"; readonly path: string; readonly content: string }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "fix"; readonly command: string; readonly replacement: Replacement }
  | { readonly type: "call"; readonly tool: string; readonly args: JsonObject }
  | { readonly type: "summarize" }
  | { readonly type: "help" }
  | { readonly type: "unknown"; readonly text: string };

export type Reading = { readonly type: "read"; readonly path: string; readonly offset?: number; readonly limit?: number };
/** Every occurrence of `from` in one file. */
export type Replacement = { readonly type: "replace"; readonly path: string; readonly from: string; readonly to: string };
/** `orName`: names of files count too when no content does. */
export type Search = { readonly type: "search"; readonly text: string; readonly path?: string; readonly orName: boolean };
